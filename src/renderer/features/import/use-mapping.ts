/** The mapping of one sheet: what is proposed, what a person changed, and the plan that follows. */
import { useMemo, useState } from 'react';
import type { Readings } from '../../../engine/domain/definition.ts';
import { guessTargets, type LabelTarget, listLabels } from '../../../engine/import/labels.ts';
import {
  type Answer,
  type ColumnRole,
  planImport,
  proposeImport,
  type SurveyedSheet,
  toExampleColumns,
} from '../../../engine/import/plan-import.ts';
import type { ColumnKind } from '../../../engine/import/sheet.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { makePlan } from './plan.ts';

const noOptions: readonly string[] = [];
const noReadings: Readings = {};
type Chosen<Value> = Readonly<Record<string, Value>>;

/** Holds what a person decides about the columns of a sheet, and makes its plan; `given` is the answer's column. */
export function useMapping(type: DecisionType | null, file: SurveyedSheet, given: string | undefined) {
  const { sheet } = file;
  const options = type?.active_version.options ?? noOptions;
  const reason_codes = type?.active_version.reason_codes ?? noOptions;
  const known = type?.active_version.readings ?? noReadings;
  const [chosenAnswer, chooseAnswer] = useState<Answer>(given);
  const [chosenRoles, setChosenRoles] = useState<Chosen<ColumnRole>>({});
  const [chosenKinds, setChosenKinds] = useState<Chosen<ColumnKind>>({});
  const [chosenTargets, setChosenTargets] = useState<Chosen<LabelTarget>>({});
  const [typedOptions, setTypedOptions] = useState<string[]>([]);
  const proposal = useMemo(() => proposeImport(file, options, chosenAnswer), [file, options, chosenAnswer]);
  const { answer, answers, asked, leaks, leftOut, otherAnswers } = proposal;
  const decisionColumn = answer ?? null;
  const roles = useMemo(() => new Map([...proposal.roles, ...Object.entries(chosenRoles)]), [proposal, chosenRoles]);
  const { columns, kinds, readings, questions } = useMemo(
    () =>
      planImport(file, proposal, {
        columns: toExampleColumns(sheet.columns, roles),
        kinds: chosenKinds,
        settled: Object.keys(chosenRoles),
      }),
    [file, sheet, proposal, roles, chosenKinds, chosenRoles],
  );
  const labels = useMemo(
    () => (decisionColumn === null ? [] : listLabels(sheet, decisionColumn)),
    [sheet, decisionColumn],
  );
  const guessed = useMemo(() => guessTargets(labels, options), [labels, options]);
  const targets = useMemo(() => ({ ...guessed.targets, ...chosenTargets }), [guessed, chosenTargets]);
  const read = useMemo(
    () => makePlan(sheet, { columns, readings }, targets, { options, reason_codes, readings: known }),
    [sheet, columns, readings, targets, options, reason_codes, known],
  );
  // Without labels the options of a new type are those that were typed.
  const plan = type === null && decisionColumn === null ? { ...read, newOptions: typedOptions } : read;
  const setAnswer = (column: string | null) => {
    chooseAnswer(column);
    setChosenTargets({});
    const others = Object.entries(chosenRoles).filter(([name, role]) => name !== column && role !== 'decision');
    setChosenRoles(Object.fromEntries(others));
  };
  const setRole = (column: string, role: ColumnRole) => {
    if (role === 'decision') {
      setAnswer(column);
      return;
    }
    if (column === answer) setAnswer(null);
    const former = role === 'reasons' ? [...roles].filter(([, old]) => old === 'reasons') : [];
    const freed = former.map(([name]): [string, ColumnRole] => [name, 'input']);
    setChosenRoles((chosen) => ({ ...chosen, ...Object.fromEntries(freed), [column]: role }));
  };
  return {
    asked,
    leaks,
    leftOut,
    otherAnswers,
    typedOptions,
    setTypedOptions,
    answers,
    answer,
    questions,
    /** Labels that may be another writing of an option, and those of them about which nothing is said yet. */
    near: guessed.near,
    openNear: guessed.near.filter(({ label }) => !(label.value in chosenTargets)),
    setAnswer,
    decisionColumn,
    roles,
    setRole,
    kinds,
    setKind: (column: string, kind: ColumnKind) => setChosenKinds({ ...chosenKinds, [column]: kind }),
    /** The columns of the questions of a kind. */
    listOpen: (about: 'input' | 'kind') => questions.filter((each) => each.about === about).map(({ column }) => column),
    labels,
    targets,
    setTarget: (label: string, target: LabelTarget) => setChosenTargets((chosen) => ({ ...chosen, [label]: target })),
    plan,
    options,
  };
}
export type Mapping = ReturnType<typeof useMapping>;
