/**
 * Time and pauses of a search for rules in 20,000 rows of 50 fields, beside the limit of 2 s of processor time. Run:
 * `node test/bench/findings/rule-proposals.ts`.
 */
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { type ProposalRow, proposeRules } from '../../../src/engine/rules/discovery/propose-rules.ts';

const options = ['yes', 'no', 'maybe'];
const limitMs = 2_000;

function makeRows(count: number): ProposalRow[] {
  const random = createRandom(3);
  const letter = (letters: string) => letters.charAt(Math.floor(random() * letters.length));
  const word = () => letter('abcdefghij') + letter('klmnopqrst') + letter('uvwxyz');
  return Array.from({ length: count }, (_, i) => {
    const input: JsonObject = { message: Array.from({ length: 60 }, word).join(' ') };
    for (let field = 0; field < 20; field++) input[`number_${field}`] = Math.round(random() * 1e6) / 100;
    for (let field = 0; field < 19; field++) input[`category_${field}`] = letter('abcdefghijkl');
    for (let field = 0; field < 10; field++) input[`flag_${field}`] = random() < 0.5;
    const isPlanted = Number(input.number_3) > 8000 && input.category_5 === 'd';
    return { id: `${i}`, input, decision: isPlanted ? 'yes' : (options[Math.floor(random() * 3)] ?? null) };
  });
}

const saved = compileRules([], { options, reason_codes: [] });
if (!saved.ok) throw new Error('No rules do not compile.');
for (const count of [2_000, 20_000]) {
  const search = proposeRules(makeRows(count), { options, saved: saved.value, piiFields: [], minPrecision: 0.85 });
  let totalMs = 0;
  let longestMs = 0;
  for (;;) {
    const before = process.cpuUsage();
    const step = search.next();
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    totalMs += ms;
    longestMs = Math.max(longestMs, ms);
    if (!step.done) continue;
    const found = step.value.items.map(({ rule }) => rule.condition).join(', ');
    const verdict = totalMs < limitMs ? 'met' : 'not met';
    process.stdout.write(
      `${count} rows of 50 fields: ${totalMs.toFixed(0)} ms of processor time (limit ${limitMs}: ${verdict}), longest piece ${longestMs.toFixed(0)} ms; found ${found}\n`,
    );
    break;
  }
}
