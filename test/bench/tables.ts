/** Tables made by a seeded generator: the same rows on every machine. */
import type { JsonObject } from '../../src/engine/json.ts';
import { createRandom } from '../../src/engine/random.ts';

export type TableRow = { input: JsonObject; decision: string };
export const tableOptions = ['approve', 'decline', 'review'];

const letters = (count: number, code: number) => `${count}-${String.fromCharCode(97 + (code % 26))}${code}`;

/**
 * Rows of 14 mixed columns: six numbers (one of them missing in every tenth row), five categories of 3 to 40 values,
 * two booleans and a date. Three options hang on products, thresholds and groups of categories, with some noise.
 */
export function mixedTable(count: number, seed: number): TableRow[] {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const pick = (size: number) => Math.floor(random() * size);
  return Array.from({ length: count }, () => {
    const income = 30 + 12 * normal();
    const debt = Math.abs(8 * normal());
    const age = 18 + pick(60);
    const score = random() < 0.1 ? null : 600 + 80 * normal();
    const [region, branch, product, channel, tier] = [pick(40), pick(12), pick(12), pick(5), pick(3)] as const;
    const employed = random() < 0.7;
    const signal =
      (income - 30) / 12 -
      (debt / 8) * (employed ? 0.5 : 1.5) +
      (score === null ? -0.5 : (score - 600) / 80) * (tier === 2 ? 0.2 : 1) +
      ((region * 7) % 40 < 12 ? 0.8 : -0.3) +
      (product % 3 === 0 && age > 50 ? 1 : 0) +
      0.7 * normal();
    const decision = signal > 0.6 ? 'approve' : signal > -0.4 ? 'review' : 'decline';
    const input: JsonObject = {
      income: Math.round(income * 100) / 100,
      debt: Math.round(debt * 100) / 100,
      age,
      score: score === null ? null : Math.round(score),
      visits: pick(30),
      rate: Math.round(random() * 1000) / 1000,
      region: letters(40, region),
      branch: letters(12, branch),
      product: letters(12, product),
      channel: letters(5, channel),
      tier: letters(3, tier),
      employed,
      online: random() < 0.5,
      opened: new Date(Date.UTC(2015, 0, 1 + pick(3000))).toISOString().slice(0, 10),
    };
    return { input, decision };
  });
}
