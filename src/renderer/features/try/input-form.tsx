import { Autocomplete, Checkbox, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { Readings } from '../../../engine/domain/definition.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { whenComposed } from '../../commands/keys.ts';
import { GrowingText } from '../../parts/fields/growing-text.tsx';
import type { SeenFields } from '../../parts/hooks/use-seen-fields.ts';
import { BreakingName } from '../../parts/text/breaking-name.tsx';
import { readMoment } from '../../parts/text/figures.ts';
import { flattenInput, valueText } from '../../parts/text/inputs.ts';
import { showUnseen } from '../../parts/text/names.ts';

/** Values that are still looked through rather than typed. */
const maxChoices = 20;

/** Characters from which on a text takes the whole width. */
const minLongText = 40;

type Kind = 'boolean' | 'number' | 'moment' | 'text' | 'long' | 'other';

function toKind(value: unknown): Kind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string' && readMoment(value) !== null) return 'moment';
  if (typeof value === 'string' && value.length >= minLongText) return 'long';
  return typeof value === 'string' || value === null ? 'text' : 'other';
}

/** The kind of each field by its path, as the input has them now. */
export function readKinds(input: JsonObject): ReadonlyMap<string, Kind> {
  return new Map(flattenInput(input).map(({ path, value }) => [path, toKind(value)]));
}

/** Lists the values of a text field that has few of them and repeats them; null for any other. */
function listChoices(seen: SeenFields, path: string): string[] | null {
  const { values = [], counts = [] } = seen.get(path) ?? {};
  const texts = values.filter((value) => typeof value === 'string');
  const total = counts.reduce((sum, each) => sum + each, 0);
  return texts.length > 0 && texts.length <= maxChoices && total >= 2 * values.length ? texts : null;
}

type InputFormProps = {
  input: JsonObject;
  kinds: ReadonlyMap<string, Kind>;
  /** The values seen in examples; a field with few of them offers them. */
  seen: SeenFields;
  /** How the type reads texts: a cell of such a field may be typed as its file has it. */
  readings: Readings;
  onInput(input: JsonObject): void;
};

type Leaf = { path: string; value: Json; set(value: Json): void };

function listFields(input: JsonObject, onInput: (input: JsonObject) => void, above = ''): Leaf[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const set = (changed: Json) => onInput({ ...input, [name]: changed });
    return isJsonObject(value) ? listFields(value, set, path) : [{ path, value, set }];
  });
}

/** The fields of an input, long texts first; the kind of a field does not follow what is typed into it. */
export function InputForm({ input, kinds, seen, readings, onInput }: InputFormProps) {
  const fields = listFields(input, onInput).map((field) => {
    const choices = listChoices(seen, field.path);
    const kind = kinds.get(field.path) ?? toKind(field.value);
    return { ...field, choices, kind: kind === 'long' && choices !== null ? 'text' : kind };
  });
  const isLong = ({ kind }: { kind: Kind }) => Number(kind === 'long');
  return fields
    .sort((a, b) => isLong(b) - isLong(a))
    .map(({ path, set, ...field }) => (
      <Field key={path} name={path} isRead={Object.hasOwn(readings, path)} onValue={set} {...field} />
    ));
}

type FieldProps = {
  name: string;
  kind: Kind;
  choices: string[] | null;
  isRead: boolean;
  value: Json;
  onValue(value: Json): void;
};

function Field({ name, kind, choices, isRead, value, onValue }: FieldProps) {
  const label = <BreakingName name={name} />;
  switch (kind) {
    case 'boolean':
      return (
        <Checkbox label={label} checked={value === true} onChange={(event) => onValue(event.currentTarget.checked)} />
      );
    case 'number':
      return <NumberField label={label} isRead={isRead} value={value} onValue={onValue} />;
    case 'moment':
      return <MomentField label={label} isRead={isRead} value={value} onValue={onValue} />;
    case 'text':
    case 'long':
      return choices !== null ? (
        <Autocomplete
          label={label}
          data={choices}
          // All of them, not those like the value that is there.
          filter={({ options }) => options}
          value={typeof value === 'string' ? value : ''}
          onChange={onValue}
        />
      ) : (
        <GrowingText
          label={label}
          minRows={1}
          maxRows={12}
          mod={{ long: kind === 'long' }}
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

/** A day or a moment as the page writes it; while it is edited, as programs send it. */
function MomentField({ label, isRead, value, onValue }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const sent = typeof value === 'string' ? value : '';
  const isMoment = (text: string) => readMoment(text) !== null;
  const isWrong = typed !== null && typed !== '' && !isMoment(typed) && !isRead;
  return (
    <TextInput
      label={label}
      value={typed ?? readMoment(sent) ?? sent}
      error={isWrong && 'No date, such as 2026-03-31: counts as missing'}
      onFocus={() => setTyped(typed ?? sent)}
      onBlur={() => !isWrong && setTyped(null)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onValue(isMoment(currentTarget.value) || (isRead && currentTarget.value !== '') ? currentTarget.value : null);
      }}
    />
  );
}

type NumberFieldProps = { label: ReactNode; isRead: boolean; value: Json; onValue(value: Json): void };

const writtenNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A number, by ↑ and ↓ one more or less; other texts go to the decider where the type reads them, else as missing. */
function NumberField({ label, isRead, value, onValue }: NumberFieldProps) {
  const [text, setText] = useState(typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  const isNumber = writtenNumber.test(text);
  const take = (typed: string) => {
    setText(typed);
    if (writtenNumber.test(typed)) onValue(Number(typed));
    else onValue(isRead && typed !== '' ? typed : null);
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined || !isNumber) return;
    event.preventDefault();
    take(String(Number(text) + by));
  };
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      value={text}
      error={text !== '' && !isNumber && !isRead && 'No number, such as 1234.5: counts as missing'}
      onChange={(event) => take(event.currentTarget.value)}
      onKeyDown={whenComposed(step)}
    />
  );
}
