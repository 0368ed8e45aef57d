import { Button, TagsInput, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Sheet, SheetChoice } from '../../../engine/import/sheet.ts';
import { exampleBound, limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { count } from '../../parts/text/figures.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import type { WaitingFile } from '../../state/ui.ts';
import { turnAct } from '../../state/use-undo.ts';
import { useWorkbench, type Workbench } from '../../state/workbench.ts';
import { AnswerQuestion } from './answer-question.tsx';
import { ColumnGrid } from './column-grid.tsx';
import { LabelTable } from './label-table.tsx';
import type { Plan } from './plan.ts';
import { PlanSummary } from './plan-summary.tsx';
import { QuestionQueue } from './question-queue.tsx';
import type { ReadSheet } from './read-sheet.ts';
import { ReadingChooser } from './reading-chooser.tsx';
import { type ImportTarget, runImport } from './run-import.ts';
import { toTypeName } from './type-name.ts';
import { type Mapping, useMapping } from './use-mapping.ts';

/** Why a mapping cannot be carried out, in words; null when it can. */
function findProblem(
  { plan, openNear, listOpen, decisionColumn }: Mapping,
  type: DecisionType | null,
  name: string,
): string | null {
  if (plan.rows.length === 0) return 'The file has no rows to import.';
  if (plan.rows.length > limits.maxExamples) return exampleBound;
  const [openKinds, openInputs] = [listOpen('kind'), listOpen('input')];
  if (openKinds.length > 0) return `Choose the kind of ${openKinds.map(isolate).join(', ')} under Columns.`;
  if (openNear.length > 0) return 'Say which labels mean the same.';
  if (openInputs.length > 0) return `Use ${openInputs.map(isolate).join(', ')} as input?`;
  if (type) return null;
  if (name.trim() === '') return 'Give the decision type a name.';
  if (plan.newOptions.length < limits.minOptions)
    return decisionColumn === null
      ? 'Type at least two options, or choose “Decision” for the column that holds the decisions.'
      : 'Choose the column with the decisions: a decision type needs at least two options.';
  return plan.newOptions.length > limits.maxOptions
    ? `A decision type has at most ${limits.maxOptions} options. Choose another column.`
    : null;
}

/**
 * The import itself: how far it is, from 0 to 1, and why it failed; null where there is nothing to say. Once it is
 * done, a type for the next column of answers is offered.
 */
function useImport(from: WaitingFile, { decisionColumn, otherAnswers }: Mapping, onClose: () => void) {
  const workbench = useWorkbench();
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(new AbortController());
  const run = async (target: ImportTarget, plan: Plan) => {
    running.current = new AbortController();
    setProgress(0);
    setError(null);
    const learned = [...(from.learned ?? []), decisionColumn ?? ''];
    const answer = otherAnswers.find((name) => !learned.includes(name));
    const done = `${count(plan.rows.length, 'example')} imported from ${isolate(from.file.name)}`;
    try {
      const act = await runImport(workbench, target, plan, done, setProgress, running.current.signal);
      setProgress(null);
      if (act === null) return;
      notify({
        kind: 'info',
        text: `${done}.`,
        undo: () => void turnAct(workbench, 'undo', act.typeId, act.key),
        ...(answer !== undefined && { next: offerNext(workbench, { ...from, answer, learned }) }),
      });
      onClose();
      goTo({ page: 'type', id: act.typeId, place: 'examples' });
    } catch (failure) {
      setError(failure);
      setProgress(null);
    }
  };
  return { progress, error, run, cancel: () => running.current.abort() };
}

/** Characters of a column's name on a button of the status line. */
const maxShownAnswer = 24;

/** Opens the import of the same file again, for a type of its own for another column of answers. */
const offerNext = ({ ui }: Workbench, next: WaitingFile & { answer: string }) => ({
  title: `Make a second type from “${isolate(shorten(next.answer, maxShownAnswer))}”`,
  run: () => {
    ui.getState().takeFile(next);
    goTo({ page: 'new' });
  },
});

function ImportProgress({ share, onCancel }: { share: number; onCancel(): void }) {
  return (
    <Part title={share < 1 ? 'Sending the rows' : 'Writing them all at once'}>
      <progress value={share === 1 ? undefined : share} aria-label="Progress of the import" />
      <Button onClick={onCancel}>Cancel</Button>
    </Part>
  );
}

type MappingDeskProps = {
  type: DecisionType | null;
  from: WaitingFile;
  read: ReadSheet;
  title: string;
  choose: React.ReactNode;
  onReadAgain(choice: SheetChoice): void;
  onClose(): void;
};

/** Asks what the columns and labels of a sheet mean, and offers the one act that imports it. */
export function MappingDesk({ type, from, read, title, choose, onReadAgain, onClose }: MappingDeskProps) {
  const { sheet, surveys } = read;
  const fileName = from.file.name;
  const mapping = useMapping(
    type,
    read,
    sheet.columns.find((name) => name === from.answer),
  );
  const [typeName, setTypeName] = useState(() => toTypeName(fileName, from.answer));
  const { progress, error, run, cancel } = useImport(from, mapping, onClose);
  const { plan, answers } = mapping;
  const isAsking = mapping.answer === undefined;
  const isUnread = mapping.questions.some(({ about }) => about === 'encoding');
  const problem = isAsking || isUnread ? null : findProblem(mapping, type, typeName);
  const target: ImportTarget = type ? { kind: 'existing', type } : { kind: 'new', name: typeName.trim() };
  return (
    <Place
      id="import"
      title={title}
      head={
        <Figure
          className="muted wrap"
          says="The file, the rows that could be read, and what was found out about its format."
        >
          {isolate(fileName)} · {count(sheet.rows.length, 'row')}
          {sheet.detected.length > 0 && ` · ${sheet.detected.map(showUnseen).join(', ')}`}
        </Figure>
      }
      tools={
        <>
          {choose}
          <Button
            variant="filled"
            disabled={isAsking || isUnread || problem !== null}
            loading={progress !== null}
            onClick={() => void run(target, plan)}
          >
            {type ? 'Import' : 'Create decision type and import'} {count(plan.rows.length, 'row')}
          </Button>
        </>
      }
      beside={
        <Pane title="Labels and rows">
          {isAsking ? (
            <p className="note">Choose the answer first. Then its labels and the rows to import are shown here.</p>
          ) : (
            <LabelsAndRows mapping={mapping} sheet={sheet} />
          )}
        </Pane>
      }
    >
      {progress !== null && <ImportProgress share={progress} onCancel={cancel} />}
      {error !== null && <ErrorNote error={error} />}
      {problem && (
        <p className="note warn" role="alert">
          {problem}
        </p>
      )}
      {!answers.isCertain && (
        <AnswerQuestion
          surveys={surveys}
          candidates={answers.candidates}
          isSeveral={answers.areSeveral}
          chosen={mapping.answer}
          onChoose={mapping.setAnswer}
        />
      )}
      <ReadingChooser
        sheet={sheet}
        onChoose={onReadAgain}
        name={!type && <TypeName value={typeName} onChange={setTypeName} />}
      />
      {!type && mapping.answer === null && <TypedOptions mapping={mapping} />}
      <ColumnGrid surveys={surveys} sheet={sheet} languages={read.languages} mapping={mapping} />
    </Place>
  );
}

function TypeName({ value, onChange }: { value: string; onChange(name: string): void }) {
  return (
    <TextInput
      label="Name"
      title="Programs ask for decisions by this name."
      w={180}
      maxLength={limits.maxTypeNameLength}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The options of a type whose file has no labels. */
function TypedOptions({ mapping: { typedOptions, setTypedOptions } }: { mapping: Mapping }) {
  return (
    <TagsInput
      comboboxProps={{ keepMounted: false }}
      label="Options"
      description="The possible answers, each with Enter. You label the rows by them after the import."
      className="part"
      value={typedOptions}
      onChange={setTypedOptions}
    />
  );
}

function LabelsAndRows({ mapping, sheet }: { mapping: Mapping; sheet: Sheet }) {
  return (
    <>
      <QuestionQueue mapping={mapping} sheet={sheet} />
      {mapping.decisionColumn === null ? (
        <p className="note">
          No column holds labels, so the examples are imported without any, and you label them here. Choose “Decision”
          for a column that does.
        </p>
      ) : (
        <LabelTable
          column={mapping.decisionColumn}
          labels={mapping.labels}
          targets={mapping.targets}
          options={mapping.options}
          onTarget={mapping.setTarget}
        />
      )}
      <PlanSummary mapping={mapping} sheet={sheet} />
    </>
  );
}
