import { Checkbox, Fieldset, NumberInput } from '@mantine/core';
import type { Json, JsonObject } from '../../../engine/domain.ts';
import { isJsonObject } from '../../../engine/json.ts';
import { GrowingText } from '../../parts/fields/growing-text.tsx';
import { flattenInput, valueText } from '../../parts/text/inputs.ts';
import { showUnseen } from '../../parts/text/names.ts';

type Kind = 'boolean' | 'number' | 'text' | 'other';

function toKind(value: unknown): Kind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  return typeof value === 'string' || value === null ? 'text' : 'other';
}

/** The kind of each field by its path, as the input has them now. */
export function readKinds(input: JsonObject): ReadonlyMap<string, Kind> {
  return new Map(flattenInput(input).map(({ path, value }) => [path, toKind(value)]));
}

/** An input as a form, objects in frames; the kind of a field does not follow what is typed into it. */
export function InputForm({
  input,
  kinds,
  path,
  onInput,
}: {
  input: JsonObject;
  kinds: ReadonlyMap<string, Kind>;
  /** Where this object stands in the input; '' for the input itself. */
  path: string;
  onInput(input: JsonObject): void;
}) {
  return (
    <div className="input-form">
      {Object.entries(input).map(([name, value]) => {
        const place = path === '' ? name : `${path}.${name}`;
        const set = (changed: Json) => onInput({ ...input, [name]: changed });
        return isJsonObject(value) ? (
          <Fieldset key={name} legend={showUnseen(name)}>
            <InputForm input={value} kinds={kinds} path={place} onInput={set} />
          </Fieldset>
        ) : (
          <Field key={name} name={name} kind={kinds.get(place) ?? toKind(value)} value={value} onValue={set} />
        );
      })}
    </div>
  );
}

function Field({ name, kind, value, onValue }: { name: string; kind: Kind; value: Json; onValue(value: Json): void }) {
  const label = showUnseen(name);
  switch (kind) {
    case 'boolean':
      return (
        <Checkbox label={label} checked={value === true} onChange={(event) => onValue(event.currentTarget.checked)} />
      );
    case 'number':
      return (
        <NumberInput
          label={label}
          value={typeof value === 'number' ? value : ''}
          onChange={(typed) => onValue(typeof typed === 'number' ? typed : null)}
        />
      );
    case 'text':
      return (
        <GrowingText
          label={label}
          minRows={1}
          maxRows={12}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
    case 'other':
      return (
        <div>
          <span className="strong">{showUnseen(name)}</span>
          <code className="clip" title={valueText(value)}>
            {valueText(value)}
          </code>
        </div>
      );
  }
}
