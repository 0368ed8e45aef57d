import { useEffect, useId, useRef, useState } from 'react';
import { type Command, searchCommands } from './command.ts';

/** A search box over every command that is available now; arrows choose, Enter runs. */
export function Palette({ commands, onClose }: { commands: readonly Command[]; onClose(): void }) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const found = searchCommands(commands, query);
  const current = Math.min(chosen, found.length - 1);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView?.({ block: 'nearest' });
  }, [id, current]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  return (
    <dialog
      ref={ref}
      className="palette"
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <input
          type="text"
          role="combobox"
          aria-label="Search commands"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
          placeholder="What do you want to do?"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setChosen(Math.min(found.length - 1, current + 1));
            else if (event.key === 'ArrowUp') setChosen(Math.max(0, current - 1));
            else if (event.key === 'Enter') run(found[current]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div id={`${id}-list`} className="palette-list" role="listbox" aria-label="Commands" tabIndex={-1}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search box moves and runs by keyboard
          <div
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => run(command)}
            onMouseMove={() => setChosen(index)}
          >
            <span>
              <span className="muted">{command.group} · </span>
              {command.title}
            </span>
            {command.keys && <Keys keys={command.keys} />}
          </div>
        ))}
        {found.length === 0 && <p className="muted dialog-body">No command has these words.</p>}
      </div>
    </dialog>
  );
}

/** A shortcut as keys: 'Mod+K' → Ctrl+K. */
export function Keys({ keys }: { keys: string }) {
  return <kbd>{keys.replaceAll('Mod', 'Ctrl').replaceAll(' ', ' then ')}</kbd>;
}
