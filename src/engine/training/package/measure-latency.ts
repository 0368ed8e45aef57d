import type { Decider } from '../../decide/decided.ts';
import type { JsonObject } from '../../json.ts';
import type { MonotonicClock } from '../../ports.ts';

const maxMeasured = 100;

/** Milliseconds that each of up to 100 decisions takes, one after the other. */
export async function measureLatency(
  decider: Decider,
  inputs: readonly JsonObject[],
  now: MonotonicClock,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (const input of inputs.slice(0, maxMeasured)) {
    const startedAt = now();
    await decider.decide(input);
    latenciesMs.push(now() - startedAt);
  }
  return latenciesMs;
}
