import { Button } from '@mantine/core';
import { Fragment, type KeyboardEvent, useState } from 'react';
import { listPressNames } from '../../engine/labelling/key-presses.ts';
import { whenComposed } from '../commands/keys.ts';
import { useCommandList } from '../state/use-commands.ts';
import { useSettings, useWorkbench } from '../state/workbench.ts';
import { Keys } from './notes.tsx';
import { PlainTable } from './plain-table.tsx';

const modifiers = ['Control', 'Shift', 'Alt', 'Meta'];

/** Groups that are the same in every place: they stand last. */
const framed = new Set(['Go', 'Look', 'Help', 'Create']);

/** Every key of the place that is open, by group, then those of the frame; one click further they are changed. */
export function ShortcutTable({ startsChanging = false }: { startsChanging?: boolean }) {
  const [isChanging, setIsChanging] = useState(startsChanging);
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
    // The place on the board is the same where the reader types in another script.
    const keys = listPressNames(event).at(-1) ?? '';
    const other = taken(keys, id);
    if (other) return setRefused(`${keys} already means “${other.title}”. Change that one first.`);
    setRefused(null);
    settings.setKeys(id, keys);
  };
  const listed = isChanging ? commands : commands.filter(({ keys }) => keys !== undefined);
  const groups = [...Map.groupBy(listed, ({ group }) => group)].sort(
    ([one], [other]) => Number(framed.has(one)) - Number(framed.has(other)),
  );
  return (
    <div className="stack">
      {isChanging ? (
        <p>
          Choose “Change”, then press the new keys. Those of a place are listed while it is open: press ? there. Single
          keys act in the card, a table or a list of rows while it has the focus; ? and keys with Ctrl or Alt act
          everywhere.
        </p>
      ) : (
        <div className="row between">
          <span className="muted">Keys of this place first.</span>
          <Button size="compact-xs" onClick={() => setIsChanging(true)}>
            Change keys
          </Button>
        </div>
      )}
      {refused && (
        <p className="note warn" role="alert">
          {refused}
        </p>
      )}
      <PlainTable>
        {groups.map(([group, own]) => (
          <Fragment key={group}>
            <tr>
              <th scope="colgroup" colSpan={isChanging ? 3 : 2}>
                <strong>{group}</strong>
              </th>
            </tr>
            {own.map((command) => (
              <tr key={command.id}>
                <td>{command.title}</td>
                <td>{command.keys ? <Keys keys={command.keys} /> : <span className="muted">none</span>}</td>
                {isChanging && (
                  <ChangeKeys
                    title={command.title}
                    isWaiting={waiting === command.id}
                    isChosen={chosen[command.id] !== undefined}
                    onWait={(isWaiting) => setWaiting(isWaiting ? command.id : null)}
                    onPress={whenComposed(pressed(command.id))}
                    onReset={() => settings.setKeys(command.id, null)}
                  />
                )}
              </tr>
            ))}
          </Fragment>
        ))}
      </PlainTable>
    </div>
  );
}

type ChangeKeysProps = {
  title: string;
  isWaiting: boolean;
  isChosen: boolean;
  onWait(isWaiting: boolean): void;
  onPress(event: KeyboardEvent): void;
  onReset(): void;
};

function ChangeKeys({ title, isWaiting, isChosen, onWait, onPress, onReset }: ChangeKeysProps) {
  return (
    <td className="number">
      <Button
        size="compact-xs"
        aria-label={`Change the keys of ${title}`}
        onKeyDown={onPress}
        onBlur={() => onWait(false)}
        onClick={() => onWait(true)}
      >
        {isWaiting ? 'Press keys…' : 'Change'}
      </Button>{' '}
      {isChosen && (
        <Button size="compact-xs" variant="subtle" aria-label={`Reset the keys of ${title}`} onClick={onReset}>
          Reset
        </Button>
      )}
    </td>
  );
}
