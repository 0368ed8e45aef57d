import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { isInProgress, trainingStages } from '../../../engine/domain/training.ts';
import { computeWilsonInterval } from '../../../engine/intervals.ts';
import { quoteShare } from '../../../engine/measure/quote-share.ts';
import type { MeasuredShare } from '../../../engine/measured.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { PolicyDetail, PolicySummary, Progress } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { invalidate } from '../../api/changes.ts';
import { RightShare } from '../../parts/bars.tsx';
import { OtherWays } from '../../parts/explained/other-ways.tsx';
import { VerdictNotes } from '../../parts/explained/verdict-notes.tsx';
import { Busy, ErrorNote, Facts, Part } from '../../parts/notes.tsx';
import { PendingFollowUp } from '../../parts/pending-follow-up.tsx';
import { percent } from '../../parts/text/figures.ts';
import { isolate, quoteNames } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { useChange, useOperation, usePolicy } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { BetterPolicy } from './better-policy.tsx';
import { textModelNames } from './training-options.tsx';

/** Unseen examples of an option from which on it is called the weakest. */
const minSupport = 5;

/** The share of its unseen examples that are decided as an option. */
function measureOption({ recall = 0, support = 0 }: { recall?: number; support?: number }): MeasuredShare {
  const count = Math.round(recall * support);
  return { count, of: support, share: recall, ...computeWilsonInterval(count, support) };
}

/** Shows what a training has brought: its figure beside what is reached without it, and where it is weakest. */
function Learned({ whole }: { whole: OutputOf<'policies.whole'> }) {
  const { automatic, error_automatic } = whole;
  const [weakest] = Object.entries(whole.per_class)
    .filter(([, { support = 0, recall }]) => support >= minSupport && (recall ?? 0) < 1)
    .sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  const toFact = (name: string, share: MeasuredShare, help: string) => {
    const { isKnown, figure, beside } = quoteShare(share);
    return isKnown ? [{ name, value: figure, detail: beside, help }] : [];
  };
  return (
    <>
      <RightShare whole={whole} />
      <Facts
        items={[
          ...toFact('automated', automatic, 'The share of unseen examples that needs no review.'),
          ...toFact('of these wrong', error_automatic, 'Of the decisions without a review.'),
          ...(weakest
            ? toFact(
                `of ${isolate(weakest[0])} found, the weakest option`,
                measureOption(weakest[1]),
                'The share of its unseen examples that was decided as it.',
              )
            : []),
        ]}
      />
    </>
  );
}

const Compared = lazy(async () => ({ default: (await import('./compared.tsx')).Compared }));

const pollMs = 1_000;

/** How a training stands or ended: beside its name, and in the message at its end. */
const endings: Record<string, { text: string; tone: string; notice?: string }> = {
  deployed: { text: 'Trained and live', tone: 'good', notice: 'is trained and live' },
  trained: { text: 'Trained, not live', tone: 'accent', notice: 'is trained and waits under Deploy' },
  cancelled: { text: 'Cancelled', tone: '', notice: 'was cancelled' },
  failed: { text: 'Failed', tone: 'bad', notice: 'could not be trained' },
  stopping: { text: 'Stopping', tone: 'warn' },
  cancelling: { text: 'Cancelling', tone: 'warn' },
  training: { text: 'Training', tone: 'accent' },
  queued: { text: 'Queued', tone: '' },
};

/** The newest training: its stages while it runs, then its result in one sentence. */
export function TrainingProgress({ type, policy }: { type: DecisionType; policy: PolicySummary }) {
  const { id: policyId, version } = policy;
  const params = { decision_type_id: type.id, policy_id: policyId };
  const query = useOperation(
    'policies.progress',
    { params },
    { refetchMs: (data) => (data === undefined || isInProgress(data.status) ? pollMs : false) },
  );
  const cancel = useChange('policies.cancel');
  const progress = query.data;
  const isTrained = progress?.status === 'trained' || progress?.status === 'deployed';
  const detail = usePolicy(type.id, isTrained ? policyId : undefined).data;
  const isQueued = progress?.status === 'queued';
  const mayCancel = isQueued || progress?.status === 'training';
  useEnding(type, version, progress);
  useCommands('Training', [
    { id: 'cancel-training', title: 'Cancel training', enabled: mayCancel, run: () => cancel.mutate({ params }) },
  ]);
  if (!progress) return query.isError ? <ErrorNote error={query.error} /> : <Busy>Reading the progress…</Busy>;
  const ending = endings[progress.status] ?? { text: progress.status, tone: '' };
  return (
    <>
      <Part title={`Policy v${version}`} tools={<span className={`tag ${ending.tone}`}>{ending.text}</span>}>
        <div className="stack">
          {isQueued && <p role="status">{progress.message}.</p>}
          {!isQueued && isInProgress(progress.status) && <Running progress={progress} />}
          {isTrained && (
            <Result type={type} policy={policy} detail={detail} isDeployed={progress.status === 'deployed'} />
          )}
          {progress.error && <p className="note error">{progress.error}</p>}
          {cancel.isError && <ErrorNote error={cancel.error} />}
          {mayCancel && (
            <Button disabled={cancel.isPending} onClick={() => cancel.mutate({ params })}>
              Cancel training
            </Button>
          )}
        </div>
      </Part>
      <Suspense>{isTrained && detail && <Compared policy={detail} names={textModelNames} />}</Suspense>
    </>
  );
}

/** Tells once that a training has ended that was seen running, and has what it changed read again. */
function useEnding({ id: typeId, name }: DecisionType, version: number, progress: Progress | undefined): void {
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
      notify({ kind, text: `${isolate(name)}: v${version} ${endings[status]?.notice ?? status}.` });
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
  }, [status, stageName, seenRunning, ui, queries, typeId, name, version]);
}

function Running({ progress }: { progress: Progress }) {
  const done = new Set(progress.completed_stages.map(({ stage }) => stage));
  return (
    <>
      <progress aria-label="Training progress" max={100} value={progress.progress_percent} />
      <p className="muted number" title="How much is done, how long it has taken, and about how long it still takes.">
        {Math.round(progress.progress_percent)}% · {Math.round(progress.elapsed_seconds)} s
        {progress.duration_hint && ` · ${progress.duration_hint}`}
        {progress.message && ` · ${progress.message}`}
      </p>
      <ol className="steps">
        {trainingStages.map(({ stage, name }) => (
          <li key={stage} data-state={done.has(stage) ? 'done' : stage === progress.stage ? 'now' : 'later'}>
            <span
              className={`dot ${done.has(stage) ? 'good' : stage === progress.stage ? 'accent' : ''}`}
              aria-hidden="true"
            />
            {name}
            {done.has(stage) && <span className="hidden">done</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Says what came out, in one sentence; null until the list of policies has heard of it. */
function toSentence({ whole, accuracy, policy_type }: PolicySummary): string | null {
  if (whole !== null) return quoteNames(whole.headline);
  if (policy_type === 'rules_only') return 'This policy decides by rules alone.';
  if (accuracy === null) return null;
  return `The classifier is right on ${percent(accuracy)} of the examples that it learned from; none was held out.`;
}

type ResultProps = {
  type: DecisionType;
  policy: PolicySummary;
  detail: PolicyDetail | undefined;
  isDeployed: boolean;
};

function Result({ type, policy, detail, isDeployed }: ResultProps) {
  const sentence = toSentence(policy);
  const params = { decision_type_id: type.id, policy_id: policy.id };
  const metrics = detail?.metrics;
  const isMeasured = policy.whole !== null && policy.whole.rows > 0;
  const whole = useOperation('policies.whole', { params, query: {} }, { enabled: isMeasured }).data;
  const open = (place: 'evaluate' | 'try' | 'deploy') => () =>
    goTo({ page: 'type', id: type.id, place, ...(place === 'evaluate' ? { query: { policy: policy.id } } : {}) });
  return (
    <>
      {whole ? <Learned whole={whole} /> : sentence && <p>{sentence}</p>}
      <VerdictNotes
        policy={policy}
        kinds={isDeployed ? ['retraining'] : ['gate', 'promise', 'must', 'worse', 'groups', 'retraining']}
      />
      {detail && <OtherWays policy={detail} />}
      {metrics?.left_to_rules && <p>{metrics.left_to_rules.sentence}</p>}
      {metrics?.hints && <p>{metrics.hints.sentence}</p>}
      <PendingFollowUp typeId={type.id} policyId={policy.id} />
      <BetterPolicy policy={policy} />
      <div className="row">
        {policy.accuracy !== null && <Button onClick={open('evaluate')}>See where it is wrong</Button>}
        {isDeployed && <Button onClick={open('try')}>Try it</Button>}
        {!isDeployed && policy.follows === null && (
          <Button variant="filled" onClick={open('deploy')}>
            Deploy it
          </Button>
        )}
      </div>
    </>
  );
}
