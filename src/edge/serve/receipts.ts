/** Answers of calls that may come twice, kept in memory by the process that all workers of a service share. */
import { receiptLifeMs } from '../../door/errors/keyed-calls.ts';

/** The beginning of a call with a key: new, answered before, another request's, or still under way. */
export type Begun = { state: 'new' | 'reused' | 'under-way' } | { state: 'answered'; answer: string };

/** The answers that a service keeps: the newest, and no more than so many characters of them. */
const maxKept = { answers: 10_000, characters: 64 * 1024 * 1024 };

type Kept = { request: string; answer: string; keptAt: number };

export class Receipts {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  /** The digest of each request under way, by its key. */
  readonly #underWay = new Map<string, string>();
  #characters = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins a call by its key and the digest of its request; one that is new has to be finished. */
  begin(key: string, request: string): Begun {
    this.#dropOld();
    const underWay = this.#underWay.get(key);
    const kept = this.#kept.get(key);
    const earlier = underWay ?? kept?.request;
    if (earlier !== undefined && earlier !== request) return { state: 'reused' };
    if (underWay !== undefined) return { state: 'under-way' };
    if (kept !== undefined) return { state: 'answered', answer: kept.answer };
    this.#underWay.set(key, request);
    return { state: 'new' };
  }

  /** Ends a call, with its answer where it had an effect. */
  finish(key: string, answer: string | null): void {
    const request = this.#underWay.get(key);
    this.#underWay.delete(key);
    if (request === undefined || answer === null) return;
    this.#kept.set(key, { request, answer, keptAt: this.#now() });
    this.#characters += answer.length;
    this.#dropOld();
  }

  #dropOld(): void {
    for (const [key, { answer, keptAt }] of this.#kept) {
      const isOver = this.#kept.size > maxKept.answers || this.#characters > maxKept.characters;
      if (!isOver && this.#now() - keptAt < receiptLifeMs) return;
      this.#kept.delete(key);
      this.#characters -= answer.length;
    }
  }
}
