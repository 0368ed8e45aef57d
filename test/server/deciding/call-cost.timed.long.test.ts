/** What a decision costs beside the least that a server does for a call, so that no change makes it dearer unseen. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { measureCallCosts, startBare, startDeciding } from '../../bench/serving/call-cost.ts';
import { deployForAll, loanExamples, loanType } from '../workbench.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** The multiple of bare Fastify that is kept; `test/bench/results/decide.md` says what it was measured on. */
const kept = JSON.parse(readFileSync(path.join(root, 'test/bench/results/call-cost.json'), 'utf8')) as {
  timesBare: number;
};
/** Measurements of one state lay up to 3% from their middle at a load of 17. */
const maxGrowth = 1.1;
/** It is measured again where something else came between. */
const maxMeasurements = 3;

const folder = deployForAll(loanType, loanExamples(40));

it.skipIf(process.platform !== 'linux')(
  'a decision takes the processor no longer, in multiples of a bare server, than is kept [LAT-3]',
  async () => {
    const rows = loanExamples(40) as { input: object }[];
    const asked = rows.map(({ input }) => JSON.stringify({ decision_type: loanType.name, input }));
    const bare = await startBare(asked);
    onTestFinished(() => void bare.child.kill());
    const workbench = await startDeciding(root, folder.dataDir, folder.key, asked);
    onTestFinished(() => workbench.end());
    let timesBare = Number.POSITIVE_INFINITY;
    for (let left = maxMeasurements; left > 0 && timesBare > kept.timesBare * maxGrowth; left -= 1) {
      const [ofBare = Number.NaN, own = Number.NaN] = await measureCallCosts([bare, workbench], 30);
      timesBare = Math.min(timesBare, own / ofBare);
    }
    expect(timesBare).toBeLessThanOrEqual(kept.timesBare * maxGrowth);
  },
);
