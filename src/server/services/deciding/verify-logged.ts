/** Logged decisions are made again by their releases: every field of a record is equal, or it is listed. */
import { createTurns } from '../../../door/turns.ts';
import { replaceOption } from '../../../engine/decide/compose-decision.ts';
import { type Decider, type DecisionMade, goldenTolerance } from '../../../engine/decide/golden.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { type Json, toCanonicalJson } from '../../../engine/json.ts';
import { blankMasks } from '../../../engine/pii.ts';
import type { Verified } from '../../contract/deciding/logs.ts';
import type { Foundation } from '../../foundation.ts';
import type { LoggedDecision } from '../../store/deciding/logs.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findEarlier, findRelease } from './find-decider.ts';

type VerifyQuery = { page: number; page_size: number; share: number; end_time?: string | undefined };
type Item = Verified['items'][number];
type Judged = 'exact' | 'near' | Pick<Item, 'reason' | 'fields' | 'message'>;

/** Decides a share of one page of the log again, each record by its own release. Writes nothing. */
export async function verifyLogged(
  deps: Foundation,
  type: DecisionTypeRecord,
  { page, page_size, share, ...filter }: VerifyQuery,
): Promise<Verified> {
  const { decisions, total } = await deps.store.logs.page(type.seq, filter, page, page_size);
  const drawn = decisions.filter(() => share === 1 || Math.random() < share);
  const found: Verified = { looked: drawn.length, equal: 0, exact: 0, items: [], total };
  const takeTurns = createTurns(deps.clock);
  for (const logged of drawn) {
    await takeTurns();
    const judged = await judge(deps, type, logged);
    if (typeof judged === 'string') {
      found.equal += 1;
      if (judged === 'exact') found.exact += 1;
    } else found.items.push({ log_id: logged.id, request_id: logged.requestId, release: logged.release, ...judged });
  }
  return found;
}

async function judge(deps: Foundation, type: DecisionTypeRecord, logged: LoggedDecision): Promise<Judged> {
  const { release, versionNumber } = logged;
  if (release === null && versionNumber === null) {
    const message = 'The record is from an earlier program and names neither release nor version.';
    return { reason: 'no_release', fields: [], message };
  }
  try {
    const pinned =
      release === null
        ? findEarlier(deps, type, { ...logged, versionNumber: versionNumber ?? 0 })
        : findRelease(deps, type, release).pinned;
    return compare(type, logged, pinned, await pinned.decide(logged.input));
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return { reason: 'unavailable', fields: [], message: error.message };
  }
}

function compare(
  type: DecisionTypeRecord,
  logged: LoggedDecision,
  { version }: Decider,
  made: Awaited<ReturnType<Decider['decide']>>,
): Judged {
  const said: Record<string, Json> = toDecidedFields(logged);
  const own = made.ok ? toOwnFields(logged, made, version) : null;
  const names = Object.keys(said);
  if (own !== null && names.every((name) => toCanonicalJson(said[name] ?? null) === toCanonicalJson(own[name] ?? null)))
    return 'exact';
  const fields = own === null ? ['input'] : names.filter((name) => !isNear(said[name], own[name]));
  if (fields.length === 0) return 'near';
  if (blankMasks(logged.input, type.piiFields).isMasked) {
    const message = 'Personal fields are masked in the record, so it cannot be decided as it was.';
    return { reason: 'masked', fields, message };
  }
  const show = (all: Record<string, Json>) => fields.map((name) => `${name} ${JSON.stringify(all[name])}`).join(', ');
  const message =
    own === null ? 'Its release refuses the input.' : `It says ${show(said)}; its release decides ${show(own)}.`;
  return { reason: 'differs', fields, message };
}

/** The decision of a record, by its names on the wire. */
export const toDecidedFields = (logged: LoggedDecision<unknown>) => ({
  decision: logged.decision,
  confidence: logged.confidence,
  classifier_choice: logged.classifierChoice,
  stage: logged.stage,
  reason_codes: logged.reasonCodes,
  class_probabilities: logged.classProbabilities,
  rules_triggered: logged.rulesTriggered,
  rule_errors: logged.ruleErrors.map(({ name, error }) => ({ name, error })),
  escalated: logged.escalated,
  fallback_used: logged.fallbackUsed,
  unfamiliar: logged.unfamiliar,
  policy_version: logged.policyVersion,
  decision_type_version: logged.versionNumber,
  explanation: logged.explanation,
});

/** The same fields as the release decides them; what a connected model chose is taken as it was recorded. */
function toOwnFields(logged: LoggedDecision, made: DecisionMade, version: number): Record<string, Json> {
  const wasAsked = made.escalation !== null && logged.explanation !== null;
  const byModel = wasAsked && logged.stage === 'escalation';
  const decision = byModel ? replaceOption(made.decision, logged.decision) : made.decision;
  const { escalate, classifier_probability: own, ...decided } = decision;
  const couldNotAsk = wasAsked && !byModel && logged.explanation?.startsWith(`${decided.explanation} `);
  // Programs before releases recorded the classifier's confidence in its own choice, and had other words.
  const isEarlier = logged.release === null;
  return {
    ...decided,
    ...(isEarlier && { confidence: own ?? decided.confidence, classifier_choice: logged.classifierChoice }),
    ...(byModel && { stage: logged.stage, reason_codes: logged.reasonCodes, fallback_used: false }),
    ...((byModel || couldNotAsk || isEarlier) && { explanation: logged.explanation }),
    rule_errors: made.ruleErrors.map(({ name, error }) => ({ name, error })),
    escalated: byModel || escalate,
    decision_type_version: version,
  };
}

/** Equal but for probabilities, which another processor may round in their last places. */
function isNear(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= goldenTolerance;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [of, other] = [Object.entries(a), new Map(Object.entries(b))];
  return of.length === other.size && of.every(([key, value]) => isNear(value, other.get(key)));
}
