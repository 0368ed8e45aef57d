/**
 * `npm run bench [-- --only decide|log|large|import|export|page] [--seconds N] [--rounds N] [--rows N]`: tables of speed and
 * memory, each figure beside a limit measured in the same run, or an aim with whether it is met. Of `page`, `--part
 * NAME` gives a part alone (paint, script, places, large, labels, memory, scroll); it may be given several times.
 */
import { parseArgs } from 'node:util';
import { measurePage, pageParts } from './page/page.ts';
import { measureDecide } from './serving/decide.ts';
import { measureExports } from './serving/exports.ts';
import { measureImports } from './serving/imports.ts';
import { measureLargeCalls } from './serving/large-calls.ts';
import { measureLongLog } from './serving/long-log.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { only: text, seconds: text, rounds: text, rows: text, part: { ...text, multiple: true } },
});
const isWanted = (name: string) => values.only === undefined || values.only === name;
if (isWanted('decide')) {
  await measureDecide({ seconds: Number(values.seconds ?? 5), rounds: Number(values.rounds ?? 3) });
}
if (isWanted('log')) await measureLongLog(Number(values.rows ?? 1_000_000));
if (isWanted('large')) await measureLargeCalls();
if (isWanted('export')) await measureExports();
if (isWanted('import')) await measureImports();
if (isWanted('page')) {
  const parts = pageParts.filter((part) => values.part?.includes(part) ?? true);
  await measurePage({ rows: Number(values.rows ?? 100_000), rounds: Number(values.rounds ?? 9), parts });
}
process.exit(0);
