/** The way of a decision type from its first file to decisions: five steps, each with its next act. */
import { isInProgress } from '../../engine/domain/training.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import type { PolicySummary, Readiness } from '../../server/contract/policies/training.ts';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { count } from '../parts/text/figures.ts';
import type { Place, Query } from '../state/route.ts';

/** The next act: the words after “Next:” on its button, and the place where it is done. */
export type Act = { text: string; to: { place: Place; query?: Query } };
export type Step = {
  name: string;
  isDone: boolean;
  act: Act /** Its act is offered although it is done. */;
  isOffered?: true;
};

type Known = {
  type: Pick<DecisionType, 'needs_retraining' | 'model_deployed'> | null;
  stats: Pick<OutputOf<'examples.stats'>, 'total' | 'unlabelled' | 'by_queue'>;
  readiness: Pick<Readiness, 'ready' | 'missing_labels'>;
  /** Newest first. */
  policies: readonly Pick<PolicySummary, 'status' | 'version' | 'deployed'>[];
};

/** Lists the five steps, each with the act that it waits for. */
export function listSteps({ type, stats, readiness, policies }: Known): Step[] {
  const newest = policies[0];
  const isRunning = newest !== undefined && isInProgress(newest.status);
  const isTrained = policies.some(({ status }) => status === 'trained' || status === 'deployed');
  const waits = newest?.status === 'trained' && !newest.deployed;
  const { suspect, corrections, audit } = stats.by_queue;
  // A policy that waits for its deployment may have learned the corrections already.
  const toLearn = waits ? 0 : corrections;
  return [
    { name: 'Data', isDone: stats.total > 0 || isTrained, act: { text: 'import examples', to: { place: 'import' } } },
    {
      name: 'Labels',
      isDone: readiness.ready || isTrained || isRunning,
      act:
        stats.unlabelled > 0
          ? toLabel(stats.unlabelled, readiness.missing_labels)
          : { text: 'add examples', to: { place: 'import' } },
    },
    {
      name: 'Train',
      isDone: isTrained && !isRunning && type?.needs_retraining !== true && toLearn === 0,
      act: isRunning
        ? { text: 'see the training', to: { place: 'train' } }
        : { text: toLearn > 0 ? `train on ${count(toLearn, 'correction')}` : 'train', to: { place: 'train' } },
    },
    {
      name: 'Check',
      isDone: isTrained && audit === 0,
      ...(audit > 0
        ? { act: toQueue(`check ${count(audit, 'decision')}`, 'audit') }
        : suspect > 0
          ? // Labels that a model doubts are worth a look, and never the way to a better figure.
            { act: toQueue(`review ${count(suspect, 'label')} the model disagrees with`, 'suspect'), isOffered: true }
          : { act: { text: 'check', to: { place: 'evaluate' } } }),
    },
    {
      name: 'Deploy',
      isDone: type?.model_deployed === true && !waits,
      act: { text: newest === undefined ? 'deploy' : `deploy v${newest.version}`, to: { place: 'deploy' } },
    },
  ];
}

/** Labels some rows: as many as a training still needs, or else all that are open. */
const toLabel = (open: number, missing = 0): Act => ({
  text: missing > 0 && missing < open ? `label ${count(missing, 'more row')}` : `label ${count(open, 'row')}`,
  to: { place: 'examples' },
});
const toQueue = (text: string, queue: string): Act => ({
  text,
  to: { place: 'examples', query: { queue } },
});

/** The one next act: that of the first step which is not done, then what is still to label, then a try. */
export function findNext(steps: readonly Step[], unlabelled: number): Act {
  const first = steps.find(({ isDone }) => !isDone);
  return first?.act ?? (unlabelled > 0 ? toLabel(unlabelled) : { text: 'try it', to: { place: 'try' } });
}
