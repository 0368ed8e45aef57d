/** Functions whose last bits the standard leaves open to each engine of JavaScript stand in one file of ours. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SourceText } from './message-voice.ts';
import { readSources } from './source-facts.ts';

const root = join(import.meta.dirname, '../..');
/** ECMAScript calls them implementation-approximated; `pow` is fdlibm's in V8 and SpiderMonkey, and `sqrt` exact. */
const open = /\bMath\s*\.\s*(a?cosh?|a?sinh?|a?tanh?|atan2|cbrt|exp(?:m1)?|hypot|log(?:10|1p|2)?)\b/g;

const findOpenArithmetic = (sources: readonly SourceText[]): string[] =>
  sources.flatMap(({ path, text }) => [...text.matchAll(open)].map(([name]) => `${path}: ${name}`));

test('the engine computes by functions with the same bits everywhere, and a breach is found', () => {
  const sources = readSources(root, 'src/engine/**/*.ts');
  expect(sources.length).toBeGreaterThan(200);
  expect(findOpenArithmetic(sources)).toEqual([]);
  const text = 'const a = Math.exp(1) + Math.sqrt(2);\nconst b = [1].map(Math.log1p).map(Math.max);\nMath.hypot(1, 2);';
  expect(findOpenArithmetic([{ path: 'a.ts', text }])).toEqual([
    'a.ts: Math.exp',
    'a.ts: Math.log1p',
    'a.ts: Math.hypot',
  ]);
});
