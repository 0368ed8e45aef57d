import './examples.css';
import { ActionIcon, Button, Menu, SegmentedControl, TextInput } from '@mantine/core';
import { Download, Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { queueKey } from '../../api/labels.ts';
import { leavesFocus } from '../../commands/key-focus.ts';
import { whenComposed } from '../../commands/keys.ts';
import { useRestedCall } from '../../parts/hooks/use-rested.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane, useNarrow } from '../../parts/panes.tsx';
import { notifyFailure } from '../../state/notices.tsx';
import { useChange, useOperation } from '../../state/queries.ts';
import { changeQuery, goTo, type Query, useQueryPart } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { QueueMenu, QueuePane } from './queue-pane.tsx';
import { chooseQueue, type ExampleFilter, findTitle, toFilter, type View } from './rows/queues.ts';
import { readTests } from './table/field-tests.ts';

// Each comes when it is first opened: the rest of the page does not wait for it.
const AddExample = lazy(async () => ({ default: (await import('./add-example.tsx')).AddExample }));
const TeacherDialog = lazy(async () => ({ default: (await import('./teacher-dialog.tsx')).TeacherDialog }));
const HintDialog = lazy(async () => ({ default: (await import('./table/hint-dialog.tsx')).HintDialog }));
const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }));
const loadCard = () => import('./cards/card-view.tsx');
const CardView = lazy(async () => ({ default: (await loadCard()).CardView }));
const TableView = lazy(async () => ({ default: (await import('./table-view.tsx')).TableView }));
const FindingsView = lazy(async () => ({ default: (await import('./findings-view.tsx')).FindingsView }));
const GivenCards = lazy(async () => ({ default: (await loadCard()).GivenCards }));

const searchDelayMs = 300;

/** A filter, or null where it finds all examples. */
const toShown = (filter: ExampleFilter) => (Object.keys(filter).length === 0 ? null : filter);

/** The examples of a type: one at a time to label, or in a table to survey. */
export function Examples({ type }: { type: DecisionType }) {
  const query = useQueryPart();
  const { queries } = useWorkbench();
  const params = { decision_type_id: type.id };
  const stats = useOperation('examples.stats', { params });
  const narrow = useNarrow();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const generation = useGeneration(type);
  useEffect(() => {
    // While the examples are counted: most who come here label.
    void loadCard().catch(() => undefined);
  }, []);
  const { view, queue, isGiven, isPlain, isNamed } = chooseQueue(query, stats.data);
  const isUnnamed = (stats.data?.total ?? 0) > 0 && !isNamed;
  useEffect(() => {
    // The work that is left chooses once: the last label of a queue does not open another one under the hands.
    if (isUnnamed) changeQuery({ queue, view }, { replace: true });
  }, [isUnnamed, queue, view]);
  const [opening, setOpening] = useState(0);
  const show = (next: string) => {
    if (next !== queue) return changeQuery({ queue: next, row: '', view });
    // When opened again, a queue begins with the rows left in it.
    queries.removeQueries({ queryKey: [queueKey, type.id] });
    changeQuery({ row: '' }, { replace: true });
    setOpening(opening + 1);
  };
  // Rows that are given out, and findings, have no table: it shows all examples.
  const showAs = (next: string) => changeQuery({ view: next, queue: isPlain ? queue : 'all' });
  useExampleCommands(type, { generation, show, showAs, open: setDialog });
  if (stats.isError && !stats.data) return <ErrorNote error={stats.error} retry={() => void stats.refetch()} />;
  if (!stats.data) return <Busy>Counting examples…</Busy>;
  const choice = { type, stats: stats.data, queue, onQueue: show };
  const tools = (
    <Tools
      type={type}
      queues={narrow && <QueueMenu {...choice} />}
      view={queue === 'findings' ? '' : view}
      generation={generation}
      canSearch={isPlain}
      onView={showAs}
      onAdd={() => setDialog('add')}
      onTeacher={() => setDialog('teacher')}
      onExport={() => setDialog('export')}
    />
  );
  const shared = {
    ...choice,
    search: query.search ?? '',
    tools,
    side: narrow ? undefined : <QueuePane {...choice} />,
    title: findTitle(queue),
    onHint: () => setDialog('hint'),
  };
  return (
    <>
      {stats.data.total === 0 && queue !== 'audit' ? (
        <NoExamples type={type} onAdd={() => setDialog('add')} generation={generation} />
      ) : queue === 'findings' ? (
        <FindingsView {...shared} />
      ) : isGiven ? (
        <GivenCards key={`${queue} ${opening}`} {...shared} />
      ) : view === 'card' ? (
        <CardView key={`${queue} ${opening}`} {...shared} />
      ) : (
        <TableView key={queue} {...shared} />
      )}
      <Suspense>
        {dialog && (
          <OpenDialog
            {...{ dialog, type, isPlain, query }}
            stats={stats.data}
            filter={toFilter(queue, shared.search, query.fields)}
            onClose={() => setDialog(null)}
          />
        )}
      </Suspense>
    </>
  );
}

type Dialog = 'add' | 'teacher' | 'hint' | 'export';
type DialogProps = {
  dialog: Dialog;
  type: DecisionType;
  stats: { total: number; unlabelled: number };
  query: Query;
  filter: ExampleFilter;
  /** Whether the queue is one that can be searched. */
  isPlain: boolean;
  onClose(): void;
};

function OpenDialog({ dialog, type, stats, query, filter, isPlain, onClose }: DialogProps) {
  const shared = { type, onClose };
  if (dialog === 'add') return <AddExample {...shared} />;
  if (dialog === 'teacher') return <TeacherDialog {...shared} unlabelled={stats.unlabelled} />;
  if (dialog === 'hint') {
    const fields = isPlain ? query['fields'] : '';
    const search = isPlain ? (query['search'] ?? '') : '';
    return <HintDialog {...shared} search={search} tests={readTests(fields)} filter={fields ? { fields } : {}} />;
  }
  return <ExportDialog {...shared} total={stats.total} filter={isPlain ? toShown(filter) : null} />;
}

type CommandProps = {
  generation: ReturnType<typeof useGeneration>;
  show(queue: string): void;
  showAs(view: string): void;
  open(dialog: Dialog): void;
};

function useExampleCommands(type: DecisionType, { generation, show, showAs, open }: CommandProps): void {
  useCommands('Create', [
    { id: 'import', title: 'Import a file', run: () => goTo({ page: 'type', id: type.id, place: 'import' }) },
    { id: 'add-example', title: 'Add an example', run: () => open('add') },
    { id: 'generate-examples', title: 'Generate 10 examples', enabled: !generation.isRunning, run: generation.run },
    { id: 'view-card', title: 'Label one at a time', group: 'Go', run: () => showAs('card') },
    { id: 'view-table', title: 'Browse in a table', group: 'Go', run: () => showAs('table') },
    { id: 'make-hint', title: 'Make a hint', keys: 'h', run: () => open('hint') },
    { id: 'label-random', title: 'Label random rows only', group: 'Go', keys: 'd', run: () => show('random') },
    { id: 'export-examples', title: 'Export examples', group: 'Files', run: () => open('export') },
  ]);
}

type ToolsProps = {
  type: DecisionType;
  /** The choice of a queue, where it has no pane. */
  queues: ReactNode;
  /** Empty where neither is shown. */
  view: View | '';
  canSearch: boolean;
  generation: ReturnType<typeof useGeneration>;
  onView(view: string): void;
  onAdd(): void;
  onTeacher(): void;
  onExport(): void;
};

function Tools({ type, queues, view, canSearch, generation, onView, onAdd, onTeacher, onExport }: ToolsProps) {
  return (
    <>
      {queues}
      {canSearch && <SearchBox key={type.id} />}
      <SegmentedControl
        aria-label="View"
        value={view}
        onChange={onView}
        data={[
          { value: 'card', label: 'Card' },
          { value: 'table', label: 'Table' },
        ]}
      />
      <ActionIcon
        variant="default"
        title="Import…"
        onClick={() => goTo({ page: 'type', id: type.id, place: 'import' })}
      >
        <Upload size={16} />
      </ActionIcon>
      <ActionIcon variant="default" title="Export…" onClick={onExport}>
        <Download size={16} />
      </ActionIcon>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button loading={generation.isRunning} {...leavesFocus}>
            Add…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onAdd}>Write an example</Menu.Item>
          <Menu.Item onClick={generation.run}>Generate 10 examples</Menu.Item>
          <Menu.Item onClick={onTeacher}>Label 200 with a connected model…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Asks the teacher for examples; they can be taken back like any other act. */
function useGeneration(type: DecisionType) {
  const { noteAdded } = useUndo(type.id);
  const generate = useChange('examples.generate');
  const run = () =>
    generate.mutate(
      { params: { decision_type_id: type.id }, body: {} },
      {
        onSuccess: (made) => {
          noteAdded(made, `${made.length} synthetic examples were generated. Review them.`);
          changeQuery({ queue: 'synthetic', view: 'table', row: '' });
        },
        onError: notifyFailure,
      },
    );
  return { isRunning: generate.isPending, run };
}

function SearchBox() {
  const { search = '' } = useQueryPart();
  const [text, setText] = useState(search);
  /** The words last written into the address: they do not change what is typed meanwhile. */
  const written = useRef(search);
  useEffect(() => {
    if (search !== written.current) setText(search);
    written.current = search;
  }, [search]);
  const seek = useRestedCall((words: string) => {
    written.current = words;
    changeQuery({ search: words, row: '' }, { replace: true });
  }, searchDelayMs);
  const type = (words: string) => {
    setText(words);
    seek(words);
  };
  return (
    <TextInput
      aria-label="Search in the inputs"
      placeholder="Words in the input"
      type="search"
      w={140}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      // Keys act on the rows again.
      onKeyDown={whenComposed((event) => event.key === 'Enter' && event.currentTarget.blur())}
    />
  );
}

type NoExamplesProps = { type: DecisionType; onAdd(): void; generation: { isRunning: boolean; run(): void } };

function NoExamples({ type, onAdd, generation }: NoExamplesProps) {
  return (
    <Pane title="Examples" level={1}>
      <EmptyState
        title="No examples yet"
        actions={
          <>
            <Button variant="filled" onClick={() => goTo({ page: 'type', id: type.id, place: 'import' })}>
              Import examples
            </Button>
            <Button onClick={onAdd}>Add example</Button>
            <Button loading={generation.isRunning} onClick={generation.run}>
              Generate 10
            </Button>
          </>
        }
      >
        Examples are inputs with the decision that was right. Drop a spreadsheet here, labelled or not; you can label
        the rest by keyboard. Training needs {limits.minExamples} in all.
      </EmptyState>
    </Pane>
  );
}
