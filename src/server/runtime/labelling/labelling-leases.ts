/** How long an example that was given out is kept from everybody else. */
const leaseMs = 5 * 60_000;
/** How long it is kept from who has nothing else left: windows are closed with rows of a small pool in them. */
const firmMs = 60_000;
/** Examples of a type that are out at a time; the oldest ones come back first. */
const maxLeases = 5_000;
/** Types that are remembered; the one used longest ago is forgotten. */
const maxTypes = 100;
const recentSuggestions = 50;

type Lease = { session: string; untilMs: number; suggested: string | null };
type TypeState = { leases: Map<string, Lease>; recent: boolean[] };

/** Leases of examples: two windows never get the same one within a minute, nor if avoidable within five. */
export class LabellingLeases {
  readonly #now: () => number;
  readonly #types = new Map<string, TypeState>();

  /** `now` gives milliseconds that only grow. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The examples that are out, those of them that a session has itself or that were given within a minute, and those
   * that it had and that are out no more: labelled, or its time was up.
   */
  listTaken(typeId: string, session: string): { out: string[]; firm: string[]; had: string[] } {
    const now = this.#now();
    const leases = [...this.#open(typeId).leases];
    const isOut = ({ untilMs }: Lease) => untilMs > now;
    return {
      out: leases.filter(([, lease]) => isOut(lease)).map(([id]) => id),
      firm: leases
        .filter(([, lease]) => lease.untilMs > now + (lease.session === session ? 0 : leaseMs - firmMs))
        .map(([id]) => id),
      had: leases.filter(([, lease]) => !isOut(lease) && lease.session === session).map(([id]) => id),
    };
  }

  /** Gives back all that a session was given. */
  giveBack(typeId: string, session: string): void {
    const { leases } = this.#open(typeId);
    for (const [id, lease] of leases) if (lease.session === session) leases.delete(id);
  }

  /** Gives an example to a session, with the suggestion made for it. */
  give(typeId: string, exampleId: string, session: string, suggested: string | null): void {
    const { leases } = this.#open(typeId);
    leases.set(exampleId, { session, untilMs: this.#now() + leaseMs, suggested });
    for (const oldest of leases.keys()) {
      if (leases.size <= maxLeases) break;
      leases.delete(oldest);
    }
  }

  /** Whether an example was offered to somebody, as far as that is remembered. */
  hasOffered(typeId: string, exampleId: string): boolean {
    return this.#open(typeId).leases.has(exampleId);
  }

  /** The suggestion that an example was given out with; null without one. */
  findSuggested(typeId: string, exampleId: string): string | null {
    return this.#open(typeId).leases.get(exampleId)?.suggested ?? null;
  }

  /** Notes the label that an example got; only the first one tells how good the suggestion was. */
  settle(typeId: string, exampleId: string, decision: string): void {
    const { leases, recent } = this.#open(typeId);
    const lease = leases.get(exampleId);
    if (lease === undefined) return;
    leases.set(exampleId, { ...lease, untilMs: Number.NEGATIVE_INFINITY, suggested: null });
    if (lease.suggested === null) return;
    recent.push(lease.suggested === decision);
    if (recent.length > recentSuggestions) recent.shift();
  }

  /** How many of the last suggestions, 50 at most, were right. */
  countRecent(typeId: string): { right: number; of: number } {
    const { recent } = this.#open(typeId);
    return { right: recent.filter(Boolean).length, of: recent.length };
  }

  #open(typeId: string): TypeState {
    const state = this.#types.get(typeId) ?? { leases: new Map(), recent: [] };
    this.#types.delete(typeId);
    this.#types.set(typeId, state);
    const [oldest] = this.#types.keys();
    if (this.#types.size > maxTypes && oldest !== undefined) this.#types.delete(oldest);
    return state;
  }
}
