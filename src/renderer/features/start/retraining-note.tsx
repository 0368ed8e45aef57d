import { Button } from '@mantine/core';
import { useIsMutating, useMutation } from '@tanstack/react-query';
import { isInProgress } from '../../../engine/domain/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { invalidate } from '../../api/changes.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { isolate } from '../../parts/text/names.ts';
import { change } from '../../state/queries.ts';
import { useWorkbench, type Workbench } from '../../state/workbench.ts';

const pollMs = 2_000;
const mutationKey = ['retrain'];

/** Names the types whose policies must be trained again, and trains all on a press; nothing without any. */
export function RetrainingNote({ types }: { types: readonly DecisionType[] }) {
  const workbench = useWorkbench();
  const outdated = types.filter((type) => type.needs_retraining);
  const retrain = useMutation({ mutationKey, mutationFn: () => trainInTurn(workbench, outdated) });
  // Somebody may leave the page and come back meanwhile.
  const isTraining = useIsMutating({ mutationKey }) > 0;
  if (outdated.length === 0) return null;
  return (
    <div className="note warn stack tight" role="status">
      <p className="wrap">
        These decision types need a new training, because their options have changed or their policies were trained with
        another text model: {outdated.map(({ name }) => isolate(name)).join(', ')}.
      </p>
      {retrain.error && <ErrorNote error={retrain.error} />}
      {isTraining ? (
        <Busy>Training one after the other; each type decides as soon as it is trained.</Busy>
      ) : (
        <Button onClick={() => retrain.mutate()}>
          {outdated.length === 1 ? 'Train it again' : `Train all ${outdated.length} again`}
        </Button>
      )}
    </div>
  );
}

/** Queues a training of each type, and follows them to their ends; rejects with what failed. */
async function trainInTurn(workbench: Workbench, types: readonly DecisionType[]): Promise<void> {
  const ends = await Promise.allSettled(types.map(({ id }) => train(workbench, id)));
  const failures = ends.flatMap((end, at) =>
    end.status === 'fulfilled'
      ? []
      : [`${types[at]?.name}: ${end.reason instanceof Error ? end.reason.message : String(end.reason)}`],
  );
  if (failures.length > 0) throw new Error(failures.join(' '));
}

/** Trains a type with the settings of its last training, unless one is in progress: that one is followed. */
async function train(workbench: Workbench, typeId: string): Promise<void> {
  const params = { decision_type_id: typeId };
  const last = (await workbench.client.call('policies.list', { params })).find(
    ({ policy_type }) => policy_type !== 'rules_only',
  );
  const config =
    last &&
    (await workbench.client.call('policies.get', { params: { ...params, policy_id: last.id } })).training_config;
  const policy_id =
    last && isInProgress(last.status)
      ? last.id
      : (await change(workbench, 'training.start', { params, body: { ...config, auto_deploy: true } })).policy_id;
  for (;;) {
    const progress = await workbench.client.call('policies.progress', { params: { ...params, policy_id } });
    if (progress.status === 'failed') throw new Error(progress.error ?? 'The training failed.');
    if (!isInProgress(progress.status)) break;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  await invalidate(workbench.queries, { names: ['decision_types.list', 'decision_types.get'], typeId: null });
}
