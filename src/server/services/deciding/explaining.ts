/** Why the deployed policy decides an input as it does, and what would change it. Writes no log record. */

import { BusyError } from '../../../door/errors/busy-error.ts';
import { createTurns } from '../../../door/turns.ts';
import { findFieldFlips } from '../../../engine/counterfactuals/find-flips.ts';
import { type Change, listSeenFields } from '../../../engine/counterfactuals/seen-values.ts';
import { findWordFlip, type WordFlip, weighWords } from '../../../engine/counterfactuals/weigh-words.ts';
import { WhatIf, type WhatIfBudget } from '../../../engine/counterfactuals/what-if.ts';
import type { Decider } from '../../../engine/decide/golden.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { readPath } from '../../../engine/features/values.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { isPiiField, redactToPlaceholder } from '../../../engine/pii.ts';
import type { Explanation } from '../../contract/deciding/decisions.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findExample } from '../examples/examples.ts';
import { findRelease } from './find-decider.ts';
import { findLogged } from './logged-decisions.ts';

/** Examples whose values are tried, and the length in bytes up to which one is read. */
const maxSources = 200;
const maxSourceBytes = 8_000;
const fieldBudget: WhatIfBudget = { maxDecisions: 300, maxMs: 150 };
/** Each of these may ask the text encoder. */
const wordBudget: WhatIfBudget = { maxDecisions: 80, maxMs: 2_000 };
const maxNearest = 5;
const maxFlips = 3;
/** Explanations under way at once, and how many more one caller may have waiting. */
const turnLimits = { atOnce: 2, waitingPerCaller: 32 } as const;

/** Whose explanations are under way: one of a caller, and two in all. Further ones wait their turn. */
export class ExplanationTurns {
  readonly #served = new Set<string>();
  readonly #waiting: { callerId: string; begin(): void }[] = [];

  /** Explains when it is the caller's turn; rejects with `rate_limited` where too many of the caller's calls wait. */
  async take<Answer>(callerId: string, explain: () => Promise<Answer>): Promise<Answer> {
    if (this.#waiting.filter((each) => each.callerId === callerId).length >= turnLimits.waitingPerCaller) {
      const message = `${turnLimits.waitingPerCaller} explanations of yours wait already. Ask again when one is answered.`;
      throw new BusyError('rate_limited', message, 1);
    }
    await new Promise<void>((begin) => {
      this.#waiting.push({ callerId, begin });
      this.#beginNext();
    });
    try {
      return await explain();
    } finally {
      this.#served.delete(callerId);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    const at = this.#waiting.findIndex(({ callerId }) => !this.#served.has(callerId));
    if (at < 0 || this.#served.size >= turnLimits.atOnce) return;
    const [next] = this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#served.add(next.callerId);
    next.begin();
  }
}

/**
 * Explains a decision by values of the newest examples, none of PII fields; `pinned` decides where a release is named.
 * Throws `model_not_deployed`, `validation_error` (schema) or `unavailable`.
 */
export async function explainInput(
  deps: Foundation,
  type: DecisionTypeRecord,
  given: JsonObject,
  pinned: Decider | null = null,
): Promise<Explanation> {
  const decider = pinned ?? getDeployed(deps, type);
  const input = decider.read(given);
  const base = await decider.decide(input, { trace: true });
  if (!base.ok) throw new WorkbenchError('validation_error', 'The input does not fit the input schema.', base.problems);
  const pause = createTurns(deps.clock);
  const ports = { now: () => deps.clock.monotonic(), pause };
  const isExcluded = (path: readonly string[]) => isPiiField(path, type.piiFields);
  const open = (budget: WhatIfBudget) => new WhatIf(decider, base.decision, ports, budget);
  const weights = new Map(base.trace?.features.map((each) => [each.field, Math.abs(each.contribution)]));
  // A field that only rules read, or nothing does, has no weight.
  const weigh = (path: readonly string[]) => weights.get(path.join('.')) ?? 0;
  const { fields, leftOut } = await listSeenFields(input, listSources(deps, type, decider), {
    isExcluded,
    weigh,
    pause,
  });
  const byFields = (await findFieldFlips(open(fieldBudget), input, fields)).map(({ changes, decision }) =>
    toWireFlip(
      changes.map((change) => toWireChange(given, change)),
      decision,
    ),
  );
  const words = open(wordBudget);
  // Without a word, a text that is read as one of some categories is no category at all: each word would weigh alike.
  const kinds = Map.groupBy(base.trace?.features ?? [], ({ field }) => field);
  const isCategory = (path: readonly string[]) =>
    kinds.get(path.join('.'))?.every(({ kind }) => !kind.startsWith('text_')) === true;
  const weighed = await weighWords(words, input, (path) => isExcluded(path) || isCategory(path));
  const wordFlip = await findWordFlip(words, input, weighed);
  const byWords = wordFlip === null ? [] : [toWireFlip([toWireTextChange(input, wordFlip)], wordFlip.decision)];
  const { decision, confidence, escalate, policy_version } = base.decision;
  return {
    decision,
    confidence,
    escalate,
    flips: [...byFields.slice(0, maxFlips - byWords.length), ...byWords],
    nearest: await findNearest(deps, type, input),
    words: weighed.map(({ path, ...rest }) => ({ field: path.join('.'), ...rest })),
    release: null,
    policy_version,
    usual: Object.fromEntries([...decider.medians].filter(([field]) => !isExcluded(field.split('.')))),
    trace: base.trace,
    note: describeLeftOut(fields.length, leftOut),
  };
}

function getDeployed({ store, runtime }: Foundation, type: DecisionTypeRecord): Decider {
  const policy = store.deployments.find(type.id);
  if (policy !== null) return runtime.deployed.get(type, policy);
  throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Train one first.');
}

const noRelease = 'The record is from an earlier program and names no release: what is deployed now explains it.';
const redacted = 'Personal fields are redacted in the record, so the input may be decided otherwise.';

/** As `explainInput`, for a log record, by the release that decided it; throws `not_found` as well. */
export async function explainLogged(deps: Foundation, type: DecisionTypeRecord, logId: string): Promise<Explanation> {
  const { input, release } = findLogged(deps, type, logId);
  const pinned = release === null ? null : findRelease(deps, type, release).pinned;
  const { note, ...explanation } = await explainInput(deps, type, input, pinned);
  const notes = [release === null && noRelease, type.piiFields.length > 0 && redacted, note].filter(Boolean);
  return { ...explanation, release, note: notes.length === 0 ? null : notes.join(' ') };
}

/** As `explainInput`, for an example; throws `not_found` as well. The example is not among the nearest ones. */
export async function explainExample(deps: Foundation, type: DecisionTypeRecord, id: string): Promise<Explanation> {
  const explanation = await explainInput(deps, type, findExample(deps, type, id).input);
  return { ...explanation, nearest: explanation.nearest.filter(({ example_id }) => example_id !== id) };
}

function* listSources({ store }: Foundation, type: DecisionTypeRecord, { read }: Decider): Iterable<JsonObject> {
  for (const source of store.labelling.readNewestInputs(type.id, maxSources, maxSourceBytes)) {
    yield redactToPlaceholder(read(source), type.piiFields);
  }
}

function describeLeftOut(tried: number, leftOut: readonly (readonly string[])[]): string | null {
  if (leftOut.length === 0) return null;
  const named = leftOut.slice(0, 3).map((path) => `«${path.join('.')}»`);
  const more = leftOut.length > 3 ? ` and ${leftOut.length - 3} more` : '';
  return `Only the ${tried} fields that weigh most were tried; left out were ${named.join(', ')}${more}.`;
}

/** Finds the nearest examples; none where they cannot be found now, as they only stand beside the answer. */
async function findNearest(
  deps: Foundation,
  type: DecisionTypeRecord,
  input: JsonObject,
): Promise<Explanation['nearest']> {
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

/** Values that cannot be read are not missing: they stand as they were sent. */
function toWireChange(given: JsonObject, { path, from, to }: Change): WireFlip['changes'][number] {
  return { field: path.join('.'), from: from ?? readPath(given, path) ?? null, to };
}

function toWireTextChange(input: JsonObject, { path, text, removed }: WordFlip): WireFlip['changes'][number] {
  return { field: path.join('.'), from: readPath(input, path) ?? null, to: text, removed };
}
