import { Button, Fieldset } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { whenComposed } from '../../commands/keys.ts';
import { useFirstPart } from '../hooks/use-first-part.ts';
import { isolate } from '../text/names.ts';

type TextListProps = {
  label: string;
  itemLabel: string;
  hint?: string;
  values: readonly string[];
  onValues(values: string[]): void;
  minimum?: number;
  /** A sign before each text. */
  mark?: (value: string) => ReactNode;
};

/**
 * A list of short texts, each in its own field; Enter adds the next, Backspace in an empty one removes it. The fields
 * are plain ones: 150 of the library's take a quarter of a second to appear.
 */
export function TextList({ label, itemLabel, hint, values, onValues, minimum = 0, mark }: TextListProps) {
  const id = useId();
  const shown = useFirstPart(values);
  const focusItem = (index: number) => requestAnimationFrame(() => document.getElementById(`${id}-${index}`)?.focus());
  const add = () => {
    onValues([...values, '']);
    focusItem(values.length);
  };
  const remove = (index: number) => {
    if (values.length <= minimum) return;
    onValues(values.filter((_, i) => i !== index));
    focusItem(Math.max(0, index - 1));
  };
  return (
    <Fieldset legend={label} variant="unstyled">
      <div className="stack tight">
        {hint && <span className="muted">{hint}</span>}
        <ul className="text-list">
          {shown.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; the text changes under the cursor
            <li key={index}>
              {mark?.(value)}
              <input
                id={`${id}-${index}`}
                aria-label={`${itemLabel} ${index + 1}`}
                value={value}
                onChange={(event) => {
                  const text = event.currentTarget.value;
                  onValues(values.map((old, i) => (i === index ? text : old)));
                }}
                onKeyDown={whenComposed((event) => {
                  if (event.key === 'Enter') {
                    event.preventDefault();
                    if (value !== '') add();
                  } else if (event.key === 'Backspace' && value === '') {
                    event.preventDefault();
                    remove(index);
                  }
                })}
              />
              <button
                type="button"
                disabled={values.length <= minimum}
                aria-label={`Remove ${value === '' ? 'empty row' : isolate(value)}`}
                onClick={() => remove(index)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <Button size="compact-xs" onClick={add}>
          Add {itemLabel.toLowerCase()}
        </Button>
      </div>
    </Fieldset>
  );
}
