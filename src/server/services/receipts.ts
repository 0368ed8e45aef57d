/** Calls that may come twice: the first is done, and its answer is given to the others. */

import { createHash } from 'node:crypto';
import { checkKey, receiptLifeMs, toCallUnderWay, toReusedKey } from '../../door/errors/keyed-calls.ts';
import { type Caller, toCallerId } from '../auth/caller.ts';
import type { Foundation } from '../foundation.ts';
import { LargeBody, WrittenAnswer } from '../preparation/preparation.ts';

type KeyedRequest = { key: string; method: string; url: string; body: unknown };

/** The place of one call's answer, for those who do what the call asks. */
export type Receipt = {
  /** Stores the answer. For the transaction of the effect, so that there is never one without the other. */
  keep(answer: unknown): void;
  /** Removes the answer. For the transaction that takes the effect back. */
  withdraw(): void;
};

type OpenReceipt = Receipt & { finish(): void };

/** Remembers answers of calls with an Idempotency-Key for 24 hours, sealed: only the same call reads them. */
export class Receipts {
  readonly #deps: Foundation;
  /** The digest of each request under way, by the id of its receipt. */
  readonly #underWay = new Map<string, Buffer>();

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /**
   * Begins a call: gives the answer of an earlier one as JSON text, or a receipt to finish. Throws `validation_error`
   * for a key that is malformed or another request's, and `conflict` while that is under way.
   */
  begin(caller: Caller, request: KeyedRequest): { answer: string } | { receipt: OpenReceipt } {
    const { store, auth, clock } = this.#deps;
    checkKey(request.key);
    const body = createHash('sha256').update(toBytes(request.body)).digest('hex');
    const facts = [toCallerId(caller), request.key, request.method, request.url, body];
    const id = auth.sealing.digest('receipt', facts.slice(0, 2));
    const digest = auth.sealing.digest('request', facts);
    const known = this.#underWay.get(id.toString('hex'));
    const stored = store.receipts.find(id, clock.now() - receiptLifeMs);
    const earlier = known ?? stored?.request;
    if (earlier !== undefined && !earlier.equals(digest)) throw toReusedKey();
    if (known !== undefined) throw toCallUnderWay();
    if (stored !== null) return { answer: auth.sealing.open(facts, stored.answer) };
    return { receipt: this.#open(id, digest, facts) };
  }

  #open(id: Buffer, request: Buffer, facts: readonly string[]): OpenReceipt {
    const { store, auth, clock } = this.#deps;
    const place = id.toString('hex');
    this.#underWay.set(place, request);
    return {
      keep(answer) {
        const sealed = auth.sealing.seal(facts, toText(answer));
        store.receipts.keep({ id, request, answer: sealed, createdAt: clock.now() });
      },
      withdraw: () => store.receipts.remove(id),
      finish: () => this.#underWay.delete(place),
    };
  }
}

function toBytes(body: unknown): Uint8Array | string {
  if (body instanceof LargeBody) return body.bytes;
  return body === undefined ? '' : JSON.stringify(body);
}

const toText = (answer: unknown): string =>
  answer instanceof WrittenAnswer ? Buffer.from(answer.bytes).toString('utf8') : JSON.stringify(answer);
