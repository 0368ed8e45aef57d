/**
 * `npm run bench [-- --only decide|log] [--seconds N] [--rounds N] [--rows N]`: tables of speed and memory, each figure
 * beside a limit measured in the same run, or an aim with whether it is met.
 */
import { parseArgs } from 'node:util';
import { measureDecide } from './decide.ts';
import { measureLongLog } from './long-log.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { only: text, seconds: text, rounds: text, rows: text } });
if (values.only !== 'log') {
  await measureDecide({ seconds: Number(values.seconds ?? 5), rounds: Number(values.rounds ?? 3) });
}
if (values.only !== 'decide') await measureLongLog(Number(values.rows ?? 1_000_000));
process.exit(0);
