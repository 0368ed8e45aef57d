/** The pane beside the card: the reasons for a suggestion, the guideline, and the last answers. */
import { memo, useEffect } from 'react';
import { useStore } from 'zustand';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import type { Act } from '../../../api/journal.ts';
import { useExplanation, useRested, type useWhy, Why } from '../../../parts/explained/why.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { Moment, Part } from '../../../parts/notes.tsx';
import { OptionName } from '../../../parts/option.tsx';
import { useWide } from '../../../parts/panes.tsx';
import { percent } from '../../../parts/text/figures.ts';
import { shorten, summariseInput } from '../../../parts/text/inputs.ts';
import { Markdown } from '../../../parts/text/markdown.tsx';
import { useOperation } from '../../../state/queries.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import type { Rows } from '../rows/use-rows.ts';

const maxAnswers = 12;
const maxSummary = 140;
const keptMs = 60_000;
const againMs = 1_000;

/** More of them fit a column of their own. */
const nearestCount = { wide: 8, other: 3 };

type RowHelpProps = {
  type: DecisionType;
  example: Example;
  /** Examples with a label. */
  labelled: number;
  why: ReturnType<typeof useWhy>;
};

/** Shows what helps with one row: why it may be decided so, and the labelled examples most like it. */
export function RowHelp({ type, example, labelled, why }: RowHelpProps) {
  const isRested = useRested(example.id);
  const count = nearestCount[useWide() ? 'wide' : 'other'];
  const params = { decision_type_id: type.id, example_id: example.id };
  const answer = useExplanation('examples.explain', { params }, why.isAsked && isRested);
  const similar = useOperation(
    'examples.similar',
    { params, query: { count, labelled: true } },
    { enabled: isRested && !why.isAsked, staleMs: keptMs },
  );
  const nearest = why.isAsked ? [] : (similar.data?.items ?? []);
  // Some row is the most alike: where none is named, they are still being read.
  const { data, dataUpdatedAt, refetch } = similar;
  const isUnread = data?.items.length === 0 && labelled > 1 && !why.isAsked;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each empty answer is followed by a further question
  useEffect(() => {
    const timer = isUnread ? setTimeout(() => void refetch(), againMs) : undefined;
    return () => clearTimeout(timer);
  }, [isUnread, dataUpdatedAt, refetch]);
  return (
    <>
      {type.model_deployed && (
        <Why
          type={type}
          why={why}
          answer={answer}
          input={example.input_payload}
          decided={answer.data?.decision ?? ''}
        />
      )}
      {nearest.length > 0 && (
        <Part title="Labelled examples most like it">
          <ul className="stack">
            {nearest.map(({ example: { id, expected_decision, input_payload }, similarity }) => (
              <li key={id} className="stack tight">
                <div className="row between">
                  <OptionName typeId={type.id} option={expected_decision} />
                  <Figure className="muted" says="How alike the inputs are; 100% is the same.">
                    {percent(similarity)}
                  </Figure>
                </div>
                <p className="muted wrap">
                  {shorten(summariseInput(input_payload, type.active_version.readings), maxSummary)}
                </p>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

/** The description of a type as what says how to label. */
export const Guideline = memo(function Guideline({ text }: { text: string }) {
  return (
    <Part title="Guideline">
      {text === '' ? (
        <p className="muted">The description under Define is shown here as a guideline.</p>
      ) : (
        <Markdown text={text} />
      )}
    </Part>
  );
});

/** The last answers; each can be taken back. */
export const LastAnswers = memo(function LastAnswers({ type, rows }: { type: DecisionType; rows: Rows }) {
  const { acts } = useWorkbench();
  const done = useStore(acts.store, (state) => state.done);
  const last = done
    .filter(({ typeId }) => typeId === type.id)
    .slice(-maxAnswers)
    .reverse();
  return (
    <Part title="Last answers">
      {last.length === 0 && <p className="muted">Everything you do here can be undone with U, without limit.</p>}
      <ul className="stack tight">
        {last.map((act) => (
          <Answer key={act.key} act={act} text={findText(act, rows, type)} />
        ))}
      </ul>
    </Part>
  );
});

/** Returns what the labelled row says, where it is among the current rows. */
function findText({ step }: Act, rows: Rows, { active_version }: DecisionType): string | null {
  const row = step.kind === 'label' ? rows.at(rows.indexOf(step.exampleId)) : undefined;
  return row ? shorten(summariseInput(row.input_payload, active_version.readings), maxSummary) : null;
}

/** One act of the last ones: each label adds one and leaves the others as they are drawn. */
const Answer = memo(function Answer({ act: { typeId, title, at, step }, text }: { act: Act; text: string | null }) {
  return (
    <li className="row between">
      {step.kind === 'label' && step.after.expected_decision != null ? (
        <OptionName typeId={typeId} option={step.after.expected_decision} />
      ) : (
        <span className="clip" title={title}>
          {title}
        </span>
      )}
      <span className="clip grow muted" title={text ?? undefined}>
        {text}
      </span>
      <span className="muted">
        <Moment iso={new Date(at).toISOString()} />
      </span>
    </li>
  );
});
