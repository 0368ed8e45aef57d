/** Why the deployed policy decides an input as it does, and what would change it. Writes no log record. */
import { findFieldFlips } from '../../engine/counterfactuals/find-flips.ts';
import { type Change, listSeenFields, type SeenField } from '../../engine/counterfactuals/seen-values.ts';
import { findWordFlip, type WordFlip, weighWords } from '../../engine/counterfactuals/weigh-words.ts';
import { WhatIf, type WhatIfBudget } from '../../engine/counterfactuals/what-if.ts';
import type { Decision, DecisionTrace, JsonObject } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { readPath } from '../../engine/features/values.ts';
import { isPiiField, redactToPlaceholder } from '../../engine/pii.ts';
import type { Explanation } from '../contract/explaining.ts';
import type { Clock } from '../process/clock.ts';
import { createTurns } from '../process/turns.ts';
import type { DeployedDeciders } from '../runtime/deployed-deciders.ts';
import type { LabellingModels } from '../runtime/labelling-models.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';
import { findExample } from './examples.ts';

type Deps = {
  store: Pick<Store, 'examples' | 'labelling' | 'deployments' | 'logs'>;
  runtime: { deployed: Pick<DeployedDeciders, 'get'>; labellingModels: Pick<LabellingModels, 'findNearest'> };
  clock: Clock;
};

/** Examples whose values are tried, and the length in bytes up to which one is read. */
const maxSources = 200;
const maxSourceBytes = 8_000;
const fieldBudget: WhatIfBudget = { maxDecisions: 300, maxMs: 150 };
/** Each of these may ask the text encoder. */
const wordBudget: WhatIfBudget = { maxDecisions: 80, maxMs: 2_000 };
const maxNearest = 5;

/**
 * Explains what the deployed policy decides on an input. Values of other inputs come from the newest examples, those
 * of PII fields never. Throws `model_not_deployed`, `validation_error` for an input that does not fit the schema, or
 * `unavailable`.
 */
export async function explainInput(deps: Deps, type: DecisionTypeRecord, input: JsonObject): Promise<Explanation> {
  const policy = deps.store.deployments.find(type.id);
  if (policy === null) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Train one first.');
  }
  const decider = deps.runtime.deployed.get(type, policy);
  const base = await decider.decide(input, { trace: true });
  if (!base.ok) throw new WorkbenchError('validation_error', 'The input does not fit the input schema.', base.problems);
  const ports = { now: () => deps.clock.monotonic(), pause: createTurns(deps.clock) };
  const isExcluded = (path: readonly string[]) => isPiiField(path, type.piiFields);
  const open = (budget: WhatIfBudget) => new WhatIf(decider, base.decision, ports, budget);
  const sources = deps.store.labelling
    .readNewestInputs(type.id, maxSources, maxSourceBytes)
    .map((source) => redactToPlaceholder(source, type.piiFields));
  const fields = sortByWeight(listSeenFields(input, sources, isExcluded), base.trace);
  const flips = (await findFieldFlips(open(fieldBudget), input, fields)).map(({ changes, decision }) =>
    toWireFlip(changes.map(toWireChange), decision),
  );
  const words = open(wordBudget);
  const weighed = await weighWords(words, input, isExcluded);
  const wordFlip = await findWordFlip(words, input, weighed);
  if (wordFlip !== null) flips.push(toWireFlip([toWireTextChange(input, wordFlip)], wordFlip.decision));
  const { decision, confidence, escalate, policy_version } = base.decision;
  return {
    ...{ decision, confidence, escalate, flips },
    nearest: await findNearest(deps, type, input),
    words: weighed.map(({ path, ...rest }) => ({ field: path.join('.'), ...rest })),
    ...{ policy_version, trace: base.trace, note: null },
  };
}

/** As `explainInput`, for a log record; throws `not_found`, too. Its personal fields are as they were recorded. */
export async function explainLogged(deps: Deps, type: DecisionTypeRecord, logId: string): Promise<Explanation> {
  const logged = deps.store.logs.get(type.seq, logId);
  if (logged === null) throw new WorkbenchError('not_found', 'The log record does not exist.');
  const explanation = await explainInput(deps, type, logged.input);
  if (type.piiFields.length === 0) return explanation;
  return { ...explanation, note: 'Personal fields are redacted in the record, so the input may be decided otherwise.' };
}

/** As `explainInput`, for an example; throws `not_found`, too. The example is not among the nearest ones. */
export async function explainExample(deps: Deps, type: DecisionTypeRecord, id: string): Promise<Explanation> {
  const explanation = await explainInput(deps, type, findExample(deps, type, id).input);
  return { ...explanation, nearest: explanation.nearest.filter(({ example_id }) => example_id !== id) };
}

/** The fields that the decision rests on first; what only rules read, or nothing, comes after them. */
function sortByWeight(fields: readonly SeenField[], trace: DecisionTrace | null): SeenField[] {
  const weights = new Map(trace?.features.map(({ field, contribution }) => [field, Math.abs(contribution)]));
  const readWeight = ({ path }: SeenField) => weights.get(path.join('.')) ?? 0;
  return [...fields].sort((a, b) => readWeight(b) - readWeight(a));
}

/** What cannot be found now is left out: the flips are the answer, these stand beside it. */
async function findNearest(deps: Deps, type: DecisionTypeRecord, input: JsonObject): Promise<Explanation['nearest']> {
  const found = await deps.runtime.labellingModels.findNearest(type, input, maxNearest + 1).catch(() => []);
  return found.flatMap(({ id, similarity }) => {
    const decision = deps.store.examples.get(type.id, id)?.decision ?? null;
    return decision === null ? [] : [{ example_id: id, decision, similarity: Math.max(-1, Math.min(1, similarity)) }];
  });
}

type WireFlip = Explanation['flips'][number];

function toWireFlip(changes: WireFlip['changes'], { decision, confidence, escalate }: Decision): WireFlip {
  return { changes, decision, confidence, escalate };
}

function toWireChange({ path, from, to }: Change): WireFlip['changes'][number] {
  return { field: path.join('.'), from, to };
}

function toWireTextChange(input: JsonObject, { path, text, removed }: WordFlip): WireFlip['changes'][number] {
  return { field: path.join('.'), from: readPath(input, path) ?? null, to: text, removed };
}
