/** The port of a door: which release answers a name, and how its log is kept. Store and bundle files are adapters. */
import type { InputField } from '../../engine/bundle/input-fields.ts';
import type { Decider, DecisionMade } from '../../engine/decide/golden.ts';
import type { Decision } from '../../engine/domain/decision.ts';
import type { EscalationPolicy } from '../../engine/domain/definition.ts';
import type { JsonObject } from '../../engine/json.ts';
import type { DecideResponse } from '../../server/contract/deciding/decisions.ts';
import type { Answering, AskedQuestion } from '../questions/find-answering.ts';

/** A field that a policy reads. */
export type ReadField = { readonly path: readonly string[]; readonly kind: InputField['kind'] };

/** A release that decides under a name. */
export type Named = {
  /** The name of its decision type. */
  typeName: string;
  decider: Decider;
  /** Facts of the release that stand in each answer; a bundle does not know its number. */
  facts: { release?: number; digest: string; bundle_digest?: string };
  /** The fields that it reads; null where they are not known. */
  listFields(): readonly ReadField[] | null;
};

/** The answer to one input, as it is sent. */
export type Answer<Found extends Named> = Omit<DecideResponse, 'release' | 'digest'> & Found['facts'];

/** A decision with the call that asked for it. */
export type Decided<Found extends Named> = {
  found: Found;
  input: JsonObject;
  /** The outcome of the decider, before a connected model was asked. */
  made: DecisionMade;
  answer: Answer<Found>;
};

/** Whether a call wants its answer to be kept, with the log, for when the same call comes again. */
export type Keeper<Kept> = { keep(answer: Kept): void };

export type Door<Caller, Found extends Named> = {
  /** Milliseconds of a clock that only grows. */
  monotonic(): number;
  /** Makes what a long work calls between its parts, so that others have their turn. */
  createTurns(): () => Promise<void>;
  /** Finds what decides under a name. Throws `decision_type_not_found`, `not_found` or `model_not_deployed`. */
  find(caller: Caller, name: string): Found;
  /** Finds what answers a question. Throws as `find`, and `validation_error` where nothing does. */
  findAnswering(caller: Caller, model: string, question: AskedQuestion): Answering;
  /** Whom turns and checks are counted for. */
  toCallerId(caller: Caller): string;
  /** Throws `quota_exceeded` where a caller may decide no more; `held` decisions are not on their way to the log yet. */
  admit(caller: Caller, held: number): void;
  /** Asks a connected model where the thresholds leave a decision open; null where there is none. */
  askModel:
    | ((found: Found, input: JsonObject, made: DecisionMade, policy: EscalationPolicy) => Promise<Decision>)
    | null;
  /** Whether each answer names the parts of its input that are not read, and not only where the call asks. */
  tellsUnread: boolean;
  /** Resolves once the decisions are in the log, all of them with what `alongside` writes, or none. */
  record(caller: Caller, decided: readonly Decided<Found>[], alongside?: () => void): Promise<void>;
  /** Counts a decision, and tells of it once it is recorded. */
  note(caller: Caller, decided: Decided<Found>, recorded: Promise<void>): void;
  countRefusal(code: string): void;
  /** Logs a fault that only an item of a batch met. */
  logFault(error: unknown, requestId: string): void;
};
