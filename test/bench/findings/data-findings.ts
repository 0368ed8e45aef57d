/**
 * `node test/bench/findings/data-findings.ts [--rows N]…`: how long the search for problems of the data takes and what memory it
 * needs, by the number of examples: texts with a few fields, one in fifty copied with small changes.
 */
import { parseArgs } from 'node:util';
import { startDataSearch } from '../../../src/engine/findings/search-data.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', multiple: true, default: ['25000', '100000'] } } });
const print = (line: string) => process.stdout.write(`${line}\n`);
const options = ['refund', 'tracking', 'damage', 'other'];
const vocabulary = Array.from({ length: 20_000 }, (_, i) => i.toString(36).padStart(4, 'q'));

function createInputs(count: number): JsonObject[] {
  const random = createRandom(5);
  const inputs: JsonObject[] = [];
  for (let i = 0; i < count; i++) {
    const earlier = inputs[Math.floor(random() * i)];
    const isCopy = earlier !== undefined && random() < 0.02;
    const word = () => vocabulary[Math.floor(vocabulary.length * random() ** 3)];
    const message = isCopy ? `${String(earlier['message'])} thanks` : Array.from({ length: 30 }, word).join(' ');
    const fields = isCopy ? earlier : { amount: Math.round(1_000 * random()), country: `c${i % 30}`, vip: i % 7 === 0 };
    inputs.push({ ...fields, message });
  }
  return inputs;
}

print('    rows   seconds  longest row ms  peak MB  findings');
for (const count of values.rows.map(Number)) {
  const inputs = createInputs(count);
  const started = performance.now();
  const search = startDataSearch({ rules: [], options, reasonCodes: [], lists: {}, savedAt: 0 }, []);
  let longestMs = 0;
  inputs.forEach((input, i) => {
    const before = performance.now();
    search.add({ id: `example-${i}`, input, decision: options[i % 4] ?? '', heldOut: i % 5 === 0, reviewedAt: null });
    longestMs = Math.max(longestMs, performance.now() - before);
  });
  const { counts } = search.finish([]);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const peakMb = (process.resourceUsage().maxRSS / 1_024).toFixed(0);
  const found = Object.entries(counts).flatMap(([kind, n]) => (n > 0 ? [`${kind} ${n}`] : []));
  print(
    `${String(count).padStart(8)}${seconds.padStart(10)}${longestMs.toFixed(1).padStart(16)}${peakMb.padStart(9)}  ${found.join(', ')}`,
  );
}
