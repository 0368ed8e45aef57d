/** Cost of rules beside plain closures and cel-js, with the bounds that must hold. Run: `node test/bench/serving/rules.ts`. */
import { Environment } from '@marcbachmann/cel-js';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';

const definition = { options: ['yes', 'no'], reason_codes: [] };
const rule = (condition: string, i = 0): Rule => ({
  name: `r${i}`,
  condition,
  then: 'yes',
  reason_code: null,
  priority: 1,
});

function compiled(conditions: string[]) {
  const result = compileRules(conditions.map(rule), definition);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** Microseconds per call: the median of nine rounds. */
function microseconds(work: () => unknown, calls: number): number {
  for (let i = 0; i < calls; i++) work();
  const rounds: number[] = [];
  for (let round = 0; round < 9; round++) {
    const started = performance.now();
    for (let i = 0; i < calls; i++) work();
    rounds.push(((performance.now() - started) * 1000) / calls);
  }
  return rounds.sort((a, b) => a - b)[4] ?? Number.NaN;
}

type Item = { price: number };
const input = {
  amount: 50,
  state: 'NY',
  age: 30,
  items: Array.from({ length: 10 }, (_, i) => ({ price: i })),
} satisfies JsonObject;
const shapes: { name: string; condition: string; plain: (ctx: typeof input) => boolean; bound: number }[] = [
  { name: 'comparison', condition: 'ctx.amount > 100', plain: (ctx) => ctx.amount > 100, bound: 1 },
  {
    name: '&& ×3',
    condition: 'ctx.amount > 10 && ctx.state == "NY" && ctx.age > 65',
    plain: (ctx) => ctx.amount > 10 && ctx.state === 'NY' && ctx.age > 65,
    bound: 2,
  },
  {
    name: 'exists over 10',
    condition: 'ctx.items.exists(i, i.price > 10)',
    plain: (ctx) => ctx.items.some((item: Item) => item.price > 10),
    bound: 6,
  },
];

const cel = new Environment({ unlistedVariablesAreDyn: true });
const lines: { what: string; us: number; bound: number | null; plain?: number; celJs?: number }[] = [];
for (const shape of shapes) {
  const rules = compiled([shape.condition]);
  // cel-js knows ints and doubles apart; a double literal makes the comparison the same.
  const theirs = cel.parse(shape.condition.replace(/\b(\d+)\b/g, '$1.0'));
  lines.push({
    what: shape.name,
    us: microseconds(() => rules.evaluate(input, false), 50_000),
    bound: shape.bound,
    plain: microseconds(() => shape.plain(input), 50_000),
    celJs: microseconds(() => theirs({ ctx: input }), 10_000),
  });
}
const many = Array.from({ length: 200 }, (_, i) => `ctx.amount > ${i + 100} && ctx.state == "S${i}"`);
const rules = compiled(many);
lines.push({ what: '200 rules', us: microseconds(() => rules.evaluate(input, false), 500), bound: 300 });
lines.push({ what: '200 rules with trace', us: microseconds(() => rules.evaluate(input, true), 100), bound: null });
lines.push({ what: 'compile, per rule', us: microseconds(() => compiled(many), 5) / 200, bound: 200 });

for (const { what, us, bound, plain, celJs } of lines) {
  const beside = plain === undefined ? '' : `  plain ${plain.toFixed(3)}  cel-js ${celJs?.toFixed(3)}`;
  console.log(
    `${what.padEnd(22)} ${us.toFixed(3).padStart(9)} µs${bound === null ? '' : `  (at most ${bound})`}${beside}`,
  );
}
if (lines.some(({ us, bound }) => bound !== null && us > bound)) process.exitCode = 1;
