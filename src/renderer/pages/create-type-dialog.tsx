import { type FormEvent, useState } from 'react';
import { limits } from '../../engine/limits.ts';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { AreaField, TextField, TextListField } from '../parts/fields.tsx';
import { ErrorNote } from '../parts/layout.tsx';
import { goTo } from '../state/route.ts';

/** Name, description and options of a new decision type. */
export function CreateTypeDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [options, setOptions] = useState<string[]>(['', '']);
  const create = useChange('decision_types.create');
  const filled = options.map((option) => option.trim()).filter((option) => option !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { body: { name: name.trim(), description, options: filled } },
      {
        onSuccess: (type) => {
          onClose();
          goTo({ page: 'type', id: type.id, tab: 'define' });
        },
      },
    );
  };
  return (
    <Dialog title="New decision type" onClose={onClose} size="narrow">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Programs use this name when they ask for a decision, for example refund_request."
          value={name}
          onValue={setName}
          maxLength={limits.maxTypeNameLength}
          required
          autoFocus
        />
        <AreaField label="Description" value={description} onValue={setDescription} rows={2} />
        <TextListField
          label="Options"
          itemLabel="Option"
          hint="The possible answers: at least two."
          values={options}
          onValues={setOptions}
          minimum={limits.minOptions}
        />
        {create.isError && <ErrorNote error={create.error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className="primary"
            disabled={create.isPending || name.trim() === '' || filled.length < 2}
          >
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
