import { Button, Modal, MultiSelect, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FieldTest } from '../../../../server/contract/examples/examples.ts';
import { Form } from '../../../parts/form.tsx';
import type { SeenFields } from '../../../parts/hooks/use-seen-fields.ts';
import { number } from '../../../parts/text/figures.ts';
import { valueText } from '../../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../../parts/text/names.ts';
import { changeQuery } from '../../../state/route.ts';
import { putTest } from './field-tests.ts';

/** The fields of the examples, by dotted path. */

type FilterProps = {
  seen: SeenFields;
  tests: readonly FieldTest[];
  field: string;
  onClose(): void;
};

/** Asks what the rows of the table shall have in one of their fields. */
export function FilterDialog({ seen, tests, field: first, onClose }: FilterProps) {
  const paths = [...seen.keys()];
  const [field, setField] = useState(seen.has(first) ? first : (paths[0] ?? ''));
  return (
    <Modal opened title="Filter the rows" onClose={onClose}>
      <div className="stack">
        <NativeSelect
          data-autofocus={first === '' || undefined}
          label="Field"
          value={field}
          data={paths.map((path) => ({ value: path, label: showUnseen(path) }))}
          onChange={(event) => setField(event.currentTarget.value)}
        />
        <TestForm key={field} field={field} seen={seen} tests={tests} onClose={onClose} />
      </div>
    </Modal>
  );
}

/** The test of one field: a range of numbers, a choice of the values that occur, or a part of the text. */
function TestForm({ field, seen, tests, onClose }: FilterProps) {
  const [test, setTest] = useState<FieldTest>(tests.find((each) => each.field === field) ?? { field });
  const { types = [], values = [], counts = [] } = seen.get(field) ?? {};
  const isNumber = types.includes('number');
  const show = (fields: string) => {
    changeQuery({ fields, row: '' });
    onClose();
  };
  const bound = (name: 'min' | 'max', label: string) => (
    <NumberInput
      className="grow"
      label={label}
      value={test[name] ?? ''}
      onChange={(value) => setTest({ ...test, [name]: typeof value === 'number' ? value : undefined })}
    />
  );
  return (
    <Form onSubmit={() => show(putTest(tests, test))}>
      {isNumber && (
        <div className="row">
          {bound('min', 'At least')}
          {bound('max', 'At most')}
        </div>
      )}
      {values.length > 0 && (
        <MultiSelect
          label="One of"
          description="Values with how often they occur among the newest 20,000 examples."
          data={values.map((value, place) => ({
            value: JSON.stringify(value),
            label: `${isolate(valueText(value))} · ${number(counts[place] ?? 0)}`,
          }))}
          value={(test.one_of ?? []).map((value) => JSON.stringify(value))}
          onChange={(chosen) =>
            setTest({ ...test, one_of: chosen.length === 0 ? undefined : chosen.map((value) => JSON.parse(value)) })
          }
          searchable
        />
      )}
      {!isNumber && values.length === 0 && (
        <TextInput
          label="Contains"
          value={test.contains ?? ''}
          onChange={(event) => setTest({ ...test, contains: event.currentTarget.value || undefined })}
        />
      )}
      <NativeSelect
        label="Empty"
        data={[
          { value: '', label: 'Filled or empty' },
          { value: 'false', label: 'Not empty' },
          { value: 'true', label: 'Only empty' },
        ]}
        value={String(test.empty ?? '')}
        onChange={({ currentTarget: { value } }) =>
          setTest({ ...test, empty: value === '' ? undefined : value === 'true' })
        }
      />
      <div className="row between">
        <Button onClick={() => show(putTest(tests, { field }))}>Any value</Button>
        <Button variant="filled" type="submit">
          Show these rows
        </Button>
      </div>
    </Form>
  );
}
