/** The view of examples one at a time, with a key for each option. */
import { MultiSelect } from '@mantine/core';
import { memo, type ReactNode, useRef } from 'react';
import { useStore } from 'zustand';
import type { Example } from '../../../server/contract/examples/examples.ts';
import type { Suggestion } from '../../../server/contract/examples/labelling.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { Act } from '../../api/journal.ts';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { Figure } from '../../parts/figure.tsx';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { InputView } from '../../parts/input-view.tsx';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { OptionMark, OptionName, OptionSelect, toChoices, useOptionColours } from '../../parts/option.tsx';
import { Pane, PlaceLayout, useNarrow } from '../../parts/panes.tsx';
import { number, percent } from '../../parts/text/figures.ts';
import { findMainText } from '../../parts/text/inputs.ts';
import { isolate, quoteNames, showUnseen } from '../../parts/text/names.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { QueueEnd } from './queue-end.tsx';
import { QueuePane } from './queue-pane.tsx';
import { countQueue, toFilter } from './queues.ts';
import { type Rows, useRows } from './use-rows.ts';
import { useWork, type Work } from './work.ts';

const maxKeyOptions = 9;

export type ViewProps = {
  type: DecisionType;
  stats: OutputOf<'examples.stats'>;
  queue: string;
  search: string;
  title: string;
  tools: ReactNode;
  onQueue(name: string): void;
};

/** What the server says about rows that it gives out. */
export type Advice = {
  suggestionOf(exampleId: string): Suggestion | null;
  /** Returns what Enter answers: the label that a person gave as a correction, else the suggestion. */
  answerOf(example: Example): string | null;
  whyOf(exampleId: string): string | null;
  recent: { right: number; of: number };
  stopHint: string | null;
};

/** The examples of a filter, one at a time. */
export function CardView(props: ViewProps) {
  const rows = useRows(props.type.id, toFilter(props.queue, props.search), true);
  return <CardDesk {...props} rows={rows} />;
}

/** One example at a time: the whole text large, its fields, and the options with their keys. */
export function CardDesk({
  type,
  stats,
  queue,
  search,
  title,
  tools,
  onQueue,
  rows,
  advice,
}: ViewProps & { rows: Rows; advice?: Advice }) {
  const work = useWork(type, rows, { hasEnd: true });
  const isHere = !rows.isLoading && rows.error === null;
  const card = useRef<HTMLElement>(null);
  const narrow = useNarrow();
  const label = useNewest((option: string) => {
    card.current?.focus();
    work.label(option);
  });
  const setReasons = useNewest(work.setReasons);
  const focusCard = useNewest(() => card.current?.focus());
  useLabelCommands(type, work, focusCard, advice);
  useRowsFocus(isHere ? queue : null);
  return (
    <PlaceLayout
      id="examples-card"
      side={<QueuePane type={type} stats={stats} queue={queue} onQueue={onQueue} />}
      main={
        <Pane
          title={title}
          level={1}
          head={work.cursor >= 0 && search === '' && <QueueCount count={countQueue(queue, stats)} />}
          tools={tools}
        >
          {rows.isLoading && <Busy>Loading the queue…</Busy>}
          {rows.error !== null && <ErrorNote error={rows.error} retry={rows.retry} />}
          {isHere && (
            <article ref={card} className="card" tabIndex={-1} aria-label="The example to label" {...takesKeys}>
              {work.current ? (
                <>
                  <ExampleCard type={type} example={work.current} />
                  {advice && <AdviceNote advice={advice} example={work.current} />}
                  <Choices
                    type={type}
                    example={work.current}
                    suggestion={advice?.suggestionOf(work.current.id) ?? null}
                    onLabel={label}
                    onReasons={setReasons}
                    onLeave={focusCard}
                  />
                </>
              ) : rows.count === 0 || work.isAtEnd ? (
                <QueueEnd {...{ queue, stats, onQueue }} isEmpty={rows.count === 0} />
              ) : (
                <Busy>Loading the next examples…</Busy>
              )}
            </article>
          )}
        </Pane>
      }
      inspector={narrow ? undefined : <Beside type={type} />}
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

/** Why this row comes now, what is suggested, and how good the suggestions were. */
function AdviceNote({
  advice: { suggestionOf, answerOf, whyOf, recent, stopHint },
  example,
}: {
  advice: Advice;
  example: Example;
}) {
  const suggestion = suggestionOf(example.id);
  const answer = answerOf(example);
  return (
    <div className="note stack tight">
      <p>
        {quoteNames(whyOf(example.id) ?? '')}
        {answer !== null && (
          <>
            {' '}
            <kbd>Enter</kbd> {answer === suggestion?.decision ? 'takes' : 'confirms'} <bdi>{showUnseen(answer)}</bdi>
            {answer === suggestion?.decision && (
              <>
                {' '}
                (
                <Figure says="How likely the labelling model thinks this option is.">
                  {percent(suggestion.probability)}
                </Figure>
                )
              </>
            )}
            .
          </>
        )}
      </p>
      {recent.of > 0 && (
        <p className="muted">
          {recent.right} of the last {recent.of} suggestions were right.
        </p>
      )}
      {stopHint !== null && <p>{stopHint}</p>}
    </div>
  );
}

/** The keys of labelling, for card and table alike; `focus` puts the focus where the keys act. */
export function useLabelCommands(
  { id, active_version: { options } }: DecisionType,
  work: Work,
  focus: () => void,
  advice?: Advice,
): void {
  const { undoRow } = useUndo(id);
  const act = (run: () => void) => () => {
    focus();
    run();
  };
  const { current } = work;
  useCommands([
    ...options.slice(0, maxKeyOptions).map((option, index) => ({
      id: `label-${index + 1}`,
      title: `Label: ${isolate(option)}`,
      group: 'Label',
      keys: String(index + 1),
      run: act(() => work.label(option)),
    })),
    { id: 'label-clear', title: 'Remove the label', group: 'Label', keys: '0', run: act(() => work.label(null)) },
    { id: 'row-next', title: 'Next example (skip)', group: 'Label', keys: 'j', run: act(() => work.move(1)) },
    { id: 'row-skip', title: 'Skip', group: 'Label', keys: 's', run: act(() => work.move(1)) },
    { id: 'row-down', title: 'Next row', group: 'Label', keys: 'ArrowDown', run: act(() => work.move(1)) },
    { id: 'row-previous', title: 'Previous example', group: 'Label', keys: 'k', run: act(() => work.move(-1)) },
    { id: 'row-up', title: 'Previous row', group: 'Label', keys: 'ArrowUp', run: act(() => work.move(-1)) },
    { id: 'row-flag', title: 'Flag, or not', group: 'Label', keys: 'f', run: act(work.toggleFlag) },
    ...(advice
      ? [
          {
            id: 'take-suggestion',
            title: 'Take the suggestion, or confirm the correction',
            group: 'Label',
            keys: 'Enter',
            run: act(() => work.labelBy(advice.answerOf)),
          },
        ]
      : []),
    {
      id: 'row-review',
      title: 'Reviewed, or not',
      group: 'Label',
      keys: 'v',
      enabled: current !== null,
      run: act(work.toggleReviewed),
    },
    { id: 'undo-label', title: 'Undo', group: 'Label', keys: 'u', run: act(undoRow) },
    {
      id: 'row-delete',
      title: 'Delete the example',
      group: 'Label',
      keys: 'Delete',
      enabled: current !== null,
      run: act(work.remove),
    },
  ]);
}

/** An example whole: its main text large, the other fields below. */
export const ExampleCard = memo(function ExampleCard({ type, example }: { type: DecisionType; example: Example }) {
  const main = findMainText(example.input_payload);
  return (
    <div className="stack">
      <p className="muted small">
        {example.source === 'synthetic' ? 'Made by a teacher' : example.audited ? 'Shown' : 'Added'}{' '}
        <Moment iso={example.created_at} />
        {example.reviewed ? ' · reviewed' : ''}
        {example.status === 'flagged' ? ' · flagged' : ''} ·{' '}
        <OptionName typeId={type.id} option={example.expected_decision} />
      </p>
      {main && <p className="main-text">{showUnseen(main.value)}</p>}
      <InputView input={example.input_payload} without={main?.path} />
    </div>
  );
});

/** The options as buttons with their keys, a search over all of them, and the reason codes. */
const Choices = memo(function Choices({
  type,
  example,
  suggestion,
  onLabel,
  onReasons,
  onLeave,
}: {
  type: DecisionType;
  example: Example;
  suggestion: Suggestion | null;
  /** Labels the example and puts the focus back where the keys act. */
  onLabel(option: string): void;
  onReasons(codes: string[]): void;
  /** Escape leaves the reasons. */
  onLeave(): void;
}) {
  const { options, reason_codes } = type.active_version;
  const colourOf = useOptionColours(type.id);
  return (
    <div className="stack">
      <div className="choices">
        {options.slice(0, maxKeyOptions).map((option, index) => (
          <button
            key={option}
            type="button"
            className="choice"
            aria-pressed={example.expected_decision === option}
            style={{ '--colour': colourOf(option) } as React.CSSProperties}
            onClick={() => onLabel(option)}
          >
            <kbd>{index + 1}</kbd>
            <OptionMark typeId={type.id} option={option} />
            <span className="clip" title={showUnseen(option)}>
              {showUnseen(option)}
            </span>
            {suggestion?.decision === option && (
              <span className="muted number" title="How likely the labelling model thinks this option is.">
                {percent(suggestion.probability)}
              </span>
            )}
          </button>
        ))}
      </div>
      {options.length > maxKeyOptions && (
        <OptionSelect
          label={`All ${options.length} options`}
          options={options}
          value={example.expected_decision}
          onValue={(option) => option !== null && onLabel(option)}
        />
      )}
      <p className="muted">
        <kbd>S</kbd> skip · <kbd>F</kbd> flag · <kbd>U</kbd> undo · <kbd>0</kbd> no label · <kbd>V</kbd> reviewed ·{' '}
        <kbd>Del</kbd> delete · <kbd>?</kbd> all keys
      </p>
      <Reasons known={reason_codes} chosen={example.reason_codes} onReasons={onReasons} onLeave={onLeave} />
    </div>
  );
});

type ReasonsProps = {
  /** The reason codes of the type. */
  known: readonly string[];
  chosen: string[];
  onReasons(codes: string[]): void;
  onLeave(): void;
};

/** The reason codes of an example, where its type has any, with the key that leads to them. */
function Reasons({ known, chosen, onReasons, onLeave }: ReasonsProps) {
  const field = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: 'row-reasons',
      title: 'Choose the reasons',
      group: 'Label',
      keys: 'r',
      enabled: known.length > 0,
      run: () => field.current?.focus(),
    },
  ]);
  if (known.length === 0) return null;
  return (
    <MultiSelect
      ref={field}
      label={
        <>
          Reasons <kbd>R</kbd>
        </>
      }
      placeholder={chosen.length === 0 ? 'None' : ''}
      data={toChoices([...new Set([...known, ...chosen])])}
      value={chosen}
      onChange={onReasons}
      onKeyDown={({ key }) => key === 'Escape' && onLeave()}
      searchable
      size="xs"
    />
  );
}

const maxAnswers = 12;

/** What helps with the next label: the guideline, and the last answers. */
const Beside = memo(function Beside({ type }: { type: DecisionType }) {
  const { acts } = useWorkbench();
  const done = useStore(acts.store, (state) => state.done);
  const last = done
    .filter(({ typeId }) => typeId === type.id)
    .slice(-maxAnswers)
    .reverse();
  return (
    <Pane title="Help and history">
      <Part title="Guideline">
        <p className={type.description === '' ? 'muted' : 'lines'}>
          {type.description === ''
            ? 'The description under Define is shown here as a guideline.'
            : showUnseen(type.description)}
        </p>
      </Part>
      <Part title="Last answers">
        {last.length === 0 && <p className="muted">Everything you do here can be undone with U, without limit.</p>}
        <ul className="stack tight">
          {last.map((act) => (
            <Answer key={act.key} act={act} />
          ))}
        </ul>
      </Part>
    </Pane>
  );
});

/** One act of the last ones: each label adds one and leaves the others as they are drawn. */
const Answer = memo(function Answer({ act: { typeId, title, at, step } }: { act: Act }) {
  return (
    <li className="row between">
      {step.kind === 'label' && step.after.expected_decision != null ? (
        <OptionName typeId={typeId} option={step.after.expected_decision} />
      ) : (
        <span className="clip" title={title}>
          {title}
        </span>
      )}
      <span className="muted">
        <Moment iso={new Date(at).toISOString()} />
      </span>
    </li>
  );
});
