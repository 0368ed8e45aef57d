/** The view of examples one at a time, with a key for each option. */
import { Button } from '@mantine/core';
import { memo, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { isConversation } from '../../../../engine/features/conversation.ts';
import type { Explanation } from '../../../../server/contract/deciding/decisions.ts';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { OutputOf } from '../../../../server/contract/operations.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { takesKeys, useRowsFocus } from '../../../commands/key-focus.ts';
import { useWhy } from '../../../parts/explained/why.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { maxKeyOptions, type RowActs, useRowCommands } from '../../../parts/grid/use-row-commands.ts';
import { useNewest } from '../../../parts/hooks/use-newest.ts';
import { useTraining } from '../../../parts/hooks/use-training.ts';
import { findTurns, InputView } from '../../../parts/input-view.tsx';
import { Busy, ErrorNote, Keys, Moment } from '../../../parts/notes.tsx';
import { OptionName } from '../../../parts/option.tsx';
import { Pane, Place, useNarrow, useWide } from '../../../parts/panes.tsx';
import { count, number } from '../../../parts/text/figures.ts';
import { findHeadline, findMainText, flattenInput, valueText } from '../../../parts/text/inputs.ts';
import { MarkedText } from '../../../parts/text/marked-text.tsx';
import { quoteNames } from '../../../parts/text/names.ts';
import { useOperation } from '../../../state/queries.ts';
import { useCommands } from '../../../state/use-commands.ts';
import { useUndo } from '../../../state/use-undo.ts';
import { countQueue, describeSuspects, findGivenQueue, toFilter } from '../rows/queues.ts';
import { type Rows, useRows } from '../rows/use-rows.ts';
import { useLabelsHere, useWork, type Work } from '../rows/work.ts';
import { type Given, useAdvice } from './advice.ts';
import { Guideline, LastAnswers, RowHelp } from './beside.tsx';
import { Choices, useShownOptions } from './choices.tsx';
import { NearCopies } from './near-copies.tsx';
import { Agreement, QueueEnd } from './queue-end.tsx';
import { LabelHistory, ReasonField } from './second-reading.tsx';
import { useGivenRows } from './use-given-rows.ts';

export type ViewProps = {
  type: DecisionType;
  stats: OutputOf<'examples.stats'>;
  queue: string;
  search: string;
  title: string;
  tools: ReactNode;
  /** The queues, where there is room for them. */
  side: ReactNode;
  onQueue(name: string): void;
  /** Opens the dialog that makes a hint. */
  onHint(): void;
};

/** Rows by which the field is chosen that is shown large. */
const maxSurveyed = 60;

/** The examples of a filter, one at a time. */
export function CardView(props: ViewProps) {
  const rows = useRows(props.type.id, toFilter(props.queue, props.search), true);
  return <CardDesk {...props} rows={rows} />;
}

/** The examples that the server gives out to this window, one at a time, with what it says about each. */
export function GivenCards(props: ViewProps) {
  const { rows, given } = useGivenRows(props.type.id, findGivenQueue(props.queue) ?? 'to_label');
  return <CardDesk {...props} rows={rows} given={given} />;
}

/** Brings together what a card works with: its rows, what is said about the one at the cursor, and the acts on it. */
function useDesk({ type, rows, queue, given }: DeskProps) {
  const card = useRef<HTMLElement>(null);
  const reason = useRef({ exampleId: '', text: '' });
  const work = useWork(
    type,
    rows,
    { hasEnd: true },
    { isSecond: queue === 'second-reading', readNote: () => (given?.isBlind ? reason.current.text : '') },
  );
  const onReason = useNewest((text: string) => {
    reason.current = { exampleId: work.current?.id ?? '', text };
  });
  if (reason.current.exampleId !== work.current?.id) reason.current = { exampleId: work.current?.id ?? '', text: '' };
  const advice = useAdvice(type.id, rows, work.cursor, given);
  const suggestion = work.current && advice.suggestionOf(work.current.id);
  const { find, ...options } = useShownOptions(type.active_version.options, work.current?.id, suggestion?.likely);
  const focus = useNewest(() => card.current?.focus());
  const acts = {
    onFind: useNewest(find),
    onLabel: useNewest((option: string) => {
      focus();
      find('');
      work.label(option);
    }),
    onReasons: useNewest(work.setReasons),
    onLeave: focus,
  };
  const rowActs = useLabelCommands(type, work, focus, options.shown);
  const move = (by: number) => {
    focus();
    work.move(by);
  };
  useRowCommands({ ...rowActs, move });
  const takeSuggestion = () => {
    focus();
    work.labelBy(advice.answerOf);
  };
  useCommands('Label', [
    {
      id: 'take-suggestion',
      title: 'Take the suggestion, or confirm the correction',
      keys: 'Enter',
      run: takeSuggestion,
    },
  ]);
  return { card, work, advice, suggestion, options, acts, onReason };
}

type DeskProps = ViewProps & { rows: Rows; given?: Given };

/** One example at a time: the whole text large, its fields, and the options with their keys. */
function CardDesk(props: DeskProps) {
  const { type, stats, queue, search, title, tools, side, rows } = props;
  const desk = useDesk(props);
  const { current, cursor } = desk.work;
  const narrow = useNarrow();
  const wide = useWide();
  const isHere = !rows.isLoading && rows.error === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a text is read from its beginning, however far the last one was
  useLayoutEffect(() => {
    desk.card.current?.scrollIntoView({ block: 'start' });
  }, [current?.id]);
  useRowsFocus(isHere ? queue : null);
  const why = useWhy(type, 'examples');
  // Who judges blind sees nothing that speaks for an answer.
  const isBlind = props.given?.isBlind || (current?.audited === true && current.expected_decision === null);
  const help = current && !isBlind && <RowHelp type={type} example={current} labelled={stats.labelled} why={why} />;
  const history = current && queue !== 'second-reading' && !(current.audited && isBlind) && (
    <LabelHistory type={type} exampleId={current.id} />
  );
  return (
    <Place
      id="examples-card"
      title={title}
      head={
        cursor >= 0 &&
        search === '' && (
          <>
            <QueueCount count={countQueue(queue, stats)} />
            {queue === 'suspect' && <ChangedSuspects suspects={stats.suspects} />}
          </>
        )
      }
      tools={tools}
      side={side}
      inspector={
        narrow ? undefined : (
          <Pane title="Help and history">
            <div className="side-by-side">
              <div>
                {help}
                {history}
              </div>
              <div>
                <Guideline text={type.description} />
                <LastAnswers type={type} rows={rows} />
              </div>
            </div>
          </Pane>
        )
      }
      inspectorShare={wide ? 40 : 28}
    >
      {rows.isLoading && <Busy>Loading the queue…</Busy>}
      {rows.error !== null && <ErrorNote error={rows.error} retry={rows.retry} />}
      {isHere && (
        <article ref={desk.card} className="card" tabIndex={-1} aria-label="The example to label" {...takesKeys}>
          <CardContent {...props} desk={desk} isExplained={why.isAsked && !isBlind} />
          {narrow && help}
          {narrow && history}
        </article>
      )}
    </Place>
  );
}

function CardContent({
  desk: { work, advice, suggestion, options, acts, onReason },
  isExplained,
  ...view
}: DeskProps & { desk: ReturnType<typeof useDesk>; isExplained: boolean }) {
  const { type, rows, given } = view;
  const headline = useHeadline(rows, type.pii_fields);
  const labels = useLabelsHere(type.id);
  const { current } = work;
  if (current) {
    return (
      <>
        {given && <GivenNote type={type} given={given} example={current} />}
        <WordsCard type={type} headline={headline} isExplained={isExplained} example={current} />
        <div className="answers stack">
          <Choices
            type={type}
            suggestion={suggestion}
            answer={advice.answerOf(current)}
            {...options}
            {...acts}
            example={current}
            onHint={view.onHint}
          />
          {given?.isBlind && (
            <ReasonField
              key={current.id}
              label={view.queue === 'conflicts' ? 'Reason, kept with your label' : 'Note, kept with your label'}
              onReason={onReason}
              onLeave={acts.onLeave}
            />
          )}
          <Agreement labels={labels} advice={advice} />
          {!given?.isBlind && <NearCopies type={type} />}
        </div>
      </>
    );
  }
  if (rows.count > 0 && !work.isAtEnd) return <Busy>Loading the next examples…</Busy>;
  return <QueueEnd {...view} labels={labels} advice={advice} isEmpty={rows.count === 0} />;
}

/** The field that is shown large in all rows of a list, by the first ones that are here. */
function useHeadline(rows: Rows, personal: readonly string[]): string | null | undefined {
  const first = rows.at(0)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it stays the same while the list grows
  return useMemo(
    () =>
      findHeadline(
        Array.from({ length: Math.min(rows.count, maxSurveyed) }, (_, at) => rows.at(at)?.input_payload ?? []).flat(),
        personal,
      ),
    [first],
  );
}

type WordsCardProps = {
  type: DecisionType;
  example: Example;
  headline: string | null | undefined;
  isExplained: boolean;
};

/** The row at the cursor, with the words marked that weighed in what was explained of it. */
function WordsCard({ type, example, headline, isExplained }: WordsCardProps) {
  const params = { decision_type_id: type.id, example_id: example.id };
  // The help beside asks for it.
  const { data } = useOperation('examples.explain', { params }, { enabled: false });
  const { data: spread } = useOperation(
    'examples.numbers',
    { params: { decision_type_id: type.id } },
    { staleMs: 60_000 },
  );
  return (
    <ExampleCard
      type={type}
      example={example}
      headline={headline}
      words={isExplained ? data?.words : undefined}
      numbers={spread?.items}
    />
  );
}

/**
 * Says what is left in the queue. The place of the row is not said: rows that are done keep theirs and count no more.
 */
function QueueCount({ count }: { count: number | null }) {
  if (count === null) return null;
  return (
    <Figure className="muted" says="Examples in this queue; one that you label may leave it.">
      {number(count)} in this queue
    </Figure>
  );
}

/** How many suspect labels were changed, of those that are expected to be wrong: a line at which to stop. */
function ChangedSuspects({ suspects }: Pick<OutputOf<'examples.stats'>, 'suspects'>) {
  const says = describeSuspects(suspects);
  if (suspects === null || says === null) return null;
  const expected = suspects.expected_wrong ?? 0;
  return (
    <Figure className="muted" says={says}>
      {number(suspects.corrected)} changed, at most about {number(expected)} are wrong
      {suspects.corrected >= expected && ': those left are probably right'}
    </Figure>
  );
}

/** Why this row comes now, and how far the labels are. */
function GivenNote({ type, given, example }: { type: DecisionType; given: Given; example: Example }) {
  const { whyOf, progress, forecast } = given;
  const training = useTraining(type);
  const hinted = training.readiness.data?.hinted ?? 0;
  useCommands('Label', [
    {
      id: 'train-now',
      title: 'Train with the labels so far',
      keys: 't',
      enabled: training.isPossible,
      run: training.begin,
    },
  ]);
  return (
    <div className="note stack tight">
      <p>{quoteNames(whyOf(example.id) ?? '')}</p>
      {progress && <LabelProgress {...progress} hinted={hinted} />}
      {progress && forecast && <p>{forecast}</p>}
      {progress && training.isPossible && (
        <Button
          size="compact-xs"
          title={training.settings.auto_deploy ? 'It decides once it is trained.' : 'It waits for you under Deploy.'}
          onClick={training.begin}
        >
          Train now <Keys keys="T" />
        </Button>
      )}
      {training.error && <ErrorNote error={training.error} />}
    </div>
  );
}

/** Random rows from which an accuracy is said, and from which an error can be promised. */
const drawnAims = [20, 60];

function LabelProgress({ labels, drawn, hinted }: NonNullable<Given['progress']> & { hinted: number }) {
  const aim = drawnAims.find((each) => drawn < each);
  const aimed = aim === drawnAims[0] ? 'measure accuracy' : 'a promise needs';
  const measured =
    aim === undefined
      ? `accuracy measured on ${count(drawn, 'random row')}`
      : `${number(drawn)} of the ${aim} random rows that ${aimed}`;
  return (
    <Figure className="muted small row" says="Figures come from rows drawn at random.">
      <progress max={aim ?? 1} value={aim === undefined ? 1 : drawn} aria-label="Random rows with a label" />
      <span>
        {count(labels, 'label')}, {measured}.{hinted > 0 && ` Hints teach ${count(hinted, 'row')} more.`}
      </span>
    </Figure>
  );
}

/** The keys that change a row, in card and table; `focus` goes to where they act, `shown` are the options at 1 to 9. */
export function useLabelCommands(
  { id, active_version: { options } }: DecisionType,
  work: Work,
  focus: () => void,
  shown: readonly string[] = options,
): RowActs {
  const { undoRow } = useUndo(id);
  const act = (run: () => void) => () => {
    focus();
    run();
  };
  const enabled = work.current !== null;
  const isSorted = options.length > maxKeyOptions;
  useCommands('Label', [
    { id: 'label-clear', title: 'Remove the label', keys: '0', run: act(() => work.label(null)) },
    { id: 'row-skip', title: 'Skip', keys: 's', run: act(() => work.move(1)) },
    { id: 'row-flag', title: 'Flag, or not', keys: 'f', run: act(work.toggleFlag) },
    { id: 'row-review', title: 'Reviewed, or not', keys: 'v', enabled, run: act(work.toggleReviewed) },
    { id: 'row-must', title: 'Pinned, or not', keys: 'p', enabled, run: act(work.toggleMust) },
    { id: 'row-delete', title: 'Delete the example', keys: 'Delete', enabled, run: act(work.remove) },
  ]);
  return {
    undo: act(undoRow),
    label: {
      options: shown,
      // A title that changed with each row would draw the list of commands again under every key.
      ...(isSorted && { toTitle: (_, at) => `Label: option ${at + 1} of those shown` }),
      // A key that comes before the next row is drawn with its own options means none of them.
      give: (option) => act(() => (isSorted && !work.isShown() ? undefined : work.label(option)))(),
    },
  };
}

const noWords: Explanation['words'] = [];
type Numbers = OutputOf<'examples.numbers'>['items'];
const noNumbers: Numbers = [];

/** Says where a number stands among those of the examples; null for one that is not above a hundredth of them. */
function describePlace(numbers: Numbers, path: string, value: unknown): string | null {
  const cuts = numbers.find(({ field }) => field === path)?.cuts ?? [];
  const share = typeof value === 'number' ? cuts.filter((cut) => cut < value).length - 1 : 0;
  return share <= 0 ? null : `higher than ${share}%`;
}

function findShown(input: Example['input_payload'], headline: string | null | undefined) {
  if (headline === null) return null;
  const { path, value } = flattenInput(input).find((field) => field.path === headline) ?? {};
  if (path !== undefined && isConversation(value)) return { path, value: valueText(value) };
  return path !== undefined && typeof value === 'string' ? { path, value } : findMainText(input);
}

/** An example whole: its main text large, the other fields below. */
export const ExampleCard = memo(function ExampleCard({
  type,
  example,
  headline,
  words = noWords,
  numbers = noNumbers,
}: {
  type: DecisionType;
  example: Example;
  /** The field that is shown large; null for none. Left out: the longest text of the row. */
  headline?: string | null | undefined;
  words?: Explanation['words'] | undefined;
  /** How the numbers of the inputs are spread. */
  numbers?: Numbers | undefined;
}) {
  const main = findShown(example.input_payload, headline);
  const wordsOfMain = words.filter(({ field }) => field === main?.path);
  return (
    <div className="stack">
      <p className="muted small">
        {example.source === 'synthetic' ? 'Made by a teacher' : example.audited ? 'Shown' : 'Added'}{' '}
        <Moment iso={example.created_at} />
        {example.reviewed ? ' · reviewed' : ''}
        {example.must ? ' · pinned' : ''}
        {example.status === 'flagged' ? ' · flagged' : ''} ·{' '}
        <OptionName typeId={type.id} option={example.expected_decision} />
      </p>
      {main &&
        (findTurns(example.input_payload, main.path, wordsOfMain) ?? (
          <p className="main-text">
            <MarkedText text={main.value} words={wordsOfMain} />
          </p>
        ))}
      <InputView
        input={example.input_payload}
        without={main?.path}
        note={(path, value) => describePlace(numbers, path, value)}
        readings={type.active_version.readings}
      />
    </div>
  );
});
