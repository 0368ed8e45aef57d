import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../../parts/form.tsx';
import { showUnseen } from '../../../parts/text/names.ts';
import { changeQuery, type Query, useQueryPart } from '../../../state/route.ts';
import { useSettings, useWorkbench } from '../../../state/workbench.ts';

/** Parts of the address that are not part of a view. */
const nothingShown: Query = { queue: '', search: '', fields: '', sort: '', row: '', inspect: '' };

/** Queue, search, filters and order of the table, kept under names. */
export function ViewsDialog({ typeId, onClose }: { typeId: string; onClose(): void }) {
  const { settings } = useWorkbench();
  const views = useSettings((state) => state.tables[typeId]?.views) ?? {};
  const { row: _row, inspect: _inspect, ...shown } = useQueryPart();
  const [name, setName] = useState('');
  const save = () => {
    settings.setTable(typeId, { views: { ...views, [name.trim()]: shown } });
    onClose();
  };
  const open = (view: Query) => {
    changeQuery({ ...nothingShown, ...view });
    onClose();
  };
  const remove = (title: string) => {
    const { [title]: _old, ...kept } = views;
    settings.setTable(typeId, { views: kept });
  };
  return (
    <Modal opened title="Views" onClose={onClose}>
      <div className="stack">
        {Object.entries(views).map(([title, view]) => (
          <div key={title} className="row still">
            <Button className="grow" justify="start" onClick={() => open(view)}>
              {showUnseen(title)}
            </Button>
            <Button variant="subtle" aria-label={`Delete the view ${showUnseen(title)}`} onClick={() => remove(title)}>
              Delete
            </Button>
          </div>
        ))}
        <Form className="row still" onSubmit={save}>
          <TextInput
            data-autofocus
            className="grow"
            aria-label="Name of the view"
            placeholder="Name of this view"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button variant="filled" type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </Form>
      </div>
    </Modal>
  );
}
