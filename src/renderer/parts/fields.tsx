import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

type FieldProps = { label: string; hint?: ReactNode; error?: string | undefined };

/** A text or number input with its label, hint and problem tied to it. */
export function TextField({
  label,
  hint,
  error,
  value,
  onValue,
  ...rest
}: FieldProps & { value: string; onValue(value: string): void } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange'
  >) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
        aria-invalid={error ? true : undefined}
      />
      <FieldHint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

export function AreaField({
  label,
  hint,
  error,
  value,
  onValue,
  rows = 3,
  mono = false,
}: FieldProps & { value: string; onValue(value: string): void; rows?: number; mono?: boolean }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        className={mono ? 'mono' : undefined}
        spellCheck={!mono}
        onChange={(event) => onValue(event.target.value)}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
        aria-invalid={error ? true : undefined}
      />
      <FieldHint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

export function SelectField({
  label,
  hint,
  error,
  value,
  onValue,
  choices,
}: FieldProps & {
  value: string;
  onValue(value: string): void;
  choices: readonly { value: string; text: string }[];
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
      <FieldHint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onChecked,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChecked(checked: boolean): void;
}) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChecked(event.target.checked)}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <FieldHint id={`${id}-hint`} hint={hint} error={undefined} />
      </div>
    </div>
  );
}

function FieldHint({ id, hint, error }: { id: string; hint: ReactNode; error: string | undefined }) {
  if (!hint && !error) return null;
  return (
    <span id={id} className="hint">
      {error ? <span style={{ color: 'var(--bad)' }}>{error}</span> : hint}
    </span>
  );
}

/** A list of short texts, each in its own input; Enter adds the next, Backspace in an empty one removes it. */
export function TextListField({
  label,
  itemLabel,
  hint,
  values,
  onValues,
  minimum = 0,
}: {
  label: string;
  itemLabel: string;
  hint?: string;
  values: readonly string[];
  onValues(values: string[]): void;
  minimum?: number;
}) {
  const id = useId();
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
    <fieldset className="field">
      <legend className="label">{label}</legend>
      {hint && <span className="hint">{hint}</span>}
      <ul className="list-edit">
        {values.map((value, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; the text changes under the cursor
          <li key={index}>
            <input
              id={`${id}-${index}`}
              aria-label={`${itemLabel} ${index + 1}`}
              value={value}
              onChange={(event) => onValues(values.map((old, i) => (i === index ? event.target.value : old)))}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  event.preventDefault();
                  if (value !== '') add();
                } else if (event.key === 'Backspace' && value === '') {
                  event.preventDefault();
                  remove(index);
                }
              }}
            />
            <button
              type="button"
              className="quiet"
              disabled={values.length <= minimum}
              aria-label={`Remove ${value === '' ? 'empty row' : value}`}
              onClick={() => remove(index)}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <div>
        <button type="button" className="small" onClick={add}>
          Add {itemLabel.toLowerCase()}
        </button>
      </div>
    </fieldset>
  );
}
