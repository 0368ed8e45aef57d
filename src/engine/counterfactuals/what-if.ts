/** Decides changed inputs within a budget, and says what became of the decision. */
import type { Decider } from '../decide/golden.ts';
import type { Stretch } from '../decide/weigh-text.ts';
import type { Decision } from '../domain/decision.ts';
import type { JsonObject } from '../json.ts';
import type { MonotonicClock } from '../ports.ts';

/** The ports of a search; `pause` gives way to other work when it is due. */
type WhatIfPorts = { now: MonotonicClock; pause(): Promise<void> };
/** Decisions that may be made, and the time after which no further one is begun. */
export type WhatIfBudget = { maxDecisions: number; maxMs: number };

export class WhatIf {
  readonly base: Decision;
  readonly #decider: Decider;
  readonly #ports: WhatIfPorts;
  readonly #budget: WhatIfBudget;
  readonly #startedAtMs: number;
  #decisions = 0;

  constructor(decider: Decider, base: Decision, ports: WhatIfPorts, budget: WhatIfBudget) {
    this.#decider = decider;
    this.base = base;
    this.#ports = ports;
    this.#budget = budget;
    this.#startedAtMs = ports.now();
  }

  /** Decides another input; null where it does not fit the schema or the budget is used up. */
  async decide(input: JsonObject): Promise<Decision | null> {
    if (this.isUsedUp()) return null;
    this.#decisions += 1;
    await this.#ports.pause();
    const result = await this.#decider.decide(input);
    return result.ok ? result.decision : null;
  }

  /** Embeds the texts of inputs in one batch, as many as the budget may still decide. */
  async embedAhead(inputs: readonly JsonObject[]): Promise<void> {
    const embedded: Promise<unknown>[] = [];
    for (const input of inputs.slice(0, Math.max(0, this.#budget.maxDecisions - this.#decisions))) {
      await this.#ports.pause();
      embedded.push(this.#decider.embedAhead([input]));
    }
    await Promise.all(embedded);
  }

  /** The probability of an option without each stretch, about; null where it cannot be estimated. */
  async estimateWithout(input: JsonObject, option: string, stretches: readonly Stretch[]): Promise<number[] | null> {
    const estimate = await this.#decider.estimateWithout(input, option, stretches);
    if (estimate === null) return null;
    const probabilities: number[] = [];
    for (const at of stretches.keys()) {
      await this.#ports.pause();
      probabilities.push(estimate(at));
    }
    return probabilities;
  }

  isUsedUp(): boolean {
    const { maxDecisions, maxMs } = this.#budget;
    return this.#decisions >= maxDecisions || this.#ports.now() - this.#startedAtMs >= maxMs;
  }

  /** Whether a familiar input is decided otherwise; a fallback decides nothing. */
  isFlip({ unfamiliar, stage, decision }: Decision): boolean {
    return !unfamiliar && stage !== 'fallback' && decision !== this.base.decision;
  }

  /** How near a decision is to a flip: the lead of the best other option over the base's, −1 to 1. */
  rate({ class_probabilities: probabilities }: Decision): number {
    let other = 0;
    for (const [option, probability] of Object.entries(probabilities)) {
      if (option !== this.base.decision && probability > other) other = probability;
    }
    return other - (probabilities[this.base.decision] ?? 0);
  }
}
