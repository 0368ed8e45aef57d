import { Autocomplete } from '@mantine/core';
import { type KeyboardEvent, useMemo } from 'react';
import { whenComposed } from '../../../commands/keys.ts';
import { number } from '../../../parts/text/figures.ts';
import { showUnseen } from '../../../parts/text/names.ts';
import type { Choice } from './sheet.ts';

type SheetInputProps = {
  label: string;
  text: string;
  problem: string | null;
  choices: readonly Choice[];
  onText(text: string): void;
  /** Takes the text and moves on: by this many rows and columns. */
  onTake(move: { down: number; right: number }): void;
  onLeave(): void;
  onDrop(): void;
};

/** The field of a cell that is typed in, with the values that occur below it. */
export function SheetInput({ label, text, problem, choices, onText, onTake, onLeave, onDrop }: SheetInputProps) {
  const byValue = useMemo(() => new Map(choices.map((choice) => [choice.value, choice])), [choices]);
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    // Enter belongs to the list while a line of it is chosen.
    const isPicking = event.currentTarget.getAttribute('aria-activedescendant') !== null;
    if (event.key === 'Escape') onDrop();
    else if (event.key === 'Enter' && !isPicking) onTake({ down: 1, right: 0 });
    else if (event.key === 'Tab') onTake({ down: 0, right: event.shiftKey ? -1 : 1 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Autocomplete
      aria-label={label}
      className="cell-input"
      size="xs"
      autoFocus
      value={text}
      error={problem}
      data={[...byValue.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const choice = byValue.get(option.value);
        return (
          <>
            <span className="clip grow">{showUnseen(choice?.name ?? option.value)}</span>
            {choice?.count != null && <span className="muted number">{number(choice.count)}</span>}
          </>
        );
      }}
      comboboxProps={{ shadow: 'md', keepMounted: false, width: 'max-content', position: 'bottom-start' }}
      onChange={onText}
      onKeyDown={whenComposed(press)}
      onBlur={onLeave}
    />
  );
}
