/** What was brought down in the sources does not come back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countAny, countCasts, findRepeats } from './source-facts.ts';
import { compareWeights, readKept, weigh, weightPath, writeLower } from './weigh.ts';

const root = join(import.meta.dirname, '../..');

describe('The weight of the sources', () => {
  it('is what is kept of it: casts of each layer, `Any` of each file, repeated runs', () => {
    const measured = weigh(root);
    const whole = measured.get('The whole');
    expect(whole?.size).toBeGreaterThan(10);
    // Goals that are reached: no row raises them.
    expect(whole?.get('functions over 80 lines in `src` and `scripts`')).toBe(0);
    expect(whole?.get('folders with more than 16 files')).toBe(0);
    expect(compareWeights(readKept(readFileSync(join(root, weightPath), 'utf8')), measured)).toEqual([]);
  });

  it('is guarded: more than kept, a count without a row and a row without a count are found', () => {
    const text =
      '## The whole\n| | now |\n|---|---|\n| lines of a | 1,000 |\n| lines of b | 100 |\n| lines of d | 9 |\n\n## Casts\n| `a` | 2 |\n';
    const measured = new Map([
      ['The whole', new Map([...Object.entries({ 'lines of a': 1020, 'lines of b': 111, 'lines of c': 5 })])],
      ['Casts', new Map([['a', 3]])],
    ]);
    expect(compareWeights(readKept(text), measured)).toEqual([
      'The whole: lines of b has 111, and 100 are kept: make it less, or write it into its row with the reason',
      'The whole: lines of c has no row; it has 5',
      'The whole: lines of d is gone: remove its row',
      'Casts: a has 3, and 2 are kept: make it less, or write it into its row with the reason',
    ]);
    expect(writeLower(text, new Map([['Casts', new Map([['a', 1]])]]))).toBe(
      text.replace('| `a` | 2 |', '| `a` | 1 |'),
    );
  });

  it('is counted by cast, `Any` and repeated run', () => {
    expect(countCasts({ path: 'a.ts', text: 'const a = [1] as const;\nconst b = x as Row;' })).toBe(1);
    const python = 'from typing import Any\n\ndef read(value: Any) -> dict[str, Any]:\n    pass\n';
    expect(countAny({ path: 'a.py', text: python })).toBe(1);
    const run = Array.from({ length: 9 }, (_, at) => `call(${at}, a);`).join('\n');
    const repeats = findRepeats([
      { path: 'a.ts', text: `import { a } from './a.ts';\n${run}\n` },
      { path: 'b.ts', text: `// It comes again.\n\n  ${run.replaceAll('\n', '\n\n  ')}\nlast();\n` },
      { path: 'c.ts', text: run.split('\n').slice(0, 7).join('\n') },
    ]);
    expect(repeats).toEqual(['b.ts:3 as a.ts:2']);
  });
});
