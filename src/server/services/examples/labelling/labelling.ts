/** Labelling: which examples to look at next, with a suggestion and the reason, and which are like one. */
import { isBareFallback } from '../../../../engine/decide/compose-decision.ts';
import { byName } from '../../../../engine/domain/records.ts';
import { WorkbenchError } from '../../../../engine/errors.ts';
import type { ExampleRecord } from '../../../../engine/examples/fields.ts';
import { describeSuspect, type LabelCheck } from '../../../../engine/findings/labels.ts';
import type { QueueOrder } from '../../../../engine/labelling/choose-rows.ts';
import type { SimilarRows } from '../../../../engine/labelling/labelling-model.ts';
import { labellingQueues } from '../../../contract/examples/examples.ts';
import type { LabellingQueue, Suggestion } from '../../../contract/examples/labelling.ts';
import type { Foundation } from '../../../foundation.ts';
import { isoTime } from '../../../process/clock.ts';
import type { ModelNext, ModelSuggestion } from '../../../runtime/labelling/labelling-models.ts';
import type { ExampleQueue } from '../../../store/examples/labelling.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import { showDrawn } from '../audit.ts';
import { findExample } from '../examples.ts';
import { describeConflict, hideLabel } from '../second-readings.ts';

type NextExample = { example: ExampleRecord; suggestion: Suggestion | null; why: string };

/** Options that a suggestion of a policy names: as many as there are keys for them. */
const maxLikely = 9;

const secondReadingText =
  'A second reading. The first label is not shown, nor what a model would say, so that you judge freely.';

/**
 * Gives a session the next examples of a queue and keeps them from all others for five minutes: those most useful to
 * the labelling model, or evenly from all while it reads them, the most doubtful suspects, else the newest. What the
 * session has had comes again only where nothing else is left, and so does what others have had for a minute: a queue
 * may hold what was labelled, a row that was passed over is free again in time, and a closed window labels nothing.
 */
export async function takeNextExamples(
  deps: Foundation,
  type: DecisionTypeRecord,
  {
    queue,
    count,
    session = '',
    restart,
    reader,
  }: {
    queue: LabellingQueue;
    count: number;
    session?: string | undefined;
    restart: boolean;
    /** Who asks: nobody reads their own label again within a week. */
    reader: string | null;
  },
) {
  const { leases } = deps.runtime;
  if (restart) leases.giveBack(type.id, session);
  const before = leases.listTaken(type.id, session);
  const isOpen = queue === 'to_label' || queue === 'random';
  const order = queue === 'random' ? 'random' : 'useful';
  const live = await askLabellingModel(deps, type, isOpen ? count : 0, [...before.out, ...before.had], order);
  const modelRows = new Map(live.rows.map((row) => [row.id, row]));
  // Another call may have taken some of them while the model was asked.
  const { out, firm, had } = leases.listTaken(type.id, session);
  const seen = [...out, ...had];
  const chosen = readChosen(deps, type, live, new Set(seen));
  if (queue === 'audit') showDrawn(deps, type, count - readQueue(deps, type, queue, count, seen, reader).length);
  for (const except of [...(had.length > 0 ? [seen] : []), out, firm]) {
    if (chosen.length === count) break;
    const others = [...except, ...chosen.map(({ id }) => id)];
    chosen.push(...readQueue(deps, type, queue, count - chosen.length, others, reader));
  }
  for (const { id } of chosen) leases.give(type.id, id, session, null);
  const items =
    queue === 'suspect'
      ? chosen.map((example) => explainSuspect(deps, type, example))
      : await suggestAndExplain(deps, type, queue, chosen, modelRows);
  for (const { example, suggestion } of items)
    if (example.decision === null) leases.give(type.id, example.id, session, suggestion?.decision ?? null);
  const recent = leases.countRecent(type.id);
  return {
    items,
    remaining: countRemaining(deps, type, queue, reader),
    recent,
    examplesRead: live.read,
    labels: live.labels,
    drawn: live.drawn,
  };
}

async function suggestAndExplain(
  deps: Foundation,
  type: DecisionTypeRecord,
  queue: Exclude<LabellingQueue, 'suspect'>,
  examples: readonly ExampleRecord[],
  modelRows: ReadonlyMap<string, ModelNext['rows'][number]>,
): Promise<NextExample[]> {
  if (queue === 'second_reading' || queue === 'conflicts') {
    // A model's answer would speak for one of two labels.
    if (queue === 'conflicts') {
      const now = deps.clock.now();
      deps.store.transaction(() => {
        for (const { id } of examples) deps.store.labelHistory.noteShown(id, now);
      });
    }
    return examples.map((example) =>
      queue === 'conflicts'
        ? { example, suggestion: null, why: describeConflict(deps, example) }
        : { example: hideLabel(example, null), suggestion: null, why: secondReadingText },
    );
  }
  const suggestions = await suggest(deps, type, examples, modelRows);
  return examples.map((example, index) => {
    const suggestion = suggestions[index] ?? null;
    const row = modelRows.get(example.id) ?? null;
    return { example, suggestion, why: explain(queue, example, row, suggestion?.source === 'policy') };
  });
}

/** Suggestion and reason from the models that doubt the label: a policy has learned it, right or wrong. */
function explainSuspect({ store }: Foundation, type: DecisionTypeRecord, example: ExampleRecord): NextExample {
  const check = store.trainingRuns.labelChecks.find(type.id, example.id);
  if (check === null) return { example, suggestion: null, why: 'Its label was suspect.' };
  const { likelier: decision, likelier_probability: probability } = check;
  const likely = [
    { decision, probability },
    { decision: check.label, probability: check.probability },
  ];
  return {
    example,
    suggestion: { decision, probability, source: 'label_check', likely, beats_chance: true },
    why: describeSuspect(check),
  };
}

/** Returns a suggestion for each of the examples that exist; none of them is given out. */
export async function suggestLabels(
  deps: Foundation,
  type: DecisionTypeRecord,
  ids: readonly string[],
): Promise<{ id: string; suggestion: Suggestion | null }[]> {
  const examples = ids.flatMap((id) => deps.store.examples.get(type.id, id) ?? []);
  const suggestions = await suggest(deps, type, examples, new Map());
  return examples.map(({ id }, index) => ({ id, suggestion: suggestions[index] ?? null }));
}

/** Returns the examples most like one; throws `not_found`, or `conflict` while they are being read. */
export async function findSimilarExamples(
  deps: Foundation,
  type: DecisionTypeRecord,
  id: string,
  { count, among }: { count: number; among: SimilarRows },
): Promise<{ example: ExampleRecord; similarity: number }[]> {
  findExample(deps, type, id);
  const similar = await deps.runtime.labellingModels.findSimilar(type, id, count, among).catch(() => null);
  if (similar === null && among !== 'all') return [];
  if (similar === null) {
    throw new WorkbenchError('conflict', 'The examples are still being read. Ask again in a few seconds.');
  }
  return similar.flatMap(({ id: other, similarity }) => {
    const example = deps.store.examples.get(type.id, other);
    return example === null ? [] : [{ example, similarity: Math.max(-1, Math.min(1, similarity)) }];
  });
}

/** A labelling model that cannot be asked must not keep anybody from labelling: the queue goes on without it. */
async function askLabellingModel(
  deps: Foundation,
  type: DecisionTypeRecord,
  count: number,
  taken: readonly string[],
  order: QueueOrder,
): Promise<ModelNext> {
  return await deps.runtime.labellingModels
    .next(type, count, taken, order)
    .catch(() => ({ rows: [], read: 0, labels: 0, drawn: 0 }));
}

function readChosen(
  { store }: Foundation,
  type: DecisionTypeRecord,
  { rows }: ModelNext,
  taken: ReadonlySet<string>,
): ExampleRecord[] {
  return rows.flatMap(({ id }) => {
    const example = taken.has(id) ? null : store.examples.get(type.id, id);
    const isOpen = example !== null && example.decision === null && example.mark === null && !example.audited;
    return isOpen ? [example] : [];
  });
}

function readQueue(
  deps: Foundation,
  type: DecisionTypeRecord,
  queue: LabellingQueue,
  limit: number,
  except: readonly string[],
  reader: string | null,
): ExampleRecord[] {
  const { store } = deps;
  if (queue !== 'suspect') {
    return store.labelling.readQueue(type.id, toStoreQueue(deps, type, queue, reader), limit, except);
  }
  const checks = listSuspects(deps, type, limit, except);
  return checks.flatMap(({ example_id }) => store.examples.get(type.id, example_id) ?? []);
}

/** Up to `limit` suspect labels of the newest search, the most certain first. */
function listSuspects(
  { store }: Foundation,
  type: DecisionTypeRecord,
  limit: number,
  except: readonly string[],
): LabelCheck[] {
  const { labelChecks } = store.trainingRuns;
  const search = labelChecks.findNewest(type.id);
  return search === null ? [] : labelChecks.listSuspects(search, type.activeVersion.definition.options, limit, except);
}

/** Counts what the newest search of suspect labels expects, and which of its suspects have another label since. */
export function countSuspects({ store }: Foundation, type: DecisionTypeRecord) {
  const { labelChecks } = store.trainingRuns;
  const search = labelChecks.findNewest(type.id);
  if (search === null) return null;
  const { expectedWrong: expected_wrong, createdAt } = search;
  return {
    expected_wrong,
    corrected: labelChecks.countCorrected(search.id),
    checked_at: isoTime(createdAt),
  };
}

/** Counts the examples that each queue holds, those given out included. */
export function countQueues(deps: Foundation, type: DecisionTypeRecord): Record<LabellingQueue, number> {
  return byName(labellingQueues, (queue) => countRemaining(deps, type, queue, null));
}

function countRemaining(
  deps: Foundation,
  type: DecisionTypeRecord,
  queue: LabellingQueue,
  reader: string | null,
): number {
  const { store, clock } = deps;
  if (queue === 'suspect') {
    const { labelChecks } = store.trainingRuns;
    const search = labelChecks.findNewest(type.id);
    return search === null ? 0 : labelChecks.countSuspects(search, type.activeVersion.definition.options);
  }
  const waiting = queue === 'audit' ? store.audits.countWaiting(type.seq, clock.now()) : 0;
  return store.labelling.countQueue(type.id, toStoreQueue(deps, type, queue, reader)) + waiting;
}

/** Corrections count until a policy that was trained after them is deployed. */
function toStoreQueue(
  { store, clock }: Foundation,
  type: DecisionTypeRecord,
  queue: Exclude<LabellingQueue, 'suspect'>,
  reader: string | null,
): ExampleQueue {
  if (queue === 'second_reading') return { kind: queue, reader, now: clock.now() };
  if (queue === 'random') return { kind: 'to_label' };
  if (queue !== 'corrections') return { kind: queue };
  const deployed = store.deployments.find(type.id);
  const policy = deployed === null ? null : store.policies.byId(deployed.id);
  return { kind: 'corrections', since: policy?.createdAt ?? 0 };
}

/** Whether the example must be judged by a person who has not seen the decision or a suggestion. */
const isBlind = ({ audited, decision }: ExampleRecord) => audited && decision === null;

/** Suggests by deployed policy, else labelling model; null where neither can, and for blind judgements. */
async function suggest(
  deps: Foundation,
  type: DecisionTypeRecord,
  examples: readonly ExampleRecord[],
  modelRows: ReadonlyMap<string, { suggestion: ModelSuggestion | null }>,
): Promise<(Suggestion | null)[]> {
  const byPolicy = await Promise.all(examples.map((example) => suggestByPolicy(deps, type, example)));
  const unknown = examples.filter(({ id }, index) => byPolicy[index] === null && !modelRows.has(id));
  const ids = unknown.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await deps.runtime.labellingModels.suggest(type, ids).catch(() => []);
  const byModel = new Map(ids.map((id, index) => [id, found[index] ?? null]));
  return examples.map(({ id }, index) => {
    const live = modelRows.get(id)?.suggestion ?? byModel.get(id) ?? null;
    const example = examples[index];
    if (example === undefined || isBlind(example)) return null;
    return byPolicy[index] ?? (live === null ? null : { ...live, source: 'labelling' });
  });
}

async function suggestByPolicy(
  deps: Foundation,
  type: DecisionTypeRecord,
  example: ExampleRecord,
): Promise<Suggestion | null> {
  const policy = deps.store.deployments.find(type.id);
  if (policy === null) return null;
  try {
    const decider = deps.runtime.deployed.get(type, policy);
    const decided = await decider.decide(example.input);
    if (!decided.ok || isBareFallback(decided.decision)) return null;
    const all = Object.entries(decided.decision.class_probabilities);
    const likely = all
      .filter(([decision]) => !decider.setAside.includes(decision))
      .map(([decision, probability]) => ({ decision, probability }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, maxLikely);
    const { options } = type.activeVersion.definition;
    const [best] = likely;
    if (best === undefined || !options.includes(best.decision)) return null;
    // The policy cannot tell the options that were set aside from each other; the labelling model may.
    const setAside = all.reduce((sum, [name, each]) => sum + (decider.setAside.includes(name) ? each : 0), 0);
    if (setAside > best.probability) return null;
    const known = likely.filter(({ decision }) => options.includes(decision));
    return { ...best, source: 'policy', likely: known, beats_chance: true };
  } catch (error) {
    // A policy that cannot be used now leaves the suggestion to the labelling model.
    if (error instanceof WorkbenchError && error.code === 'unavailable') return null;
    throw error;
  }
}

function explain(
  queue: Exclude<LabellingQueue, 'suspect' | 'second_reading' | 'conflicts'>,
  example: ExampleRecord,
  row: ModelNext['rows'][number] | null,
  isByPolicy: boolean,
): string {
  if (isBlind(example))
    return 'A live decision, drawn at random. What was decided is not shown, so that you judge freely.';
  switch (queue) {
    case 'audit':
      return 'A live decision, drawn at random.';
    case 'flagged':
      return 'Somebody flagged it.';
    case 'synthetic':
      return 'Made by a teacher, and not reviewed yet.';
    case 'corrections':
      return 'You corrected this decision. Train again to include it.';
    case 'to_label':
    case 'random':
      return row === null
        ? 'One of rows taken evenly from all: the order of the queue begins when they have been read.'
        : explainChoice(row, isByPolicy);
  }
}

/** Names no options where a policy suggests: the order is that of another model, which may lean otherwise. */
function explainChoice({ reason, between }: ModelNext['rows'][number], isByPolicy: boolean): string {
  const [first = '', second = ''] = between;
  switch (reason) {
    case 'measure':
      return 'A random row: these measure accuracy.';
    case 'random':
      return 'Drawn at random: the order by usefulness begins after the first labels.';
    case 'doubt':
      return isByPolicy
        ? 'The labels so far leave it open.'
        : `The labels so far leave it open: «${first}» or «${second}».`;
    case 'rare_option':
      return isByPolicy ? 'It may have an answer with few labels.' : `It may be «${first}», which has few labels.`;
  }
}
