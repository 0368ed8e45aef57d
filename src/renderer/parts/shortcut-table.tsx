import { Button } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { pressName, whenComposed } from '../commands/keys.ts';
import { useCommandList } from '../state/use-commands.ts';
import { useSettings, useWorkbench } from '../state/workbench.ts';
import { Keys } from './notes.tsx';
import { PlainTable } from './plain-table.tsx';

const modifiers = ['Control', 'Shift', 'Alt', 'Meta'];

/** Every command of the place that is open and of the frame, with its keys; a click and a press set others. */
export function ShortcutTable() {
  const { settings } = useWorkbench();
  const chosen = useSettings((state) => state.keys);
  const commands = useCommandList().filter(({ group }) => group !== 'Types');
  const [waiting, setWaiting] = useState<string | null>(null);
  const taken = (keys: string, id: string) => commands.find((command) => command.keys === keys && command.id !== id);
  const [refused, setRefused] = useState<string | null>(null);
  const pressed = (id: string) => (event: KeyboardEvent) => {
    if (waiting !== id || modifiers.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    setWaiting(null);
    if (event.key === 'Escape') return;
    const keys = pressName(event);
    const other = taken(keys, id);
    if (other) return setRefused(`${keys} already means “${other.title}”. Change that one first.`);
    setRefused(null);
    settings.setKeys(id, keys);
  };
  return (
    <div className="stack">
      <p>
        Choose “Change”, then press the new keys. Those of a place are listed while it is open: press ? there. Single
        keys act in the card, a table or a list of rows while it has the focus; ? and keys with Ctrl or Alt act
        everywhere.
      </p>
      {refused && (
        <p className="note warn" role="alert">
          {refused}
        </p>
      )}
      <PlainTable>
        {commands.map((command) => (
          <tr key={command.id}>
            <td className="muted">{command.group}</td>
            <td>{command.title}</td>
            <td>{command.keys ? <Keys keys={command.keys} /> : <span className="muted">none</span>}</td>
            <td className="number">
              <Button
                size="compact-xs"
                aria-label={`Change the keys of ${command.title}`}
                onKeyDown={whenComposed(pressed(command.id))}
                onBlur={() => setWaiting(null)}
                onClick={() => setWaiting(command.id)}
              >
                {waiting === command.id ? 'Press keys…' : 'Change'}
              </Button>{' '}
              {chosen[command.id] !== undefined && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={`Reset the keys of ${command.title}`}
                  onClick={() => settings.setKeys(command.id, null)}
                >
                  Reset
                </Button>
              )}
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}
