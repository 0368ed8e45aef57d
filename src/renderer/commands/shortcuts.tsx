import { Modal } from '@mantine/core';
import { Keys } from '../parts/notes.tsx';
import { useCommandList } from './use-commands.ts';

/** Every shortcut that works now. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const withKeys = useCommandList().filter(({ keys }) => keys !== undefined);
  const groups = [...new Set(withKeys.map(({ group }) => group))];
  return (
    <Modal opened title="Keyboard shortcuts" onClose={onClose} closeButtonProps={{ 'aria-label': 'Close' }} size="lg">
      <div className="stack">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <table className="plain">
              <tbody>
                {withKeys
                  .filter((command) => command.group === group)
                  .map((command) => (
                    <tr key={command.id}>
                      <td>{command.title}</td>
                      <td className="number">
                        <Keys keys={command.keys ?? ''} />
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </section>
        ))}
        <p className="muted">Settings lets you choose other keys.</p>
      </div>
    </Modal>
  );
}
