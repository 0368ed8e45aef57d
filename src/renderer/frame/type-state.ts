/** How a decision type stands, in one line for rail and bar. */
import { isInProgress } from '../../engine/domain/training.ts';
import { type AccuracyQuote, quoteAccuracy } from '../../engine/measure/quote-share.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import type { PolicySummary, Readiness } from '../../server/contract/policies/training.ts';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { count, number } from '../parts/text/figures.ts';
import { quoteNames } from '../parts/text/names.ts';
import { useOperation } from '../state/queries.ts';
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
function listSteps({ type, stats, readiness, policies }: Known): Step[] {
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
function findNext(steps: readonly Step[], unlabelled: number): Act {
  const first = steps.find(({ isDone }) => !isDone);
  return first?.act ?? (unlabelled > 0 ? toLabel(unlabelled) : { text: 'try it', to: { place: 'try' } });
}

type Tone = 'good' | 'warn' | 'bad' | '';

/** The state of a type as a colour and a word. */
export function toTypeTone(type: DecisionType): { tone: Tone; word: string } {
  if (type.availability?.state === 'unavailable') return { tone: 'bad', word: 'unavailable' };
  if (type.needs_retraining) return { tone: 'warn', word: 'needs retraining' };
  return type.model_deployed ? { tone: 'good', word: 'deployed' } : { tone: '', word: 'draft' };
}

/** A figure beside a place, its meaning, to stand behind the place's name, and whether it waits for a person. */
type PlaceFigure = { text: string; says: string; isWaiting?: boolean };

export type TypeState = {
  figures: Partial<Record<Place, PlaceFigure | false | null | undefined>>;
  /** `quote` is what to say of its accuracy, and `headline` says more; null where nothing was measured. */
  deployed: { name: string; quote: AccuracyQuote | null; headline: string | null } | null;
  running: { policyId: string; version: number } | null;
  /** Empty until the server has answered. */
  steps: readonly Step[];
  next: Act | null;
};

const trainingPollMs = 2_000;

/** The state of one type from what its places read anyway; by the id of the address, so that counts need not wait. */
export function useTypeState(typeId: string | null, type: DecisionType | null): TypeState {
  const params = { decision_type_id: typeId ?? '' };
  const enabled = typeId !== null;
  const stats = useOperation('examples.stats', { params }, { enabled }).data;
  const readiness = useOperation('training.readiness', { params, query: {} }, { enabled }).data;
  const policies = useOperation(
    'policies.list',
    { params },
    { enabled, refetchMs: (data) => (data?.some(({ status }) => isInProgress(status)) ? trainingPollMs : false) },
  ).data;
  const isDeciding = enabled && type?.model_deployed === true;
  const drift = useOperation('metrics.drift', { params }, { enabled: isDeciding }).data;
  const newest = policies?.[0];
  const deployed = policies?.find((policy) => policy.deployed) ?? null;
  const quote = deployed?.whole ? quoteAccuracy(deployed.whole.accuracy) : null;
  const running = newest && isInProgress(newest.status) ? newest : null;
  const isReady = readiness?.ready === true;
  const toDo = stats?.unlabelled ?? 0;
  const steps = stats && readiness && policies ? listSteps({ type, stats, readiness, policies }) : [];
  const rules = type?.active_version.hard_rules.filter(({ hint }) => !hint).length ?? 0;
  return {
    figures: {
      rules: type?.draft
        ? { ...toFigure('draft', 'changes that are not published yet.'), isWaiting: true }
        : rules > 0 && toFigure(number(rules), 'rules that decide before the classifier is asked.'),
      examples: stats && toExamplesFigure(stats.total, toDo),
      train: running
        ? running.status === 'queued'
          ? toFigure('queued', 'a training waits for the one under way.')
          : toFigure('running', 'a training is under way.')
        : isReady && toFigure('ready', 'there are enough labelled examples.'),
      evaluate:
        quote?.isKnown === true && deployed?.whole && toFigure(quote.figure, quoteNames(deployed.whole.headline)),
      deploy: deployed && toFigure(`v${deployed.version}`, 'the policy that decides now.'),
      monitor: drift && toDriftFigure(drift),
    },
    deployed: deployed && {
      name: `v${deployed.version}`,
      quote,
      headline: deployed.whole?.headline ?? null,
    },
    running: running && { policyId: running.id, version: running.version },
    steps,
    next: steps.length === 0 ? null : findNext(steps, toDo),
  };
}

const toFigure = (text: string, says: string): PlaceFigure => ({ text, says });

function toDriftFigure({ items, unfamiliar }: OutputOf<'metrics.drift'>): PlaceFigure | null {
  const differing = count(items.length, 'field differs', 'fields differ');
  const sentences = [
    ...(items.length === 0 ? [] : [`${differing} from those of the examples.`]),
    ...(unfamiliar === null ? [] : [unfamiliar.sentence]),
  ];
  return sentences.length === 0 ? null : { ...toFigure('changed', sentences.join(' ')), isWaiting: true };
}

function toExamplesFigure(total: number, toDo: number): PlaceFigure {
  if (toDo > 0) return toFigure(`${number(toDo)} to do`, 'those that still have no label.');
  return toFigure(number(total), 'all of them have a label.');
}
