import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isInProgress, trainingStages } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { PolicyDetail, Progress } from '../../../server/contract/training.ts';
import { invalidate } from '../../api/changes.ts';
import { useChange, useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { percent } from '../../parts/figures.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import { useWorkbench } from '../../workbench.tsx';

const pollMs = 1_000;

const endings: Record<string, { text: string; tone: string }> = {
  deployed: { text: 'Done and deployed', tone: 'good' },
  trained: { text: 'Done, not deployed', tone: 'accent' },
  cancelled: { text: 'Cancelled', tone: '' },
  failed: { text: 'Failed', tone: 'bad' },
  stopping: { text: 'Stopping', tone: 'warn' },
  cancelling: { text: 'Cancelling', tone: 'warn' },
  training: { text: 'Training', tone: 'accent' },
};

/** The newest training: its stages while it runs, then its result in one sentence. */
export function TrainingProgress({
  type,
  policyId,
  version,
}: {
  type: DecisionType;
  policyId: string;
  version: number;
}) {
  const params = { decision_type_id: type.id, policy_id: policyId };
  const query = useOperation(
    'policies.progress',
    { params },
    { refetchMs: (data) => (data === undefined || isInProgress(data.status) ? pollMs : false) },
  );
  const cancel = useChange('policies.cancel');
  const progress = query.data;
  const isRunning = progress?.status === 'training';
  useEnding(type.id, version, progress);
  useCommands([
    {
      id: 'cancel-training',
      title: 'Cancel training',
      group: 'Training',
      enabled: isRunning,
      run: () => cancel.mutate({ params }),
    },
  ]);
  if (!progress) return query.isError ? <ErrorNote error={query.error} /> : <Busy>Reading the progress…</Busy>;
  const ending = endings[progress.status] ?? { text: progress.status, tone: '' };
  return (
    <Part title={`Policy v${version}`} tools={<span className={`tag ${ending.tone}`}>{ending.text}</span>}>
      <div className="stack">
        {isInProgress(progress.status) && <Running progress={progress} />}
        {(progress.status === 'trained' || progress.status === 'deployed') && (
          <Result type={type} policyId={policyId} isDeployed={progress.status === 'deployed'} />
        )}
        {progress.error && <p className="note error">{progress.error}</p>}
        {cancel.isError && <ErrorNote error={cancel.error} />}
        {isRunning && (
          <div>
            <Button variant="default" disabled={cancel.isPending} onClick={() => cancel.mutate({ params })}>
              Cancel training
            </Button>
          </div>
        )}
      </div>
    </Part>
  );
}

/** Tells once that a training has ended that was seen running, and has what it changed read again. */
function useEnding(typeId: string, version: number, progress: Progress | undefined): void {
  const { ui, queries } = useWorkbench();
  const [seenRunning, setSeenRunning] = useState(false);
  const status = progress?.status;
  const stageName = progress?.stage_name ?? null;
  useEffect(() => {
    if (status === undefined) return;
    if (isInProgress(status)) {
      setSeenRunning(true);
      if (stageName) ui.getState().announce(`Training: ${stageName}`);
    } else if (seenRunning) {
      setSeenRunning(false);
      const kind = status === 'failed' ? 'error' : 'info';
      notify({ kind, text: `Training of v${version}: ${endings[status]?.text ?? status}.` });
      void invalidate(queries, {
        names: [
          'policies.list',
          'policies.get',
          'decision_types.get',
          'decision_types.list',
          'credits.balance',
          'examples.stats',
        ],
        typeId,
      });
    }
  }, [status, stageName, seenRunning, ui, queries, typeId, version]);
}

const msPerSecond = 1_000;

function Running({ progress }: { progress: Progress }) {
  const done = new Set(progress.completed_stages.map(({ stage }) => stage));
  const left =
    progress.estimated_completion_at === null
      ? null
      : Math.max(0, Math.round((Date.parse(progress.estimated_completion_at) - Date.now()) / msPerSecond));
  return (
    <>
      <div
        className="meter"
        role="progressbar"
        aria-label="Training progress"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(progress.progress_percent)}
      >
        <span style={{ width: `${progress.progress_percent}%` }} />
      </div>
      <p className="muted number" title="How much is done, how long it has taken, and about how long it still takes.">
        {Math.round(progress.progress_percent)} % · {Math.round(progress.elapsed_seconds)} s
        {left !== null && ` · about ${left} s left`}
        {progress.message && ` · ${progress.message}`}
      </p>
      <ol className="steps">
        {trainingStages.map(({ stage, name }) => (
          <li key={stage} data-state={done.has(stage) ? 'done' : stage === progress.stage ? 'now' : 'later'}>
            <span className="dot" aria-hidden="true" />
            {name}
            {done.has(stage) && <span className="hidden">done</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** What came out, in one sentence. */
function toSentence({ metrics }: PolicyDetail): string {
  if (!metrics) return 'This policy decides by rules alone.';
  const { accuracy, accuracy_interval: interval, test_size } = metrics;
  if (test_size === 0)
    return `It is right on ${percent(accuracy)} of the examples that it learned from; none was held out.`;
  const between = interval ? ` (between ${percent(interval.low)} and ${percent(interval.high)})` : '';
  return `It is right on ${percent(accuracy)}${between} of ${test_size} examples that it had not seen.`;
}

function Result({ type, policyId, isDeployed }: { type: DecisionType; policyId: string; isDeployed: boolean }) {
  const policy = useOperation('policies.get', { params: { decision_type_id: type.id, policy_id: policyId } });
  const open = (place: 'evaluate' | 'try' | 'deploy') => () =>
    goTo({ page: 'type', id: type.id, place, ...(place === 'evaluate' ? { query: { policy: policyId } } : {}) });
  return (
    <>
      {policy.data && <p className="result">{toSentence(policy.data)}</p>}
      <div className="row">
        {policy.data?.metrics && (
          <Button variant="default" onClick={open('evaluate')}>
            See where it is wrong
          </Button>
        )}
        {isDeployed ? (
          <Button variant="default" onClick={open('try')}>
            Try it
          </Button>
        ) : (
          <Button onClick={open('deploy')}>Deploy it</Button>
        )}
      </div>
    </>
  );
}
