/** How texts are read as values, field by field, and how it is changed. */
import { Button, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Reading } from '../../../engine/domain/definition.ts';
import { kindOf, usualReadings } from '../../../engine/import/kinds.ts';
import { columnKinds } from '../../../engine/import/sheet.ts';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Form } from '../../parts/form.tsx';
import { Part } from '../../parts/notes.tsx';
import { kindNames } from '../../parts/text/kind-names.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useDraft } from '../../state/use-draft.ts';

const readKinds = columnKinds.filter((kind) => kind !== 'as_is');
const kindChoices = readKinds.map((value) => ({ value, label: kindNames[value] }));

/** How the texts of each field are read, as in the file that they came from; each can be changed. */
export function Readings({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const [added, setAdded] = useState('');
  const { readings } = draft;
  const name = added.trim();
  const isFree = name !== '' && !Object.hasOwn(readings, name) && !name.split('.').includes('__proto__');
  const set = (field: string, reading: Reading) => edit({ readings: { ...readings, [field]: reading } });
  const add = () => {
    set(name, usualReadings.text);
    setAdded('');
  };
  const drop = (field: string) => {
    const { [field]: _dropped, ...rest } = readings;
    edit({ readings: rest });
  };
  return (
    <Part title="How texts are read">
      <div className="stack">
        <p className="muted">
          A call may send the cells of a file as they stand there: 12.06.2017, 182,75, ja. Numbers, true and false stay
          what they are; a text that is not of its kind counts as missing, and the answer says so under “unread”.
        </p>
        {Object.entries(readings).map(([field, reading]) => (
          <ReadingRow
            key={field}
            field={field}
            reading={reading}
            onReading={(changed) => set(field, changed)}
            onDrop={() => drop(field)}
          />
        ))}
        <Form className="row" onSubmit={add}>
          <TextInput
            size="xs"
            aria-label="Field to read"
            placeholder="A field, such as stay.from"
            maxLength={limits.maxReadingNameLength}
            value={added}
            onChange={(event) => setAdded(event.currentTarget.value)}
          />
          <Button size="compact-xs" type="submit" disabled={!isFree}>
            Add a field
          </Button>
        </Form>
      </div>
    </Part>
  );
}

type RowProps = { field: string; reading: Reading; onReading(reading: Reading): void; onDrop(): void };

function ReadingRow({ field, reading, onReading, onDrop }: RowProps) {
  const shown = isolate(field);
  const { missing } = reading;
  const words = (
    label: string,
    values: string[] | undefined,
    placeholder: string,
    onWords: (words: string[]) => void,
  ) => (
    <TagsInput
      size="xs"
      comboboxProps={{ keepMounted: false }}
      aria-label={`${label} of ${shown}`}
      placeholder={values?.length ? '' : placeholder}
      value={values ?? []}
      onChange={onWords}
    />
  );
  return (
    <div className="stack tight" data-reading={field}>
      <div className="row between">
        <strong className="wrap">{showUnseen(field)}</strong>
        <span className="row">
          <NativeSelect
            size="xs"
            aria-label={`Texts of ${shown} are`}
            value={kindOf(reading)}
            data={kindChoices}
            onChange={(event) => {
              const kind = readKinds.find((each) => each === event.currentTarget.value) ?? 'text';
              onReading({ ...usualReadings[kind], ...(missing && { missing }) });
            }}
          />
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Take texts of ${shown} as they stand`}
            onClick={onDrop}
          >
            Remove
          </Button>
        </span>
      </div>
      {reading.kind === 'number' && reading.unit && <p className="muted">In {showUnseen(reading.unit)}</p>}
      {reading.kind === 'boolean' && (
        <div className="row">
          {words('Words for yes', reading.yes, 'yes: the usual words', (yes) => onReading({ ...reading, yes }))}
          {words('Words for no', reading.no, 'no: the usual words', (no) => onReading({ ...reading, no }))}
        </div>
      )}
      {words('Words for no value', missing, 'no value: n/a, – and the like', (left) =>
        onReading(left.length > 0 ? { ...reading, missing: left } : withoutMissing(reading)),
      )}
    </div>
  );
}

function withoutMissing(reading: Reading): Reading {
  const { missing: _missing, ...rest } = reading;
  return rest;
}
