import { Dialog } from '../parts/dialog.tsx';
import type { Command } from './command.ts';
import { Keys } from './palette.tsx';

const labellingKeys = [
  ['j / ↓, k / ↑', 'Next, previous example'],
  ['1 – 9', 'Label with that option'],
  ['0', 'Remove the label'],
  ['r', 'Mark as reviewed, or not'],
  ['Delete', 'Delete the example'],
  ['u or Ctrl+Z', 'Undo'],
] as const;

/** Every shortcut that works now, with the keys of the example table. */
export function ShortcutsDialog({ commands, onClose }: { commands: readonly Command[]; onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <table>
        <tbody>
          {commands
            .filter((command) => command.keys !== undefined)
            .map((command) => (
              <tr key={command.id}>
                <td>
                  <Keys keys={command.keys ?? ''} />
                </td>
                <td>{command.title}</td>
              </tr>
            ))}
        </tbody>
      </table>
      <h3>In the table of examples</h3>
      <table>
        <tbody>
          {labellingKeys.map(([keys, meaning]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
