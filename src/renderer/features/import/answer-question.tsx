import { Radio } from '@mantine/core';
import { useId } from 'react';
import { count, number } from '../../parts/text/figures.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const maxCandidates = 3;
const maxValues = 4;
/** Names of options are shown whole; what is longer is no option. */
const maxValueLength = 120;
/** No column of a sheet has an empty name. */
const noColumn = '';

/** Says how many rows have no answer in a column, where most have none; null elsewhere. */
function describeUnanswered({ plan, columns }: Mapping, column: string): string | null {
  const { rows } = plan.file;
  const filled = columns.find(({ name }) => name === column)?.filled ?? rows;
  return 2 * filled < rows ? `${number(rows - filled)} of ${count(rows, 'row')} have no answer` : null;
}

/** Warns where most rows have no answer in the column chosen. */
export function Unanswered({ mapping }: { mapping: Mapping }) {
  const { answer } = mapping;
  const said = answer ? describeUnanswered(mapping, answer) : null;
  if (said === null) return null;
  return (
    <p className="note warn" role="status">
      {said} in {isolate(answer ?? '')}: they are imported without a label.
    </p>
  );
}

/** Asks which of several columns is the answer. */
export function AnswerQuestion({ mapping }: { mapping: Mapping }) {
  const { plan, answer, columns, choose } = mapping;
  const shown = plan.answer_candidates.slice(0, maxCandidates);
  const what = plan.answers_are_several
    ? 'Several columns could be. Each can become a decision type of its own later; one'
    : 'Its values are the decisions to learn. One';
  return (
    <Radio.Group
      className="part"
      label={<span className="question">Which column is the answer?</span>}
      description={`${what} that is not listed is chosen under Columns.`}
      value={answer === undefined ? null : (answer ?? noColumn)}
      onChange={(value) => choose({ answer: value === noColumn ? null : value })}
    >
      <div className="answer-cards">
        {shown.map(({ column, why, values }) => (
          <AnswerCard
            key={column}
            value={column}
            title={column}
            values={describeValues(values, columns.find(({ name }) => name === column)?.distinct ?? 0)}
            why={why}
            unanswered={describeUnanswered(mapping, column)}
          />
        ))}
        <AnswerCard value={noColumn} title="No column" values="The rows have no answer yet" why="you label them here" />
      </div>
    </Radio.Group>
  );
}

type AnswerCardProps = { value: string; title: string; values: string; why: string; unanswered?: string | null };

function AnswerCard({ value, title, values, why, unanswered = null }: AnswerCardProps) {
  const describedBy = useId();
  return (
    <Radio.Card className="answer-card" value={value} aria-label={isolate(title)} aria-describedby={describedBy} p="xs">
      <strong className="wrap">{showUnseen(title)}</strong>
      <div id={describedBy}>
        {unanswered !== null && <p className="strong warn-text">{unanswered}</p>}
        <p className="wrap">{values}</p>
        <p className="muted">{why}</p>
      </div>
    </Radio.Card>
  );
}

/** The commonest values of a column with their rows: “keep (3,610) · cancel (1,382) and 5 more”. */
function describeValues(values: Readonly<Record<string, number>>, distinct: number): string {
  const shown = Object.entries(values)
    .sort(([, one], [, other]) => other - one)
    .slice(0, maxValues)
    .map(([value, count]) => `${isolate(shorten(value, maxValueLength))} (${count.toLocaleString()})`);
  const others = distinct - shown.length;
  return shown.join(' · ') + (others > 0 ? ` and ${others.toLocaleString()} more` : '');
}
