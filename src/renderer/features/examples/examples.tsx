import { Button, Menu, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { change, useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane } from '../../parts/panes.tsx';
import { notify } from '../../state/notices.tsx';
import { changeQuery, goTo, useQueryPart } from '../../state/route.ts';
import { useWorkbench } from '../../workbench.tsx';
import { AddExample } from './add-example.tsx';
import { CardView } from './card-view.tsx';
import { findTitle } from './queues.ts';
import { TableView } from './table-view.tsx';

type View = 'card' | 'table';

/** The examples of a type: one at a time to label, or in a table to survey. */
export function Examples({ type }: { type: DecisionType }) {
  const query = useQueryPart();
  const params = { decision_type_id: type.id };
  const stats = useOperation('examples.stats', { params });
  const [isAdding, setIsAdding] = useState(false);
  const generation = useGeneration(type);
  const toLabel = stats.data !== undefined && stats.data.unlabelled > 0;
  const view: View = query.view === 'card' || query.view === 'table' ? query.view : toLabel ? 'card' : 'table';
  const queue = query.queue ?? (view === 'card' && toLabel ? 'to-label' : 'all');
  const show = (next: string) => changeQuery({ queue: next, row: '', view });
  useCommands([
    {
      id: 'import',
      title: 'Import a file',
      group: 'Create',
      keys: 'i',
      run: () => goTo({ page: 'type', id: type.id, place: 'import' }),
    },
    { id: 'add-example', title: 'Add an example', group: 'Create', keys: 'n', run: () => setIsAdding(true) },
    {
      id: 'generate-examples',
      title: 'Generate 10 examples',
      group: 'Create',
      enabled: !generation.isRunning,
      run: generation.run,
    },
    { id: 'view-card', title: 'Label one at a time', group: 'Go', keys: 'c', run: () => changeQuery({ view: 'card' }) },
    { id: 'view-table', title: 'Survey in a table', group: 'Go', keys: 't', run: () => changeQuery({ view: 'table' }) },
  ]);
  if (stats.isError && !stats.data) return <ErrorNote error={stats.error} retry={() => void stats.refetch()} />;
  if (!stats.data) return <Busy>Counting examples…</Busy>;
  const tools = (
    <>
      <SearchBox key={type.id} />
      <SegmentedControl
        aria-label="View"
        value={view}
        onChange={(next) => changeQuery({ view: next, queue })}
        data={[
          { value: 'card', label: 'Card' },
          { value: 'table', label: 'Table' },
        ]}
      />
      <Button variant="default" onClick={() => goTo({ page: 'type', id: type.id, place: 'import' })}>
        Import…
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" loading={generation.isRunning}>
            Add…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setIsAdding(true)}>Write an example</Menu.Item>
          <Menu.Item onClick={generation.run}>Generate 10 examples</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
  const shared = {
    type,
    stats: stats.data,
    queue,
    search: query.search ?? '',
    onQueue: show,
    tools,
    title: findTitle(queue),
  };
  return (
    <>
      {stats.data.total === 0 ? (
        <NoExamples type={type} onAdd={() => setIsAdding(true)} generation={generation} />
      ) : view === 'card' ? (
        <CardView key={`${queue} ${shared.search}`} {...shared} />
      ) : (
        <TableView key={`${queue} ${shared.search}`} {...shared} />
      )}
      {isAdding && <AddExample type={type} onClose={() => setIsAdding(false)} />}
    </>
  );
}

/** Asks the teacher for examples; they can be taken back like any other act. */
function useGeneration(type: DecisionType) {
  const workbench = useWorkbench();
  const [isRunning, setIsRunning] = useState(false);
  const run = () => {
    setIsRunning(true);
    change(workbench, 'examples.generate', { params: { decision_type_id: type.id }, body: {} })
      .then(
        (made) => {
          const text = `${made.length} synthetic examples were generated. Review them.`;
          workbench.acts.added(
            type.id,
            made.map(({ id }) => id),
            text,
          );
          notify({ kind: 'info', text, undo: () => void workbench.acts.undo(type.id) });
          changeQuery({ queue: 'synthetic', view: 'table', row: '' });
        },
        (error: unknown) => notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) }),
      )
      .finally(() => setIsRunning(false));
  };
  return { isRunning, run };
}

function SearchBox() {
  const { search = '' } = useQueryPart();
  const [text, setText] = useState(search);
  return (
    <TextInput
      aria-label="Search in the inputs"
      placeholder="Words in the input"
      type="search"
      w={140}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== search && changeQuery({ search: text, row: '' })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') changeQuery({ search: text, row: '' });
      }}
    />
  );
}

function NoExamples({
  type,
  onAdd,
  generation,
}: {
  type: DecisionType;
  onAdd(): void;
  generation: { isRunning: boolean; run(): void };
}) {
  return (
    <Pane title="Examples" level={1}>
      <EmptyState
        title="No examples yet"
        actions={
          <>
            <Button onClick={() => goTo({ page: 'type', id: type.id, place: 'import' })}>Import examples</Button>
            <Button variant="default" onClick={onAdd}>
              Add example
            </Button>
            <Button variant="default" loading={generation.isRunning} onClick={generation.run}>
              Generate 10
            </Button>
          </>
        }
      >
        Examples are inputs with the decision that was right. Drop a spreadsheet here, labelled or not; you can label
        the rest by keyboard. Training needs at least {limits.minExamplesPerOption} for each option.
      </EmptyState>
    </Pane>
  );
}
