import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import { useNameTwin } from '../../parts/fields/name-twin.ts';
import { TextList } from '../../parts/fields/text-list.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { useChange } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';

/** Name, description and options of a new decision type. */
export function NewTypeDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [options, setOptions] = useState<string[]>(['', '']);
  const twin = useNameTwin(name);
  const create = useChange('decision_types.create');
  const filled = options.map((option) => option.trim()).filter((option) => option !== '');
  const submit = () =>
    create.mutate(
      { body: { name: name.trim(), description, options: filled } },
      {
        onSuccess: ({ id }) => {
          onClose();
          goTo({ page: 'type', id, place: 'import' });
        },
      },
    );
  return (
    <FormDialog
      title="New decision type"
      act="Create"
      disabled={name.trim() === '' || filled.length < limits.minOptions || twin !== undefined}
      isPending={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Programs use this name when they ask for a decision, for example refund_request."
        value={name}
        error={!create.isPending && twin?.problem}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={limits.maxTypeNameLength}
      />
      <Textarea
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        rows={2}
      />
      <TextList
        label="Options"
        itemLabel="Option"
        hint="The possible answers: at least two."
        values={options}
        onValues={setOptions}
        minimum={limits.minOptions}
      />
    </FormDialog>
  );
}
