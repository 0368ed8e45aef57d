/** Deciding over the wire: requests are read without a schema library, failures of batch items become entries. */
import { describeLostDigits } from '../../../engine/bundle/unread.ts';
import { errorTable, type WorkbenchError } from '../../../engine/errors.ts';
import { isJsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import type { Place } from '../../../engine/strict-json/json-body.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import type { BatchError, DecideRequest, DecideResponse } from '../../contract/deciding/decisions.ts';
import { readProblems, refuseProblems, toValidationError } from '../../errors/validation-error.ts';
import { mapMaybePromise } from '../../hot-path/maybe-promise.ts';
import { readDecideRequest } from '../../hot-path/read-decide-request.ts';
import { type BatchOutcome, decideBatch, decideOne, type PendingDecision } from '../../services/deciding/decisions.ts';
import { explainInput } from '../../services/deciding/explaining.ts';
import { findDeciding } from '../../services/deciding/find-decider.ts';
import type { Deps, Handlers } from '../context.ts';

const maxIdPrefix = 120;
const maxReportedProblems = 3;

const answerAfterCommit = ({ response, recorded }: PendingDecision): Promise<DecideResponse> =>
  recorded.then(() => response);

export const decideHandlers = {
  decide(deps, { body, query, caller, requestId, receipt, lostDigits }) {
    const request = readDecideRequest(body);
    if (!request.ok) throw toValidationError(request.problems);
    const { trace, explain, dry_run: dryRun } = query;
    const facts = {
      requestId,
      trace,
      receipt,
      dryRun,
      sharedMs: 0,
      tellsUnread: dryRun || explain,
      lost: describeLost(lostDigits, []),
    };
    const decide = () => decideOne(deps, caller, request.value, facts);
    if (!explain) return mapMaybePromise(decide(), answerAfterCommit);
    // It waits for its turn to decide: a refused call is not charged.
    return deps.explanationTurns.take(toCallerId(caller), () =>
      answerWithExplanation(deps, caller, request.value, decide()),
    );
  },

  async 'decide.batch'(deps, { body, query, caller, requestId, receipt, lostDigits }) {
    const items = readBatch(body);
    const toItemId = (index: number) => `${requestId.slice(0, maxIdPrefix)}-${index}`;
    const requests = items.map((item, index) => readDecideRequest(item, ['body', index]));
    const toAnswer = (outcomes: readonly BatchOutcome[]) => {
      const results = outcomes.map((outcome) => (outcome.ok ? outcome.response : null));
      const errors = outcomes.flatMap((outcome, index) =>
        outcome.ok ? [] : [toBatchError(outcome.error, index, items[index], toItemId(index))],
      );
      return { results, errors, succeeded: items.length - errors.length, failed: errors.length };
    };
    const keep =
      receipt === null || query.dry_run
        ? undefined
        : (outcomes: readonly BatchOutcome[]) => receipt.keep(toAnswer(outcomes));
    const above = Array.isArray(body) ? [] : ['decisions'];
    const lostOf = Map.groupBy(lostDigits ?? [], (place) => place[above.length]);
    const toLost = (index: number) => describeLost(lostOf.get(index) ?? null, [...above, index]);
    return toAnswer(await decideBatch(deps, caller, requests, { toItemId, dryRun: query.dry_run, toLost }, keep));
  },
} satisfies Handlers;

/** Names the whole numbers of the input, below a place of the body, that lose digits. */
function describeLost(places: readonly Place[] | null, above: Place): readonly string[] {
  if (places === null) return [];
  const at = [...above, 'input'];
  return describeLostDigits(
    places.filter((place) => at.every((step, depth) => place[depth] === step)).map((place) => place.slice(at.length)),
  );
}

/** The answer, and beside it what would change it; the decision is recorded once. */
async function answerWithExplanation(
  deps: Deps,
  caller: Caller,
  { decision_type, input }: DecideRequest,
  pending: PendingDecision | Promise<PendingDecision>,
): Promise<DecideResponse> {
  const response = await answerAfterCommit(await pending);
  const { type, pinned } = findDeciding(deps, caller, decision_type);
  const explain = await explainInput(deps, type, input, pinned);
  return { ...response, explain };
}

function readBatch(body: unknown): unknown[] {
  const isObject = isJsonObject(body);
  const items: unknown = isObject ? body['decisions'] : body;
  const loc = isObject ? ['body', 'decisions'] : ['body'];
  if (isObject) {
    const unknown = Object.keys(body).find((key) => key !== 'decisions');
    if (unknown !== undefined) {
      const msg = `unknown field: ${unknown}; a batch is {"decisions": [{"decision_type": …, "input": …}]}`;
      refuseProblems([{ type: 'unrecognized_keys', loc: ['body', unknown], msg }]);
    }
  }
  if (!Array.isArray(items)) {
    throw toValidationError([{ type: 'invalid_type', loc, msg: 'expected a list of decision requests' }]);
  }
  if (items.length === 0) {
    refuseProblems([{ type: 'too_small', loc, msg: 'at least one decision request is needed' }]);
  }
  if (items.length > limits.maxBatchSize) {
    refuseProblems([{ type: 'too_big', loc, msg: `at most ${limits.maxBatchSize} decision requests are allowed` }]);
  }
  return items;
}

function toBatchError(error: WorkbenchError, index: number, item: unknown, requestId: string): BatchError {
  return {
    index,
    decision_type: readTypeName(item),
    code: error.code,
    message: toItemMessage(error, index),
    status_code: error.status,
    retryable: errorTable[error.code].retryable,
    request_id: requestId,
  };
}

function readTypeName(item: unknown): string {
  if (!isJsonObject(item)) return '';
  const name = item['decision_type'] ?? item['type'] ?? item['decision_type_name'];
  return typeof name === 'string' ? name : '';
}

/** The message with the first problems and their places in the item, because an item's error has no details. */
function toItemMessage(error: WorkbenchError, index: number): string {
  const problems = readProblems(error)
    .slice(0, maxReportedProblems)
    .map(({ loc, msg }) => {
      const place = loc.slice(loc[1] === index ? 2 : 1);
      return place.length === 0 ? msg : `${place.join('.')}: ${msg}`;
    });
  return problems.length === 0 ? error.message : `${error.message} Problems: ${problems.join('; ')}.`;
}
