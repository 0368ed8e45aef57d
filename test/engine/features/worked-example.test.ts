/** The worked example of the bundle format, as somebody who writes a reader would follow it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileFeatures } from '../../../src/engine/features/compile.ts';

it('the dense vector and the probabilities of the document are those of its plan and weights', () => {
  const page = readFileSync(new URL('../../../docs/bundle-format.md', import.meta.url), 'utf8');
  const [, block = ''] = /## Worked example[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
  const example = JSON.parse(block);
  const dense = [...compileFeatures(example.features).writeTabular(example.input)];
  const round = (value: number) => Number(value.toFixed(6));
  expect(dense.map(round)).toEqual(example.dense);
  const logits: number[] = example.bias.map((bias: number, option: number) =>
    dense.reduce((sum, value, slot) => sum + value * example.dense_weights[slot][option], bias),
  );
  expect(logits.map(round)).toEqual(example.logits);
  const powers = logits.map((logit) => Math.exp(logit));
  const total = powers.reduce((sum, power) => sum + power, 0);
  expect(powers.map((power) => round(power / total))).toEqual(example.probabilities);
});
