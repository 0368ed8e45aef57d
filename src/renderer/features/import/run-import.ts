/** Carries an import out: the type where there is none, its new options, then the examples, all or none. */
import { limits } from '../../../engine/limits.ts';
import type { InputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { findStale, invalidate } from '../../api/changes.ts';
import type { Act } from '../../api/journal.ts';
import { queueKey } from '../../api/labels.ts';
import { change } from '../../state/queries.ts';
import type { Workbench } from '../../state/workbench.ts';
import type { Plan, PlannedRow } from './plan.ts';

/** One call carries at most this much, well below what a body may hold. */
const maxCallCharacters = 8_000_000;

/** Cuts rows into calls, by number and by size. */
export function cutIntoCalls(rows: readonly PlannedRow[]): PlannedRow[][] {
  const calls: PlannedRow[][] = [];
  let current: PlannedRow[] = [];
  let size = 0;
  for (const row of rows) {
    const length = JSON.stringify(row.example).length;
    if (current.length > 0 && (current.length >= limits.maxExamplesPerCall || size + length > maxCallCharacters)) {
      calls.push(current);
      current = [];
      size = 0;
    }
    current.push(row);
    size += length;
  }
  if (current.length > 0) calls.push(current);
  return calls;
}

export type ImportTarget = { kind: 'existing'; type: DecisionType } | { kind: 'new'; name: string };

/** Makes or extends the type so that every label and reason of the plan is known to it. */
async function prepareType(workbench: Workbench, target: ImportTarget, plan: Plan): Promise<DecisionType> {
  if (target.kind === 'new') {
    const body = { name: target.name, options: plan.newOptions, reason_codes: plan.newReasons };
    return change(workbench, 'decision_types.create', { body });
  }
  const { type } = target;
  if (plan.newOptions.length === 0 && plan.newReasons.length === 0) return type;
  const { options, reason_codes } = type.active_version;
  return change(workbench, 'decision_types.update', {
    params: { decision_type_id: type.id },
    body: {
      ...(plan.newOptions.length > 0 ? { options: [...options, ...plan.newOptions] } : {}),
      ...(plan.newReasons.length > 0 ? { reason_codes: [...reason_codes, ...plan.newReasons] } : {}),
    },
  });
}

/**
 * Imports a plan and takes note of it as one act. `onProgress` hears the share that is done. Where a call is refused,
 * what was added before is removed again and the refusal is thrown.
 */
export async function runImport(
  workbench: Workbench,
  target: ImportTarget,
  plan: Plan,
  title: string,
  onProgress: (share: number) => void,
): Promise<Act> {
  const type = await prepareType(workbench, target, plan);
  const params = { decision_type_id: type.id };
  const added: string[] = [];
  const calls = cutIntoCalls(plan.rows);
  try {
    for (const [index, rows] of calls.entries()) {
      const examples = rows.map(({ example }) => example);
      const made = await workbench.client.call('examples.create', {
        params,
        body: { examples: examples as InputOf<'examples.create'>['body']['examples'] },
      });
      for (const { id } of made) added.push(id);
      onProgress((index + 1) / calls.length);
    }
  } catch (error) {
    for (let at = 0; at < added.length; at += limits.maxExamplesPerCall) {
      const ids = added.slice(at, at + limits.maxExamplesPerCall);
      await workbench.client.call('examples.bulk', { params, body: { ids, action: 'delete' } });
    }
    if (target.kind === 'new') await change(workbench, 'decision_types.delete', { params });
    throw error;
  }
  const act = workbench.acts.added(type.id, added, title);
  workbench.queries.removeQueries({ queryKey: [queueKey, type.id] });
  await invalidate(workbench.queries, findStale('examples.create', { params }));
  return act;
}
