import { Radio } from '@mantine/core';
import { useId } from 'react';
import type { Candidate } from '../../../engine/import/answers.ts';
import type { Answer } from '../../../engine/import/plan-import.ts';
import type { ColumnSurvey } from '../../../engine/import/survey.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';

const maxCandidates = 3;
const maxValues = 4;
const maxValueLength = 40;
/** No column of a sheet has an empty name. */
const noColumn = '';

type AnswerQuestionProps = {
  surveys: readonly ColumnSurvey[];
  candidates: readonly Candidate[];
  isSeveral: boolean;
  chosen: Answer;
  onChoose(column: string | null): void;
};

/** Asks which of several columns is the answer. */
export function AnswerQuestion({ surveys, candidates, isSeveral, chosen, onChoose }: AnswerQuestionProps) {
  const shown = candidates.slice(0, maxCandidates);
  const what = isSeveral
    ? 'Several look like answers, and each can be its own decision type: the others are left out now, and you are offered the next one after the import.'
    : 'Its values are the decisions to learn.';
  return (
    <Radio.Group
      className="part"
      label="Which column is the answer?"
      description={`${what} If it is not listed, choose “Decision” for it under Columns.`}
      value={chosen === undefined ? null : (chosen ?? noColumn)}
      onChange={(value) => onChoose(value === noColumn ? null : value)}
    >
      <div className="answer-cards">
        {shown.map(({ column, why }) => (
          <AnswerCard
            key={column}
            value={column}
            title={column}
            values={describeValues(surveys.find(({ name }) => name === column))}
            why={why}
          />
        ))}
        <AnswerCard value={noColumn} title="No column" values="The rows have no answer yet" why="you label them here" />
      </div>
    </Radio.Group>
  );
}

function AnswerCard({ value, title, values, why }: { value: string; title: string; values: string; why: string }) {
  const describedBy = useId();
  return (
    <Radio.Card className="answer-card" value={value} aria-label={isolate(title)} aria-describedby={describedBy} p="xs">
      <strong className="wrap">{showUnseen(title)}</strong>
      <div id={describedBy}>
        <p className="wrap">{values}</p>
        <p className="muted">{why}</p>
      </div>
    </Radio.Card>
  );
}

/** The commonest values of a column with their rows: “keep (3,610) · cancel (1,382) and 5 more”. */
function describeValues(survey: ColumnSurvey | undefined): string {
  const uses = [...(survey?.uses ?? [])];
  const shown = uses
    .slice(0, maxValues)
    .map(([value, count]) => `${isolate(shorten(value, maxValueLength))} (${count.toLocaleString()})`);
  const others = uses.length - shown.length;
  return shown.join(' · ') + (others > 0 ? ` and ${others.toLocaleString()} more` : '');
}
