/** Decisions that somebody brings are made again by the release that they name: what differs is not believed. */
import { randomInt } from 'node:crypto';
import { createTurns } from '../../../door/turns.ts';
import { type GoldenOutput, toGoldenOutput } from '../../../engine/bundle/manifest.ts';
import { isSameOutput } from '../../../engine/decide/golden.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { findDeciding } from './find-decider.ts';

/** Of texts that an encoder reads which is not loaded, one in so many is decided again. */
const sampledOneIn = 20;
/** Texts that are embedded at a time. */
const embeddedAtOnce = 8;

/** A decision as it was brought, by the name and number of its release. */
export type Brought = { index: number; typeName: string; release: number; input: JsonObject; said: GoldenOutput };
/** The release's own decision, null where it was not made; or why what was brought is not taken. */
export type Judged = { ok: true; made: Decision | null } | { ok: false; message: string };

/** Decides again, and says of each by its index how it stands: rules, tables and words at once, texts as said above. */
export async function decideAgain(
  deps: Foundation,
  caller: Caller,
  all: readonly Brought[],
): Promise<ReadonlyMap<number, Judged>> {
  const judged = new Map<number, Judged>();
  const takeTurns = createTurns(deps.clock);
  for (const [name, some] of Map.groupBy(all, ({ typeName, release }) => `${typeName}@${release}`)) {
    try {
      const { pinned, policy } = findDeciding(deps, caller, name);
      if (pinned === null) throw new Error(`${name} names no release.`);
      const isWaiting = deps.runtime.deployed.isEncoderWaiting(policy.id);
      const looked = isWaiting ? some.filter(() => randomInt(sampledOneIn) === 0) : some;
      for (const each of some) judged.set(each.index, { ok: true, made: null });
      for (let at = 0; at < looked.length; at += embeddedAtOnce) {
        const few = looked.slice(at, at + embeddedAtOnce);
        await pinned.embedAhead(few.map(({ input }) => input));
        for (const { index, input, said } of few) {
          await takeTurns();
          const result = await pinned.decide(input);
          judged.set(
            index,
            result.ok
              ? compare(said, result.decision)
              : { ok: false, message: 'its release takes no such input: it does not fit the input schema' },
          );
        }
      }
    } catch (error) {
      if (!(error instanceof WorkbenchError)) throw error;
      const message = `its release cannot decide it again now: ${error.message}`;
      for (const { index } of some) judged.set(index, { ok: false, message });
    }
  }
  return judged;
}

function compare(said: GoldenOutput, decision: Decision): Judged {
  const made = toGoldenOutput(decision);
  if (isSameOutput(said, made)) return { ok: true, made: decision };
  const [line, own] = [describe(said), describe(made)];
  const message =
    line === own
      ? `its release decides so for other reasons or with other probabilities: ${JSON.stringify(made)}`
      : `it says ${line}, and its release decides ${own}`;
  return { ok: false, message };
}

const describe = ({ decision, stage, confidence, escalate }: GoldenOutput): string =>
  `${JSON.stringify(decision)} by ${stage} with ${confidence.toFixed(4)}${escalate ? ', handed on' : ''}`;
