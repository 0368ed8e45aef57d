/** Deciding: one call or a batch. An answer leaves only after its line in the log is durable. */
import type { Decider, DecisionMade, DecisionResult } from '../../engine/decide/golden.ts';
import type { Decision } from '../../engine/domain/decision.ts';
import { type ErrorDetail, type Result, WorkbenchError } from '../../engine/errors.ts';
import type { JsonObject } from '../../engine/json.ts';
import type { DecideRequest } from '../../server/contract/deciding/decisions.ts';
import { toWorkbenchError } from '../errors/envelope.ts';
import { toValidationError } from '../errors/validation-error.ts';
import type { Answer, Decided, Door, Keeper, Named } from './door.ts';

/** A decision that is made but not yet recorded: the answer may leave once `recorded` resolves. */
export type PendingDecision<Found extends Named> = { answer: Answer<Found>; recorded: Promise<void> };
export type BatchOutcome<Found extends Named> =
  | { ok: true; answer: Answer<Found> }
  | { ok: false; error: WorkbenchError };

type CallFacts<Found extends Named> = {
  requestId: string;
  trace: boolean;
  receipt: Keeper<Answer<Found>> | null;
  /** Milliseconds of this call's share in what was computed for several calls together, before it began. */
  sharedMs: number;
  /** Only answer: no record, no charge, no question to a connected model, nothing for the receipt. */
  dryRun: boolean;
  /** Name parts of the input that are not read. */
  tellsUnread: boolean;
  /** Warns of whole numbers in the request that lose digits. */
  lost: readonly string[];
};

type Call<Found extends Named> = Omit<CallFacts<Found>, 'trace' | 'sharedMs' | 'tellsUnread'> & {
  found: Found;
  input: JsonObject;
  /** On the monotonic clock, earlier by the call's share in what was computed before. */
  startedAt: number;
  /** Parts of the input that are not read; null where nobody asks, or it is not known. */
  unread: string[] | null;
};

/** Decides for the callers of a door. */
export class Deciding<Caller, Found extends Named> {
  readonly #door: Door<Caller, Found>;

  constructor(door: Door<Caller, Found>) {
    this.#door = door;
  }

  /**
   * Decides and hands record and receipt to the log, or to `held`; a promise only where encoder or connected model must
   * be asked. Throws as `Door.find`, `quota_exceeded` or `validation_error`.
   */
  decideOne(
    caller: Caller,
    request: DecideRequest,
    { requestId, trace, receipt, dryRun, sharedMs, tellsUnread, lost }: CallFacts<Found>,
    held: HeldDecisions<Caller, Found> | null = null,
  ): PendingDecision<Found> | Promise<PendingDecision<Found>> {
    const door = this.#door;
    const startedAt = door.monotonic() - sharedMs;
    const found = door.find(caller, request.decision_type);
    door.admit(caller, held?.count ?? 0);
    const { decider } = found;
    const { input } = request;
    const unread = tellsUnread || door.tellsUnread ? decider.findUnread(input) : null;
    const call = { found, input, requestId, receipt, dryRun, startedAt, unread, lost };
    const decided = decider.decide(input, { trace, callerId: door.toCallerId(caller) });
    if (decided instanceof Promise) return this.#decideLater(caller, call, decided, held);
    const accepted = acceptInput(decided);
    return accepted.escalation === null || dryRun || door.askModel === null
      ? this.#record(caller, call, accepted, accepted.decision, held)
      : this.#decideLater(caller, call, decided, held);
  }

  /** Decides a batch in order, each recorded and charged alone; with `keep`, in one transaction with its writes. */
  async decideBatch(
    caller: Caller,
    items: readonly Result<DecideRequest, ErrorDetail>[],
    {
      toItemId,
      dryRun,
      toLost,
    }: { toItemId: (index: number) => string; dryRun: boolean; toLost: (index: number) => readonly string[] },
    keep?: (outcomes: readonly BatchOutcome<Found>[]) => void,
  ): Promise<BatchOutcome<Found>[]> {
    const door = this.#door;
    const held = keep === undefined ? null : new HeldDecisions(door, caller);
    const expected: BatchOutcome<Found>[] = [];
    const outcomes: Promise<BatchOutcome<Found>>[] = [];
    const takeTurns = door.createTurns();
    const beganAt = door.monotonic();
    const embedded = await this.#embedAhead(caller, items, takeTurns);
    const shareMs = (door.monotonic() - beganAt) / Math.max(1, embedded.size);
    for (const [index, item] of items.entries()) {
      await takeTurns();
      const requestId = toItemId(index);
      const refuse = (error: unknown): BatchOutcome<Found> => {
        const known = toWorkbenchError(error);
        door.countRefusal(known.code);
        if (known.code === 'internal_error') door.logFault(error, requestId);
        return { ok: false, error: known };
      };
      try {
        if (!item.ok) throw toValidationError(item.problems);
        const sharedMs = embedded.has(item.value.input) ? shareMs : 0;
        const facts = { requestId, trace: false, receipt: null, dryRun, sharedMs, tellsUnread: dryRun };
        const { answer, recorded } = await this.decideOne(caller, item.value, { ...facts, lost: toLost(index) }, held);
        const outcome: BatchOutcome<Found> = { ok: true, answer };
        expected.push(outcome);
        outcomes.push(recorded.then(() => outcome, refuse));
      } catch (error) {
        const outcome = refuse(error);
        expected.push(outcome);
        outcomes.push(Promise.resolve(outcome));
      }
    }
    held?.release(() => keep?.(expected));
    return Promise.all(outcomes);
  }

  /**
   * Decides by several types at once, all or none: texts that they share are read once, and their records share one
   * commit, also with what `keep` writes. Rejects as `decideOne`.
   */
  async decideTogether(
    caller: Caller,
    requests: readonly DecideRequest[],
    toRequestId: (index: number) => string,
    keep?: (answers: readonly Answer<Found>[]) => void,
  ): Promise<Answer<Found>[]> {
    const held = new HeldDecisions(this.#door, caller);
    const facts = { trace: false, receipt: null, dryRun: false, sharedMs: 0, tellsUnread: false, lost: [] };
    const made = await Promise.all(
      requests.map(async (request, index) =>
        this.decideOne(caller, request, { ...facts, requestId: toRequestId(index) }, held),
      ),
    );
    const answers = made.map(({ answer }) => answer);
    held.release(() => keep?.(answers));
    await Promise.all(made.map(({ recorded }) => recorded));
    return answers;
  }

  /** Embeds the texts of a batch together; resolves with their inputs. What is wrong with an item shows later. */
  async #embedAhead(
    caller: Caller,
    items: readonly Result<DecideRequest, ErrorDetail>[],
    takeTurns: () => Promise<void>,
  ): Promise<ReadonlySet<JsonObject>> {
    const requests = items.flatMap((item) => (item.ok ? [item.value] : []));
    const inputs = Map.groupBy(requests, (request) => request.decision_type);
    const embedded = await Promise.all(
      [...inputs].map(async ([name, ofType]): Promise<readonly JsonObject[]> => {
        const decider = ofType.length < 2 ? null : this.#findToEmbed(caller, name);
        if (decider === null) return [];
        const asked: Promise<readonly JsonObject[]>[] = [];
        for (let at = 0; at < ofType.length; at += embeddedAtOnce) {
          const some = ofType.slice(at, at + embeddedAtOnce);
          asked.push(decider.embedAhead(some.map(({ input }) => input)));
          await takeTurns();
        }
        return (await Promise.all(asked)).flat();
      }),
    );
    return new Set(embedded.flat());
  }

  #findToEmbed(caller: Caller, name: string): Decider | null {
    try {
      return this.#door.find(caller, name).decider;
    } catch (error) {
      if (error instanceof WorkbenchError) return null;
      throw error;
    }
  }

  async #decideLater(
    caller: Caller,
    call: Call<Found>,
    decided: DecisionResult | Promise<DecisionResult>,
    held: HeldDecisions<Caller, Found> | null,
  ): Promise<PendingDecision<Found>> {
    const door = this.#door;
    const accepted = acceptInput(await decided);
    const { escalation } = accepted;
    const decision =
      escalation === null || call.dryRun || door.askModel === null
        ? accepted.decision
        : await door.askModel(call.found, call.input, accepted, escalation);
    // While the text encoder or the connected model worked, other calls may have taken what was left.
    door.admit(caller, held?.count ?? 0);
    return this.#record(caller, call, accepted, decision, held);
  }

  #record(
    caller: Caller,
    { found, input, requestId, receipt, dryRun, startedAt, unread: asked, lost }: Call<Found>,
    made: DecisionMade,
    decision: Decision,
    held: HeldDecisions<Caller, Found> | null,
  ): PendingDecision<Found> {
    const door = this.#door;
    const { trace, escalation, misread } = made;
    // Values not of their field's kind, and numbers that lose digits, are named without being asked for.
    const unread = asked ?? (misread === undefined && lost.length === 0 ? null : [...(misread ?? [])]);
    const latencyMs = Math.round((door.monotonic() - startedAt) * 1_000) / 1_000;
    const answer: Answer<Found> = {
      ...decision,
      rule_errors: [...made.ruleErrors],
      ...found.facts,
      latency_ms: latencyMs,
      request_id: requestId,
    };
    if (unread !== null) answer.unread = [...lost, ...unread];
    if (trace !== null) answer.trace = trace;
    if (dryRun)
      return {
        answer: toDryAnswer(answer, escalation !== null && door.askModel !== null),
        recorded: Promise.resolve(),
      };
    const decided = { found, input, made, answer };
    const alongside = receipt === null ? undefined : () => receipt.keep(answer);
    const recorded = held === null ? door.record(caller, [decided], alongside) : held.add(decided);
    door.note(caller, decided, recorded);
    return { answer, recorded };
  }
}

/** Inputs of a batch whose texts are read at a time; the encoder takes what waits together. */
const embeddedAtOnce = 8;

/** Decisions that are held back until all of them are recorded at once. */
class HeldDecisions<Caller, Found extends Named> {
  readonly #door: Door<Caller, Found>;
  readonly #caller: Caller;
  readonly #decided: Decided<Found>[] = [];
  readonly #recorded = Promise.withResolvers<void>();

  constructor(door: Door<Caller, Found>, caller: Caller) {
    this.#door = door;
    this.#caller = caller;
  }

  get count(): number {
    return this.#decided.length;
  }

  add(decided: Decided<Found>): Promise<void> {
    this.#decided.push(decided);
    return this.#recorded.promise;
  }

  release(alongside: () => void): void {
    const { resolve, reject } = this.#recorded;
    if (this.count > 0) this.#door.record(this.#caller, this.#decided, alongside).then(resolve, reject);
  }
}

function acceptInput(decided: DecisionResult): DecisionMade {
  if (decided.ok) return decided;
  throw new WorkbenchError('validation_error', 'The input does not fit the input schema.', decided.problems);
}

/** Notes on an answer that nothing was recorded, and that it stands only where the connected model gives none. */
function toDryAnswer<Kept extends Answer<Named>>(answer: Kept, isEscalated: boolean): Kept {
  const said = isEscalated ? ' This was a dry run, so the connected model was not asked.' : '';
  return { ...answer, explanation: answer.explanation + said, dry_run: true };
}
