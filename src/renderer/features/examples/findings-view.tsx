import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { InputOf, OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { leavesFocus } from '../../commands/key-focus.ts';
import { Figure } from '../../parts/figure.tsx';
import { moveCursor } from '../../parts/grid/cells.ts';
import type { GridColumn } from '../../parts/grid/columns.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import { Busy, EmptyState, ErrorNote, Keys } from '../../parts/notes.tsx';
import { OptionName, toColumnWidth } from '../../parts/option.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Inspector, Place } from '../../parts/panes.tsx';
import { count, number, percent } from '../../parts/text/figures.ts';
import { summariseInput } from '../../parts/text/inputs.ts';
import { isolate, quoteNames } from '../../parts/text/names.ts';
import { notifyFailure } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { ExampleCard, type ViewProps } from './cards/card-view.tsx';
import { CheckingLabels } from './cards/queue-end.tsx';

type Bulk = InputOf<'examples.bulk'>['body'];
type Finding = OutputOf<'data_findings.list'>['items'][number];
type Stats = ViewProps['stats'];

/** Tells findings apart, so that the cursor stays on one when the list is read again. */
function toKey({ kind, field, example_ids }: Finding): string {
  return [kind, field, ...example_ids].join(' ');
}

/** The likelier label of a finding, where it is an option that may be taken. */
function findLikelier(type: DecisionType, { suggested_decision }: Finding): string | null {
  return type.active_version.options.find((option) => option === suggested_decision) ?? null;
}

/**
 * The findings that may be picked all at once: of the suspect labels only the most doubtful, up to how many of them are
 * expected to be wrong, and none where that is not known.
 */
function listPickable(type: DecisionType, found: readonly Finding[], { suspects }: Stats): Finding[] {
  let left = suspects?.expected_wrong ? suspects.expected_wrong - suspects.corrected : 0;
  return found.filter((finding) => {
    if (findLikelier(type, finding) === null) return false;
    if (finding.kind !== 'suspect_label') return true;
    left -= 1;
    return left >= 0;
  });
}

const pageSize = 50;
const maxPageSize = 100;
const maxShownRows = 10;
const computingPollMs = 1_000;

/** The findings page by page, with the chosen one; the cursor belongs to a finding, not to a place in the list. */
function useFindings(type: DecisionType) {
  const [page, setPage] = useState(1);
  const [cursor, setCursor] = useState<string | null>(null);
  const list = useOperation(
    'data_findings.list',
    { params: { decision_type_id: type.id }, query: { page, page_size: pageSize } },
    { keepPrevious: true, refetchMs: (data) => (data?.state === 'computing' ? computingPollMs : false) },
  );
  const items = list.data?.items ?? [];
  const place = Math.max(
    0,
    items.findIndex((item) => toKey(item) === cursor),
  );
  const choose = (finding: Finding | undefined) => finding && setCursor(toKey(finding));
  return {
    list,
    items,
    page,
    place,
    current: items[place],
    choose,
    move: (by: number) => choose(items[moveCursor(place, by, items.length)]),
    turnTo: (next: number) => {
      setPage(next);
      setCursor(null);
    },
  };
}

type Findings = ReturnType<typeof useFindings>;

const toPicks = (found: Iterable<Finding>): ReadonlyMap<string, Finding> =>
  new Map(Array.from(found, (finding) => [toKey(finding), finding]));

/** The findings picked by X, on whatever pages; without any, the chosen one is what the keys act on. */
function usePicked({ items, current, move }: Findings, type: DecisionType, stats: Stats) {
  const { client } = useWorkbench();
  const [picked, setPicked] = useState<ReadonlyMap<string, Finding>>(new Map());
  const put = (found: Iterable<Finding>) => setPicked(toPicks(found));
  const readAll = async () => {
    const found: Finding[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const query = { page, page_size: maxPageSize };
      const answer = await client.call('data_findings.list', { params: { decision_type_id: type.id }, query });
      found.push(...answer.items);
      pages = answer.pages;
    }
    return toPicks(listPickable(type, found, stats));
  };
  return {
    /** Returns those of the picked findings, or the chosen one, that an act applies to. */
    filter: (fits: (finding: Finding) => boolean) =>
      (picked.size > 0 ? [...picked.values()] : current ? [current] : []).filter(fits),
    isPicked: (finding: Finding) => picked.has(toKey(finding)),
    clear: () => put([]),
    toggle: () => {
      if (!current) return;
      const key = toKey(current);
      const others = [...picked.values()].filter((finding) => toKey(finding) !== key);
      put(picked.has(key) ? others : [...others, current]);
      move(1);
    },
    /** Picks those of the page at once and those of the others when they are read, unless a key came before. */
    all: () => {
      const here = toPicks(listPickable(type, items, stats));
      setPicked(here);
      readAll().then((all) => setPicked((now) => (now === here ? all : now)), notifyFailure);
    },
    count: picked.size,
  };
}

/** The acts on the findings: the likelier label for all rows of some, or that theirs is right. */
function useFindingCommands(type: DecisionType, findings: Findings, stats: Stats) {
  const { move } = findings;
  const { undoRow } = useUndo(type.id);
  const { acts, ui } = useWorkbench();
  const picked = usePicked(findings, type, stats);
  const fixable = picked.filter((finding) => findLikelier(type, finding) !== null);
  const doubted = picked.filter(({ kind }) => kind === 'suspect_label' || kind === 'rule_disagreement');
  /** One act over all rows of the findings, so that one undo takes it back. */
  const act = (bodies: readonly (Bulk & { ids: string[] })[], done: string) => {
    if (bodies.length === 0) return;
    const about = bodies.reduce((sum, { ids }) => sum + ids.length, 0);
    if (picked.count === 0) move(1);
    picked.clear();
    acts
      .bulk(type.id, bodies, `${count(about, 'example')} ${done}`, about)
      .then(
        ({ exampleCount, heldOut = 0 }) =>
          ui
            .getState()
            .announce(
              `${done[0]?.toUpperCase()}${done.slice(1)}: ${count(exampleCount, 'example')}${toHeldOut(heldOut)}`,
            ),
        notifyFailure,
      );
  };
  const takeLikelier = () => {
    const labels = new Map<string, string | null>();
    // Of two findings about one example the worse one, which comes first, decides.
    for (const finding of fixable.toReversed())
      for (const id of finding.example_ids) labels.set(id, findLikelier(type, finding));
    const byLabel = Map.groupBy(labels.keys(), (id) => labels.get(id) ?? null);
    const bodies = [...byLabel].map(([decision, ids]) => ({ ids, action: 'set_decision' as const, decision }));
    const [only, other] = byLabel.keys();
    act(bodies, other === undefined && only ? `labelled ${isolate(only)}` : 'relabelled');
  };
  const isDoubt = fixable.every(({ kind }) => kind === 'suspect_label');
  const takeTitle = fixable.length > 0 && isDoubt ? "Use the model's label" : 'Use the likelier label';
  const keep = () => {
    const ids = [...new Set(doubted.flatMap(({ example_ids }) => example_ids))];
    act(ids.length === 0 ? [] : [{ ids, action: 'set_reviewed', reviewed: true }], 'reviewed');
  };
  useCommands('Label', [
    { id: 'finding-take', title: takeTitle, keys: 'l', enabled: fixable.length > 0, run: takeLikelier },
    { id: 'finding-keep', title: 'The label is right', keys: 'v', enabled: doubted.length > 0, run: keep },
  ]);
  const rowActs = { undo: undoRow, choose: { ...picked, allTitle: 'Select all with a likelier label' } };
  return { rowActs, picked, fixCount: fixable.length, takeTitle, takeLikelier };
}

function toColumns(type: DecisionType): GridColumn<Finding>[] {
  const width = toColumnWidth(type.active_version.options);
  return [
    {
      id: 'text',
      header: 'Example',
      width: 180,
      grows: true,
      cell: ({ example, message }) =>
        example ? summariseInput(example.input_payload, type.active_version.readings) : quoteNames(message),
    },
    {
      id: 'label',
      header: 'Label',
      width,
      cell: ({ example }) => example && <OptionName typeId={type.id} option={example.expected_decision} />,
    },
    {
      id: 'likelier',
      header: 'Likelier',
      width,
      cell: ({ suggested_decision: likelier }) =>
        likelier !== null && <OptionName typeId={type.id} option={likelier} />,
    },
    {
      id: 'sure',
      header: 'How sure',
      width: 84,
      numeric: true,
      says: 'How likely models that had not seen the example find that label; for a rule, the share of its rows that agree.',
      cell: ({ probability }) => probability !== null && percent(probability),
    },
    { id: 'kind', header: 'What', width: 130, cell: ({ kind }) => kind.replaceAll('_', ' ') },
    {
      id: 'rows',
      header: 'Rows',
      width: 56,
      numeric: true,
      says: 'Examples that the finding is about.',
      cell: ({ example_count }) => example_count > 0 && number(example_count),
    },
  ];
}

const toHeldOut = (heldOut: number) =>
  heldOut === 0 ? '' : `; ${count(heldOut, 'test row')} still measured by the first label`;

/** Lists what may be wrong with the examples, worst first; the rows of the chosen finding stand beside it. */
export function FindingsView({ type, stats, tools, title, side }: ViewProps) {
  const findings = useFindings(type);
  const { list, items, page, place, current } = findings;
  const { rowActs, picked, fixCount, takeTitle, takeLikelier } = useFindingCommands(type, findings, stats);
  const columns = useMemo(() => toColumns(type), [type]);
  return (
    <Place
      id="examples-findings"
      title={title}
      still
      tools={tools}
      head={
        list.data && (
          <Figure className="muted" says="What may be wrong with the examples, the worst first.">
            {count(list.data.total, 'finding')}
          </Figure>
        )
      }
      side={side}
      beside={current && <FindingRows type={type} finding={current} />}
    >
      <div className="table-view">
        {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
        {(list.isPending || list.data?.state === 'computing') && <Busy>Searching the examples…</Busy>}
        <CheckingLabels typeId={type.id} />
        {list.data?.state === 'ready' && items.length === 0 && (
          <EmptyState title="Nothing was found">
            No contradiction, duplicate, suspect label or other problem is known.
          </EmptyState>
        )}
        {items.length > 0 && (
          <>
            <div className="row bulk">
              <Button disabled={fixCount === 0} onClick={takeLikelier} rightSection={<kbd>L</kbd>} {...leavesFocus}>
                {picked.count > 0 ? `Fix ${count(fixCount, 'finding')}` : takeTitle}
              </Button>
              <span className="muted">
                {stats.by_queue.suspect > 0 && !stats.suspects?.expected_wrong && (
                  <>Labels that models doubt are taken one by one, as nobody knows how many are wrong. </>
                )}
                <kbd>V</kbd> the label is right · <kbd>X</kbd> pick · <Keys keys="Mod+A" /> pick all · <kbd>U</kbd> undo
              </span>
            </div>
            <Grid
              label="Findings"
              columns={columns}
              count={items.length}
              rowAt={(index) => items[index]}
              cursor={place}
              onCursor={(index) => findings.choose(items[index])}
              acts={rowActs}
              isSelected={picked.isPicked}
            />
          </>
        )}
        {list.data && <Pages page={page} pages={list.data.pages} onPage={findings.turnTo} />}
      </div>
    </Place>
  );
}

function FindingRows({ type, finding }: { type: DecisionType; finding: Finding }) {
  const shown = finding.example_ids.slice(0, maxShownRows);
  return (
    <Inspector title="The rows of the finding">
      <p className="part wrap">{quoteNames(finding.message)}</p>
      {shown.map((id) => (
        <FindingRow key={id} type={type} id={id} likelier={findLikelier(type, finding)} />
      ))}
      {finding.example_count > shown.length && (
        <p className="part muted">and {(finding.example_count - shown.length).toLocaleString()} more</p>
      )}
    </Inspector>
  );
}

function FindingRow({ type, id, likelier }: { type: DecisionType; id: string; likelier: string | null }) {
  const { acts, ui } = useWorkbench();
  const example = useOperation('examples.get', { params: { decision_type_id: type.id, example_id: id } });
  if (example.isError) return <ErrorNote error={example.error} />;
  if (!example.data) return <Busy>Loading the example…</Busy>;
  const row = example.data;
  const take = () => {
    if (likelier === null) return;
    const title = `Labelled ${isolate(likelier)}`;
    acts.label(type.id, row, { expected_decision: likelier, reviewed: true }, title);
    ui.getState().announce(title);
  };
  return (
    <div className="part stack tight">
      <ExampleCard type={type} example={row} />
      {likelier !== null && likelier !== row.expected_decision && (
        <Button onClick={take}>Label {isolate(likelier)}</Button>
      )}
    </div>
  );
}
