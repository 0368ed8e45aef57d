/** A function of rules decides alike in both languages: each has a case, a row of the document, a branch of the fuzzer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ruleFunctions } from '../../src/engine/rules/functions.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** Names that a text does not have as a word. */
const findMissing = (text: string, names: Iterable<string>) =>
  [...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(text));

it('Each function of the rules language has a case, a row of its document and a branch of the fuzzer', () => {
  const names = [...ruleFunctions.keys()];
  const { cases } = JSON.parse(read('test/cases/rules.json')) as { cases: { condition: string }[] };
  const rows = read('docs/rules.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(names.length).toBeGreaterThan(30);
  expect({
    cases: findMissing(cases.map(({ condition }) => condition).join('\n'), names),
    document: findMissing(rows.join('\n'), names),
    fuzzer: findMissing(read('test/engine/rules/rules-fuzz.ts'), names),
  }).toEqual({ cases: [], document: [], fuzzer: [] });
});

it('A name without one is found', () => {
  expect(findMissing('ctx.name.trim() == size(ctx.list)', ['trim', 'size', 'reverse'])).toEqual(['reverse']);
});
