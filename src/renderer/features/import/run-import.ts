/** Carries an import out: all of it counts at once, or nothing where it is cancelled, refused or its page closed. */
import { limits } from '../../../engine/limits.ts';
import { ApiError } from '../../../server/contract/client.ts';
import type { InputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { Act } from '../../api/journal.ts';
import { queueKey } from '../../api/labels.ts';
import { change } from '../../state/queries.ts';
import type { Workbench } from '../../state/workbench.ts';
import type { Plan } from './plan.ts';

/** Small enough to show how far the import is and to be cancelled between two parts. */
const maxPartCharacters = 1_000_000;
const retryAfterMs = 2_000;

type Examples = InputOf<'imports.put_part'>['body']['examples'];

/** Cuts rows into parts, by number and by size. */
export function cutIntoParts(rows: Plan['rows']): Examples[] {
  const parts: Examples[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const { input, decision, reasonCodes: reason_codes } of rows) {
    const example = { input, decision, reason_codes };
    const length = JSON.stringify(example).length;
    let part = parts.at(-1);
    if (part === undefined || part.length >= limits.maxExamplesPerCall || size + length > maxPartCharacters) {
      part = [];
      parts.push(part);
      size = 0;
    }
    part.push(example as Examples[number]);
    size += length;
  }
  return parts;
}

export type ImportTarget = { kind: 'existing'; type: DecisionType } | { kind: 'new'; name: string };

/** Asked again under the key of the import where its answer was lost, a commit is answered as the first time. */
async function commit(workbench: Workbench, import_id: string, parts: number) {
  const input = { params: { import_id }, body: { parts }, idempotencyKey: import_id };
  try {
    return await change(workbench, 'imports.commit', input);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unreachable') throw error;
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    return change(workbench, 'imports.commit', input);
  }
}

/**
 * Imports a plan and takes note of it as one act. `onProgress` hears the share that was sent; once all of it was, the
 * server writes it. Resolves with null where `signal` cancelled it before it counted.
 */
export async function runImport(
  workbench: Workbench,
  target: ImportTarget,
  plan: Plan,
  title: string,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Act | null> {
  const { client } = workbench;
  const owner = target.kind === 'new' ? { name: target.name } : { decision_type_id: target.type.id };
  const { id: import_id } = await client.call('imports.begin', {
    body: { ...owner, options: plan.newOptions, reason_codes: plan.newReasons, readings: plan.newReadings },
  });
  const params = { import_id };
  const cancel = () => client.call('imports.cancel', { params }).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    const parts = cutIntoParts(plan.rows);
    const added: string[] = [];
    for (const [part, examples] of parts.entries()) {
      const input = { params: { import_id, part: String(part) }, body: { examples } };
      for (const id of (await client.call('imports.put_part', input, signal)).example_ids) added.push(id);
      onProgress((part + 1) / parts.length);
    }
    const { decision_type } = await commit(workbench, import_id, parts.length);
    workbench.queries.removeQueries({ queryKey: [queueKey, decision_type.id] });
    return workbench.acts.added(decision_type.id, added, title);
  } catch (error) {
    if (signal.aborted) return null;
    void cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
