import { Checkbox, Fieldset, NumberInput } from '@mantine/core';
import type { Json, JsonObject } from '../../../engine/domain.ts';
import { isJsonObject } from '../../../engine/json.ts';
import { GrowingText } from '../../parts/growing-text.tsx';
import { flattenInput } from '../../parts/inputs.ts';

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
          <Fieldset key={name} legend={name}>
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
  switch (kind) {
    case 'boolean':
      return (
        <Checkbox label={name} checked={value === true} onChange={(event) => onValue(event.currentTarget.checked)} />
      );
    case 'number':
      return (
        <NumberInput
          label={name}
          value={typeof value === 'number' ? value : ''}
          onChange={(typed) => onValue(typeof typed === 'number' ? typed : null)}
        />
      );
    case 'text':
      return (
        <GrowingText
          label={name}
          minRows={1}
          maxRows={12}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
    case 'other':
      return (
        <div>
          <span className="strong">{name}</span>
          <code className="clip" title={JSON.stringify(value)}>
            {JSON.stringify(value)}
          </code>
        </div>
      );
  }
}
