import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import { useNameTwin } from '../../parts/fields/name-twin.ts';
import { TextList } from '../../parts/fields/text-list.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { body: { name: name.trim(), description, options: filled } },
      {
        onSuccess: ({ id }) => {
          onClose();
          goTo({ page: 'type', id, place: 'import' });
        },
      },
    );
  };
  return (
    <Modal opened title="New decision type" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
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
        {create.isError && <ErrorNote error={create.error} />}
        <div className="row between">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="filled"
            type="submit"
            loading={create.isPending}
            disabled={name.trim() === '' || filled.length < limits.minOptions || twin !== undefined}
          >
            Create
          </Button>
        </div>
      </form>
    </Modal>
  );
}
