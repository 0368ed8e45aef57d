import { Button, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { ImportPlan } from '../../../server/contract/examples/import-plan.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { Act } from '../../api/journal.ts';
import { queueKey } from '../../api/labels.ts';
import { useNameTwin } from '../../parts/fields/name-twin.ts';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { count } from '../../parts/text/figures.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { goTo } from '../../state/route.ts';
import type { WaitingFile } from '../../state/ui.ts';
import { notifyDone } from '../../state/use-undo.ts';
import { useWorkbench, type Workbench } from '../../state/workbench.ts';
import { AnswerQuestion, Unanswered } from './answer-question.tsx';
import { ColumnGrid } from './column-grid.tsx';
import { LabelTable } from './label-table.tsx';
import { PlanSummary } from './plan-summary.tsx';
import { QuestionQueue } from './question-queue.tsx';
import { ReadingChooser } from './reading-chooser.tsx';
import { toTypeName } from './type-name.ts';
import type { OpenFile } from './use-import.ts';
import { type Mapping, useMapping } from './use-mapping.ts';

/** How often it is asked how far a commit is. */
const refetchMs = 300;

/** The options that a new type would have: those of the file, or those that were typed where it has no labels. */
const listNewOptions = ({ plan, answer, typedOptions }: Mapping) => (answer === null ? typedOptions : plan.new_options);

/** Why a mapping cannot be carried out, in words; null when it can. */
function findProblem(mapping: Mapping, type: DecisionType | null, name: string): string | null {
  const { plan, near, listOpen, answer } = mapping;
  if (plan.examples === 0) return 'The file has no rows to import.';
  const [openKinds, openInputs] = [listOpen('kind'), listOpen('input')];
  if (openKinds.length > 0) return `Choose the kind of ${openKinds.map(isolate).join(', ')} under Columns.`;
  if (near.some(({ is_open }) => is_open)) return 'Say which labels mean the same.';
  const { second_reader: reader } = plan;
  if (reader !== null && openInputs.includes(reader)) return `Is ${isolate(reader)} a second reader’s?`;
  if (openInputs.length > 0) return `Say whether to learn from ${openInputs.map(isolate).join(', ')}.`;
  if (type) return null;
  if (name.trim() === '') return 'Give the decision type a name.';
  const options = listNewOptions(mapping);
  if (options.length < limits.minOptions)
    return answer === null
      ? 'Type at least two answers.'
      : 'Choose the column with the decisions: a decision type needs at least two options.';
  return options.length > limits.maxOptions
    ? `A decision type has at most ${limits.maxOptions} options. Choose another column.`
    : null;
}

/** Commits an import and takes note of it as one act; null where it was cancelled before it counted. */
async function commitImport(
  { queries, acts }: Workbench,
  file: OpenFile,
  name: string | undefined,
  fileName: string,
  signal: AbortSignal,
): Promise<Act | null> {
  const done = await file.commit({ name }, signal);
  if (done === null) return null;
  const { decision_type, example_ids: ids } = done;
  queries.removeQueries({ queryKey: [queueKey, decision_type.id] });
  return acts.added(decision_type.id, ids, `${count(ids.length, 'example')} imported from ${isolate(fileName)}`);
}

/**
 * The import itself: whether it is under way, and why it failed; null where there is nothing to say. Once it is done, a
 * type for the next column of answers is offered.
 */
function useImport(from: WaitingFile, file: OpenFile, { answer: column }: Mapping, onClose: () => void) {
  const workbench = useWorkbench();
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(new AbortController());
  const run = async (name: string | undefined) => {
    running.current = new AbortController();
    setIsRunning(true);
    setError(null);
    try {
      const act = await commitImport(workbench, file, name, from.file.name, running.current.signal);
      setIsRunning(false);
      if (act === null) return;
      const learned = [...(from.learned ?? []), column ?? ''];
      const answer = file.otherAnswers.find((other) => !learned.includes(other));
      const next: WaitingFile = { file: from.file, choices: file.readings, learned };
      notifyDone(
        workbench,
        `${act.title}.`,
        act,
        answer === undefined ? undefined : offerNext(workbench, { ...next, answer }),
      );
      onClose();
      goTo({ page: 'type', id: act.typeId, place: 'examples' });
    } catch (failure) {
      setError(failure);
      setIsRunning(false);
    }
  };
  return { isRunning, error, run, cancel: () => running.current.abort() };
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

function ImportProgress({ file, onCancel }: { file: OpenFile; onCancel(): void }) {
  const progress = useQuery({
    queryKey: ['imports.get', file.key],
    queryFn: () => file.readProgress(),
    refetchInterval: refetchMs,
    retry: false,
  });
  return (
    <Part title="Importing">
      <progress value={progress.data ?? undefined} aria-label="Progress of the import" />
      <Button onClick={onCancel}>Cancel</Button>
    </Part>
  );
}

type MappingDeskProps = {
  type: DecisionType | null;
  from: WaitingFile;
  file: OpenFile;
  plan: ImportPlan;
  title: string;
  choose: React.ReactNode;
  onClose(): void;
};

/** Asks what the columns and labels of a file mean, and offers the one act that imports it. */
export function MappingDesk({ type, from, file, plan: first, title, choose, onClose }: MappingDeskProps) {
  const fileName = from.file.name;
  const mapping = useMapping(type, file, first);
  const [typeName, setTypeName] = useState(() => toTypeName(fileName, from.answer));
  const { isRunning, error, run, cancel } = useImport(from, file, mapping, onClose);
  const { plan } = mapping;
  const isAsking = mapping.answer === undefined;
  const isUnread = plan.questions.some(({ about }) => about === 'encoding');
  const asksOptions = !type && mapping.answer === null && mapping.typedOptions.length < limits.minOptions;
  const twin = useNameTwin(type ? '' : typeName);
  const problem = isAsking || isUnread ? null : findProblem(mapping, type, typeName);
  return (
    <Place
      id="import"
      title={title}
      head={
        <Figure
          className="muted wrap"
          says="The file, the rows that could be read, and what was found out about its format."
        >
          {isolate(fileName)} · {count(plan.file.rows, 'row')}
          {plan.file.detected.length > 0 && ` · ${plan.file.detected.map(showUnseen).join(', ')}`}
        </Figure>
      }
      tools={
        <>
          {choose}
          <Button
            variant="filled"
            disabled={isAsking || isUnread || problem !== null || (twin !== undefined && !isRunning)}
            loading={isRunning}
            onClick={() => void run(type ? undefined : typeName.trim())}
          >
            {type ? 'Import' : 'Create decision type and import'} {count(plan.examples, 'row')}
          </Button>
        </>
      }
      beside={
        <Pane title="Labels and rows">
          {isAsking ? (
            <p className="note">Choose the answer first. Then its labels and the rows to import are shown here.</p>
          ) : (
            <LabelsAndRows mapping={mapping} />
          )}
        </Pane>
      }
    >
      {isRunning && <ImportProgress file={file} onCancel={cancel} />}
      {error !== null && <ErrorNote error={error} />}
      {mapping.error !== null && <ErrorNote error={mapping.error} />}
      {problem !== null && !mapping.isChanging && !asksOptions && (
        <p className="note warn" role="alert">
          {problem}
        </p>
      )}
      <Unanswered mapping={mapping} />
      {!plan.answer_is_certain && <AnswerQuestion mapping={mapping} />}
      {!type && mapping.answer === null && <TypedOptions mapping={mapping} />}
      <ReadingChooser
        file={plan.file}
        onChoose={mapping.choose}
        name={
          !type && (
            <TypeName
              value={typeName}
              twin={twin}
              from={{ file: from.file, choices: file.readings }}
              onChange={setTypeName}
            />
          )
        }
      />
      <ColumnGrid mapping={mapping} />
    </Place>
  );
}

type TypeNameProps = {
  value: string;
  twin: ReturnType<typeof useNameTwin>;
  from: WaitingFile;
  onChange(name: string): void;
};

/** The name of the new type; where another has it, or one that looks the same, that one may take the rows instead. */
function TypeName({ value, twin, from, onChange }: TypeNameProps) {
  const { ui } = useWorkbench();
  const addToTwin = ({ id }: DecisionType) => {
    // Not before: the desk that is left would open it again.
    window.addEventListener('hashchange', () => ui.getState().takeFile(from), { once: true });
    goTo({ page: 'type', id, place: 'import' });
  };
  return (
    <TextInput
      label="Name"
      error={
        twin && (
          <>
            {twin.problem}, or{' '}
            <Button size="compact-xs" onClick={() => addToTwin(twin.twin)}>
              Add the rows to it
            </Button>
          </>
        )
      }
      title="Programs ask for decisions by this name."
      w={240}
      maxLength={limits.maxTypeNameLength}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function TypedOptions({ mapping: { typedOptions, setTypedOptions } }: { mapping: Mapping }) {
  return (
    <TagsInput
      comboboxProps={{ keepMounted: false }}
      label={<span className="question">Which answers are possible?</span>}
      description="Type each, with Enter, at least two. You label the rows by them after the import; a column that holds answers already is chosen under Columns."
      className="part"
      value={typedOptions}
      onChange={setTypedOptions}
    />
  );
}

function LabelsAndRows({ mapping }: { mapping: Mapping }) {
  return (
    <>
      <QuestionQueue mapping={mapping} />
      {mapping.answer ? (
        <LabelTable column={mapping.answer} mapping={mapping} />
      ) : (
        <p className="note">
          No column holds labels, so the examples are imported without any, and you label them here. Choose “Decision”
          for a column that does.
        </p>
      )}
      <PlanSummary mapping={mapping} />
    </>
  );
}
