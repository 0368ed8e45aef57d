import { Button, Progress, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { Figure } from '../../parts/figure.tsx';
import { count } from '../../parts/figures.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import { useWorkbench } from '../../workbench.tsx';
import { ColumnTable, LabelTable } from './mapping-tables.tsx';
import {
  type ColumnRole,
  guessRoles,
  guessTargets,
  type LabelTarget,
  listLabels,
  makePlan,
  type Plan,
} from './plan.ts';
import { PlanSummary } from './plan-summary.tsx';
import { type ImportTarget, runImport } from './run-import.ts';
import type { Sheet } from './sheet.ts';

const noOptions: readonly string[] = [];
const toTypeName = (fileName: string) =>
  fileName
    .replace(/\.[^.]+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'decisions';

/** The mapping of one sheet, and the plan that follows from it. */
function useMapping(type: DecisionType | null, sheet: Sheet) {
  const options = type?.active_version.options ?? noOptions;
  const reason_codes = type?.active_version.reason_codes ?? noOptions;
  const [roles, setRoles] = useState(() => guessRoles(sheet, options));
  const [chosen, setChosen] = useState<Readonly<Record<string, LabelTarget>>>({});
  const decisionColumn = sheet.columns.find((column) => roles[column] === 'decision') ?? null;
  const labels = useMemo(
    () => (decisionColumn === null ? [] : listLabels(sheet, decisionColumn)),
    [sheet, decisionColumn],
  );
  const targets = useMemo(() => ({ ...guessTargets(labels, options), ...chosen }), [labels, options, chosen]);
  const plan = useMemo(
    () => makePlan(sheet, roles, targets, { options, reason_codes }),
    [sheet, roles, targets, options, reason_codes],
  );
  const setRole = (column: string, role: ColumnRole) => {
    const others = role === 'decision' || role === 'reasons' ? role : null;
    const next = Object.fromEntries(
      Object.entries(roles).map(([name, old]) => [name, name === column ? role : old === others ? 'input' : old]),
    ) as Record<string, ColumnRole>;
    setRoles(next);
    setChosen({});
  };
  const setTarget = (label: string, target: LabelTarget) => setChosen({ ...chosen, [label]: target });
  return { roles, setRole, labels, targets, setTarget, plan, options, decisionColumn };
}

/** Why a plan cannot be carried out, in words; null when it can. */
function findProblem(plan: Plan, type: DecisionType | null, name: string): string | null {
  if (plan.rows.length === 0) return 'The file has no rows to import.';
  if (plan.rows.length > limits.maxExamples)
    return `A decision type holds at most ${limits.maxExamples.toLocaleString()} examples.`;
  if (type) return null;
  if (name.trim() === '') return 'Give the decision type a name.';
  if (plan.newOptions.length < limits.minOptions)
    return 'Choose the column with the decisions: a decision type needs at least two options.';
  return plan.newOptions.length > limits.maxOptions
    ? `A decision type has at most ${limits.maxOptions} options. Choose another column.`
    : null;
}

/** What the columns and labels of a sheet mean, and the one act that imports it. */
export function MappingDesk({
  type,
  name: fileName,
  sheet,
  title,
  choose,
  onClose,
}: {
  type: DecisionType | null;
  name: string;
  sheet: Sheet;
  title: string;
  choose: React.ReactNode;
  onClose(): void;
}) {
  const workbench = useWorkbench();
  const mapping = useMapping(type, sheet);
  const [typeName, setTypeName] = useState(() => toTypeName(fileName));
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { plan } = mapping;
  const problem = findProblem(plan, type, typeName);
  const run = async () => {
    setProgress(0);
    setError(null);
    const target: ImportTarget = type ? { kind: 'existing', type } : { kind: 'new', name: typeName.trim() };
    const done = `${count(plan.rows.length, 'example')} imported from ${isolate(fileName)}`;
    try {
      const imported = await runImport(workbench, target, plan, done, setProgress);
      notify({ kind: 'info', text: `${done}.`, undo: () => void workbench.acts.undo(imported.id) });
      onClose();
      goTo({ page: 'type', id: imported.id, place: 'examples' });
    } catch (failure) {
      setError(failure);
      setProgress(null);
    }
  };
  return (
    <PlaceLayout
      id="import"
      main={
        <Pane
          title={title}
          level={1}
          head={
            <Figure
              className="muted wrap"
              says="The file, the rows that could be read, and what was found out about its format."
            >
              {isolate(fileName)} · {count(sheet.rows.length, 'row')}
              {sheet.told.length > 0 && ` · ${sheet.told.map(showUnseen).join(', ')}`}
            </Figure>
          }
          tools={
            <>
              {choose}
              <Button disabled={problem !== null} loading={progress !== null} onClick={() => void run()}>
                {type ? 'Import' : 'Make the type and import'} {count(plan.rows.length, 'row')}
              </Button>
            </>
          }
        >
          {progress !== null && <Progress value={progress * 100} aria-label="Progress of the import" />}
          {error !== null && <ErrorNote error={error} />}
          {problem && (
            <p className="note warn" role="alert">
              {problem}
            </p>
          )}
          {!type && (
            <Part title="The decision type">
              <TextInput
                label="Name"
                description="Programs ask for decisions by this name."
                maw={360}
                maxLength={limits.maxTypeNameLength}
                value={typeName}
                onChange={(event) => setTypeName(event.currentTarget.value)}
              />
            </Part>
          )}
          <ColumnTable sheet={sheet} roles={mapping.roles} onRole={mapping.setRole} />
        </Pane>
      }
      beside={
        <Pane title="Labels and rows">
          {mapping.decisionColumn === null ? (
            <p className="note">
              No column holds labels, so the examples are imported without any, and you label them here. Choose
              “Decision” for a column that does.
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
          <PlanSummary plan={plan} sheet={sheet} />
        </Pane>
      }
    />
  );
}
