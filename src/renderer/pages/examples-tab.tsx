import { useState } from 'react';
import { limits } from '../../engine/limits.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { SelectField, TextField } from '../parts/fields.tsx';
import { Busy, EmptyState, ErrorNote, Facts } from '../parts/layout.tsx';
import { useWorkbench } from '../workbench.tsx';
import { AddExampleDialog } from './add-example-dialog.tsx';
import { ExampleTable } from './example-table.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { Pager } from './types-page.tsx';

type Filter = { show: string; search: string };
const pageSize = 50;
const showChoices = [
  { value: 'all', text: 'All examples' },
  { value: 'unlabelled', text: 'Without a label' },
  { value: 'unreviewed', text: 'Not reviewed' },
  { value: 'synthetic', text: 'Synthetic' },
];

function toQuery({ show, search }: Filter) {
  const option = show.startsWith('option:') ? show.slice('option:'.length) : undefined;
  return {
    ...(show === 'unlabelled' ? { labelled: false } : {}),
    ...(show === 'unreviewed' ? { reviewed: false } : {}),
    ...(show === 'synthetic' ? { source: 'synthetic' as const } : {}),
    ...(option === undefined ? {} : { decision: option }),
    ...(search.trim() === '' ? {} : { search: search.trim() }),
  };
}

/** The examples of a type: import, filter, and label by keyboard. */
export function ExamplesTab({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const [open, setOpen] = useState<'import' | 'add' | null>(null);
  const [filter, setFilter] = useState<Filter>({ show: 'all', search: '' });
  const [page, setPage] = useState(1);
  const stats = useOperation('examples.stats', { params });
  const list = useOperation(
    'examples.list',
    { params, query: { page, page_size: pageSize, ...toQuery(filter) } },
    { keepPrevious: true },
  );
  const { ui } = useWorkbench();
  const generate = useChange('examples.generate');
  const runGenerate = () =>
    generate.mutate(
      { params, body: {} },
      {
        onSuccess: (made) => {
          ui.getState().notify('info', `${made.length} synthetic examples were generated. Review them.`);
          setPart({ show: 'synthetic', search: '' });
        },
      },
    );
  const setPart = (part: Partial<Filter>) => {
    setFilter({ ...filter, ...part });
    setPage(1);
  };
  useCommands([
    { id: 'import', title: 'Import examples', group: 'Create', keys: 'i', run: () => setOpen('import') },
    { id: 'add-example', title: 'Add an example', group: 'Create', keys: 'n', run: () => setOpen('add') },
    {
      id: 'generate-examples',
      title: 'Generate examples',
      group: 'Create',
      enabled: !generate.isPending,
      run: runGenerate,
    },
    {
      id: 'show-unlabelled',
      title: 'Show examples without a label',
      group: 'Go',
      run: () => setPart({ show: 'unlabelled' }),
    },
    {
      id: 'show-all-examples',
      title: 'Show all examples',
      group: 'Go',
      run: () => setPart({ show: 'all', search: '' }),
    },
  ]);
  const buttons = (
    <>
      <button type="button" className="primary" onClick={() => setOpen('import')}>
        Import examples
      </button>
      <button type="button" onClick={() => setOpen('add')}>
        Add example
      </button>
      <button type="button" disabled={generate.isPending} onClick={runGenerate}>
        {generate.isPending ? 'Generating…' : 'Generate 10'}
      </button>
    </>
  );
  const options = type.active_version.options;
  const total = stats.data?.total ?? 0;
  return (
    <div className="stack">
      {stats.isError && <ErrorNote error={stats.error} retry={() => void stats.refetch()} />}
      {generate.isError && <ErrorNote error={generate.error} />}
      {stats.isPending && <Busy>Counting examples…</Busy>}
      {stats.isSuccess && total === 0 && (
        <EmptyState title="No examples yet" actions={buttons}>
          Examples are inputs with the decision that was right. Import a CSV, TSV, JSON or JSONL file, labelled or not;
          you can label the rest here by keyboard. Training needs at least {limits.minExamplesPerOption} for each
          option.
        </EmptyState>
      )}
      {stats.data && total > 0 && (
        <>
          <Facts
            items={[
              { name: 'Examples', value: total.toLocaleString() },
              { name: 'Labelled', value: stats.data.labelled.toLocaleString() },
              { name: 'Without a label', value: stats.data.unlabelled.toLocaleString() },
              { name: 'Reviewed', value: stats.data.reviewed.toLocaleString() },
            ]}
          />
          <div className="row between" style={{ alignItems: 'flex-end' }}>
            <div className="row grow">
              <SelectField
                label="Show"
                value={filter.show}
                onValue={(show) => setPart({ show })}
                choices={[
                  ...showChoices,
                  ...options.map((option) => ({
                    value: `option:${option}`,
                    text: `${option} (${stats.data.by_option[option] ?? 0})`,
                  })),
                ]}
              />
              <TextField
                label="Search"
                type="search"
                value={filter.search}
                onValue={(search) => setPart({ search })}
                placeholder="Words in the input"
              />
            </div>
            <div className="row">{buttons}</div>
          </div>
          {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
          {list.data && list.data.items.length > 0 && <ExampleTable type={type} items={list.data.items} />}
          {list.data && list.data.items.length === 0 && <p className="note">No example fits this filter.</p>}
          {list.data && <Pager page={page} pages={list.data.pages} total={list.data.total} onPage={setPage} />}
        </>
      )}
      {open === 'import' && <ImportDialog type={type} onClose={() => setOpen(null)} />}
      {open === 'add' && <AddExampleDialog type={type} onClose={() => setOpen(null)} />}
    </div>
  );
}
