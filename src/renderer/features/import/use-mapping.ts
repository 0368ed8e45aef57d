/** The mapping of one sheet: what is proposed, what a person changed, and the plan that follows. */
import { useMemo, useState } from 'react';
import type { Readings } from '../../../engine/domain/definition.ts';
import { findAnswers } from '../../../engine/import/answers.ts';
import { type ColumnRole, chooseReadings, proposeRoles } from '../../../engine/import/example-plan.ts';
import { guessTargets, type LabelTarget, listLabels } from '../../../engine/import/labels.ts';
import type { ColumnKind } from '../../../engine/import/sheet.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { makePlan } from './plan.ts';
import type { SurveyedSheet } from './read-sheet.ts';

const noOptions: readonly string[] = [];
const noReadings: Readings = {};
type Chosen<Value> = Readonly<Record<string, Value>>;

/** Undefined while it is open which column is the answer, null for none of them. */
export type Answer = string | null | undefined;

/** Holds what a person decides about the columns of a sheet, and makes the plan of it. */
export function useMapping(type: DecisionType | null, { sheet, surveys }: SurveyedSheet) {
  const options = type?.active_version.options ?? noOptions;
  const reason_codes = type?.active_version.reason_codes ?? noOptions;
  const readings = type?.active_version.readings ?? noReadings;
  const [answers] = useState(() => findAnswers(surveys, options));
  const [answer, chooseAnswer] = useState<Answer>(() =>
    answers.isCertain ? (answers.candidates[0]?.column ?? null) : undefined,
  );
  const [chosenRoles, setChosenRoles] = useState<Chosen<ColumnRole>>({});
  const [chosenKinds, setChosenKinds] = useState<Chosen<ColumnKind>>({});
  const [chosenTargets, setChosenTargets] = useState<Chosen<LabelTarget>>({});
  const [typedOptions, setTypedOptions] = useState<string[]>([]);
  const decisionColumn = answer ?? null;
  const proposed = useMemo(() => proposeRoles(sheet, surveys, decisionColumn), [sheet, surveys, decisionColumn]);
  const roles = useMemo(() => new Map([...proposed.roles, ...Object.entries(chosenRoles)]), [proposed, chosenRoles]);
  const kinds = useMemo(
    () => new Map([...surveys.map(({ name, kind }) => [name, kind] as const), ...Object.entries(chosenKinds)]),
    [surveys, chosenKinds],
  );
  const labels = useMemo(
    () => (decisionColumn === null ? [] : listLabels(sheet, decisionColumn)),
    [sheet, decisionColumn],
  );
  const guessed = useMemo(() => guessTargets(labels, options), [labels, options]);
  const targets = useMemo(() => ({ ...guessed.targets, ...chosenTargets }), [guessed, chosenTargets]);
  const read = useMemo(
    () => makePlan(sheet, roles, chooseReadings(surveys, kinds), targets, { options, reason_codes, readings }),
    [sheet, surveys, roles, kinds, targets, options, reason_codes, readings],
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
  /** Columns of the input of which it is open how they are read. */
  const openColumns = surveys
    .filter(({ name, choices }) => choices.length > 0 && roles.get(name) === 'input' && !(name in chosenKinds))
    .map(({ name }) => name);
  /** Columns of which it is asked whether they are to be learned from, and those of them that wait for an answer. */
  const { asked, leaks } = proposed;
  const openAsked = asked.filter((name) => !(name in chosenRoles) && roles.get(name) === 'input');
  return {
    asked,
    openAsked,
    leaks,
    typedOptions,
    setTypedOptions,
    answers,
    answer,
    /** Labels that may be another writing of an option, and those of them about which nothing is said yet. */
    near: guessed.near,
    openNear: guessed.near.filter(({ label }) => !(label.value in chosenTargets)),
    setAnswer,
    decisionColumn,
    roles,
    setRole,
    leftOut: proposed.reasons,
    kinds,
    setKind: (column: string, kind: ColumnKind) => setChosenKinds({ ...chosenKinds, [column]: kind }),
    openColumns,
    labels,
    targets,
    setTarget: (label: string, target: LabelTarget) => setChosenTargets((chosen) => ({ ...chosen, [label]: target })),
    plan,
    options,
  };
}
export type Mapping = ReturnType<typeof useMapping>;
