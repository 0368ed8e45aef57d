import { useEffect, useState } from 'react';
import { isInProgress, trainingStages } from '../../engine/domain.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { Progress, Readiness } from '../../server/contract/training.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { CheckField, TextField } from '../parts/fields.tsx';
import { Busy, Card, ErrorNote } from '../parts/layout.tsx';
import { formatRoute, goTo } from '../state/route.ts';
import { useWorkbench } from '../workbench.tsx';

const pollMs = 1_000;

/** Whether there are enough examples, the start of a training, and its progress. */
export function TrainTab({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const [tune, setTune] = useState(true);
  const [autoDeploy, setAutoDeploy] = useState(true);
  const [targetF1, setTargetF1] = useState('');
  const readiness = useOperation('training.readiness', { params });
  const policies = useOperation('policies.list', { params });
  const start = useChange('training.start');
  const newest = policies.data?.[0];
  const running = newest !== undefined && isInProgress(newest.status);
  const canStart = readiness.data?.ready === true && !running && !start.isPending;
  const begin = () => {
    if (!canStart) return;
    const body = {
      tune_hyperparams: tune,
      auto_deploy: autoDeploy,
      target_f1: targetF1.trim() === '' ? null : Number(targetF1),
    };
    start.mutate({ params, body });
  };
  useCommands([
    {
      id: 'train',
      title: 'Start training',
      group: 'Training',
      keys: 'Mod+Enter',
      inFields: true,
      enabled: canStart,
      run: begin,
    },
  ]);
  return (
    <div className="two">
      <div className="stack">
        {readiness.isPending && <Busy>Counting labelled examples…</Busy>}
        {readiness.isError && <ErrorNote error={readiness.error} retry={() => void readiness.refetch()} />}
        {readiness.data && <ReadinessCard type={type} readiness={readiness.data} />}
      </div>
      <div className="stack">
        <Card title="Training">
          <CheckField
            label="Search for the best settings"
            hint="Tries several settings and keeps the best; takes a little longer."
            checked={tune}
            onChecked={setTune}
          />
          <CheckField
            label="Deploy when it is done"
            hint="Otherwise the policy waits for you under Results."
            checked={autoDeploy}
            onChecked={setAutoDeploy}
          />
          <TextField
            label="Quality gate (macro F1)"
            hint="Optional, 0 to 1: below it the policy is not deployed by itself."
            type="number"
            min={0}
            max={1}
            step={0.01}
            value={targetF1}
            onValue={setTargetF1}
          />
          {start.isError && <ErrorNote error={start.error} />}
          <div className="row">
            <button type="button" className="primary" disabled={!canStart} onClick={begin}>
              Start training
            </button>
            {readiness.data && !readiness.data.ready && (
              <span className="muted">Not enough labelled examples yet.</span>
            )}
            {start.isPending && <Busy>Starting…</Busy>}
          </div>
        </Card>
        {newest && <ProgressCard key={newest.id} type={type} policyId={newest.id} version={newest.version} />}
      </div>
    </div>
  );
}

function ReadinessCard({ type, readiness }: { type: DecisionType; readiness: Readiness }) {
  const { options, per_option, min_per_option, issues } = readiness;
  return (
    <Card
      title="Readiness"
      actions={
        <span className={`badge ${readiness.ready ? 'good' : 'warn'}`}>{readiness.ready ? 'Ready' : 'Not ready'}</span>
      }
    >
      <p className="muted">
        {readiness.labelled_examples.toLocaleString()} of {readiness.total_examples.toLocaleString()} examples have a
        label. Each option needs {min_per_option}.
      </p>
      <div className="bars">
        {options.map((option) => {
          const count = per_option[option] ?? 0;
          return (
            <Row
              key={option}
              name={option}
              share={Math.min(1, count / min_per_option)}
              text={`${count}`}
              done={count >= min_per_option}
            />
          );
        })}
      </div>
      {issues.length > 0 && (
        <div className="note warn">
          <ul>
            {issues.map((issue) => (
              <li key={issue}>{issue}</li>
            ))}
          </ul>
          <p>
            <a href={formatRoute({ page: 'type', id: type.id, tab: 'examples' })}>Add or label examples</a>
          </p>
        </div>
      )}
    </Card>
  );
}

function Row({ name, share, text, done }: { name: string; share: number; text: string; done: boolean }) {
  return (
    <>
      <span className="name">{name}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%`, background: done ? 'var(--good)' : 'var(--warn)' }} />
      </span>
      <span className="number">{text}</span>
    </>
  );
}

const endings: Record<string, { text: string; badge: string }> = {
  deployed: { text: 'Done and deployed', badge: 'good' },
  trained: { text: 'Done, not deployed', badge: 'accent' },
  cancelled: { text: 'Cancelled', badge: '' },
  failed: { text: 'Failed', badge: 'bad' },
  stopping: { text: 'Stopping', badge: 'warn' },
  cancelling: { text: 'Cancelling', badge: 'warn' },
  training: { text: 'Training', badge: 'accent' },
};

function ProgressCard({ type, policyId, version }: { type: DecisionType; policyId: string; version: number }) {
  const { ui, queries } = useWorkbench();
  const params = { decision_type_id: type.id, policy_id: policyId };
  const query = useOperation(
    'policies.progress',
    { params },
    { refetchMs: (data) => (data === undefined || isInProgress(data.status) ? pollMs : false) },
  );
  const cancel = useChange('policies.cancel');
  const progress = query.data;
  const status = progress?.status;
  const stageName = progress?.stage_name ?? null;
  const running = status === 'training';
  const [seenRunning, setSeenRunning] = useState(false);
  useEffect(() => {
    if (status === undefined) return;
    if (isInProgress(status)) {
      setSeenRunning(true);
      if (stageName) ui.getState().announce(`Training: ${stageName}`);
    } else if (seenRunning) {
      setSeenRunning(false);
      ui.getState().notify(
        status === 'failed' ? 'error' : 'info',
        `Training of v${version}: ${endings[status]?.text ?? status}.`,
      );
      void queries.invalidateQueries();
    }
  }, [status, stageName, seenRunning, ui, queries, version]);
  useCommands([
    {
      id: 'cancel-training',
      title: 'Cancel training',
      group: 'Training',
      enabled: running,
      run: () => cancel.mutate({ params }),
    },
  ]);
  if (!progress) return query.isError ? <ErrorNote error={query.error} /> : <Busy>Reading the progress…</Busy>;
  const ending = endings[progress.status] ?? { text: progress.status, badge: '' };
  return (
    <Card title={`Policy v${version}`} actions={<span className={`badge ${ending.badge}`}>{ending.text}</span>}>
      {isInProgress(progress.status) && <RunningPart progress={progress} />}
      {(progress.status === 'trained' || progress.status === 'deployed') && (
        <div className="row">
          <button type="button" onClick={() => goTo({ page: 'type', id: type.id, tab: 'results' })}>
            See results
          </button>
          <button type="button" onClick={() => goTo({ page: 'type', id: type.id, tab: 'try' })}>
            Try it
          </button>
        </div>
      )}
      {progress.error && <p className="note error">{progress.error}</p>}
      {cancel.isError && <ErrorNote error={cancel.error} />}
      {running && (
        <div className="row">
          <button
            type="button"
            className="danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ params })}
          >
            Cancel training
          </button>
        </div>
      )}
    </Card>
  );
}

function RunningPart({ progress }: { progress: Progress }) {
  const done = new Set(progress.completed_stages.map(({ stage }) => stage));
  return (
    <>
      <div
        className="bar"
        role="progressbar"
        aria-label="Training progress"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(progress.progress_percent)}
      >
        <span style={{ width: `${progress.progress_percent}%` }} />
      </div>
      <p className="muted number">
        {Math.round(progress.progress_percent)} % · {Math.round(progress.elapsed_seconds)} s
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
