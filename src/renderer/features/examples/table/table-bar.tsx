import { Button, Modal, MultiSelect } from '@mantine/core';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FieldTest } from '../../../../server/contract/examples/examples.ts';
import type { SeenFields } from '../../../parts/hooks/use-seen-fields.ts';
import { changeQuery } from '../../../state/route.ts';
import { useCommands } from '../../../state/use-commands.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import { describeTest, putTest } from './field-tests.ts';
import { FilterDialog } from './filter-dialog.tsx';
import { ViewsDialog } from './views-dialog.tsx';

type Titled = { id: string; header: string };
type TableBarProps = {
  typeId: string;
  seen: SeenFields;
  tests: readonly FieldTest[];
  columns: { all: readonly Titled[]; shown: readonly Titled[] };
  /** The field whose filter is open, '' for any; null while none is. */
  filtered: string | null;
  onFilter(field: string | null): void;
  onHint(): void;
  /** Shown in its place, so that the rows below stay where they are; the keys of the bar go on acting. */
  instead: ReactNode;
};

/** The filters of the table as chips, its columns and its views. */
export function TableBar({ typeId, seen, tests, columns, filtered, onFilter, onHint, instead }: TableBarProps) {
  const [open, setOpen] = useState<'columns' | 'views' | null>(null);
  const close = () => setOpen(null);
  const filter = () => seen.size > 0 && onFilter('');
  useCommands('Go', [
    { id: 'filter-rows', title: 'Filter the rows', keys: '/', run: filter },
    { id: 'choose-columns', title: 'Choose the columns', run: () => setOpen('columns') },
    { id: 'open-views', title: 'Views of the table', run: () => setOpen('views') },
  ]);
  return (
    <>
      <div className="in-one-line">
        <div className="row foot" role="toolbar" aria-label="Filters, columns and views">
          <Button size="compact-sm" disabled={seen.size === 0} onClick={filter}>
            Filter…
          </Button>
          {tests.map((test) => (
            <Button.Group key={test.field}>
              <Button size="compact-sm" variant="light" onClick={() => onFilter(test.field)}>
                {describeTest(test)}
              </Button>
              <Button
                size="compact-sm"
                variant="light"
                aria-label={`Remove the filter ${describeTest(test)}`}
                onClick={() => changeQuery({ fields: putTest(tests, { field: test.field }), row: '' })}
              >
                <X size={12} aria-hidden="true" />
              </Button>
            </Button.Group>
          ))}
          <Button size="compact-sm" title="Teaches the next training what these rows are." onClick={onHint}>
            Hint…
          </Button>
          <span className="grow" />
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen('columns')}>
            Columns…
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen('views')}>
            Views…
          </Button>
        </div>
        {instead}
      </div>
      {filtered !== null && <FilterDialog seen={seen} tests={tests} field={filtered} onClose={() => onFilter(null)} />}
      {open === 'views' && <ViewsDialog typeId={typeId} onClose={close} />}
      {open === 'columns' && <ColumnsDialog typeId={typeId} columns={columns} onClose={close} />}
    </>
  );
}

type ColumnsDialogProps = Pick<TableBarProps, 'typeId' | 'columns'> & { onClose(): void };

/** Which columns are shown, in the order in which they are chosen. */
function ColumnsDialog({ typeId, columns: { all, shown }, onClose }: ColumnsDialogProps) {
  const { settings } = useWorkbench();
  return (
    <Modal opened title="Columns" onClose={onClose}>
      <div className="stack">
        <MultiSelect
          data-autofocus
          label="Columns, in their order"
          data={all.map(({ id, header }) => ({ value: id, label: header }))}
          value={shown.map(({ id }) => id)}
          onChange={(chosen) => chosen.length > 0 && settings.setTable(typeId, { columns: chosen })}
          searchable
          // Open from the first moment, it must be there before its field can name it.
          comboboxProps={{ shadow: 'md' }}
        />
        <div className="row between">
          <Button onClick={() => settings.setTable(typeId, { columns: [] })}>As at first</Button>
          <Button variant="filled" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Modal>
  );
}
