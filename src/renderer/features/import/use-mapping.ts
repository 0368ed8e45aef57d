/** The mapping of one file: what the server proposes, with what a person has just chosen shown at once. */
import { useState } from 'react';
import type { LabelTarget } from '../../../engine/import/labels.ts';
import type { ColumnRole } from '../../../engine/import/plan-import.ts';
import type { ColumnKind } from '../../../engine/import/sheet.ts';
import type { ImportPlan } from '../../../server/contract/examples/import-plan.ts';
import type { ImportChoice } from '../../../server/contract/examples/imports.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { OpenFile } from './use-import.ts';

const noOptions: readonly string[] = [];
/** Choices that are not answered yet. */
type Sent = Pick<ImportChoice, 'answer'> & { [K in 'roles' | 'kinds' | 'targets']: NonNullable<ImportChoice[K]> };

/** Holds the plan of a file, sends what a person decides about it, and shows the plan that follows. */
export function useMapping(type: DecisionType | null, file: OpenFile, first: ImportPlan) {
  const [plan, setPlan] = useState(first);
  const [sent, setSent] = useState<readonly ImportChoice[]>([]);
  const [typedOptions, setTyped] = useState<string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const choose = (choice: ImportChoice) => {
    setError(null);
    setSent((all) => [...all, choice]);
    file
      .choose(choice)
      .then(setPlan, setError)
      .finally(() => setSent((all) => all.filter((each) => each !== choice)));
  };
  const merged = sent.reduce<Sent>(
    (all, { answer, roles, kinds, targets }) => ({
      answer: answer === undefined ? all.answer : answer,
      roles: { ...all.roles, ...roles },
      kinds: { ...all.kinds, ...kinds },
      targets: { ...all.targets, ...targets },
    }),
    { answer: undefined, roles: {}, kinds: {}, targets: {} },
  );
  const isAsking = merged.answer === undefined && plan.questions.some(({ about }) => about === 'answer');
  return {
    /** The plan as the server has it, without what is on its way. */
    plan,
    error,
    isChanging: sent.length > 0,
    choose,
    options: type?.active_version.options ?? noOptions,
    /** undefined while it is asked for. */
    answer: isAsking ? undefined : merged.answer === undefined ? plan.answer : merged.answer,
    columns: plan.columns.map((column) => ({
      ...column,
      role: merged.roles[column.name] ?? (column.name === merged.answer ? 'decision' : column.role),
      read_as: merged.kinds[column.name] ?? column.read_as,
    })),
    labels: plan.labels.map((label) => ({ ...label, target: merged.targets[label.value] ?? label.target })),
    near: plan.near.map((each) => ({ ...each, is_open: each.is_open && !(each.label in merged.targets) })),
    typedOptions,
    setTypedOptions: (options: string[]) => {
      setTyped(options);
      choose({ options });
    },
    setRole: (column: string, role: ColumnRole) => choose({ roles: { [column]: role } }),
    setKind: (column: string, kind: ColumnKind) => choose({ kinds: { [column]: kind } }),
    setTargets: (targets: Record<string, LabelTarget>) => choose({ targets }),
    /** The columns of the questions of a kind that are still open. */
    listOpen: (about: 'input' | 'kind') =>
      plan.questions
        .filter(
          ({ about: of, column }) => of === about && !(column in (about === 'kind' ? merged.kinds : merged.roles)),
        )
        .map(({ column }) => column),
    readRows: file.readRows.bind(file),
  };
}
export type Mapping = ReturnType<typeof useMapping>;
