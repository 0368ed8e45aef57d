/** No room of the sources grows without a record, and what was brought down does not come back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countAny, countCasts, findRepeats, weighRooms } from './source-facts.ts';
import { compareWeights, readKept, weigh, weightPath, writeLower } from './weigh.ts';

const root = join(import.meta.dirname, '../..');

describe('The weight of the sources', () => {
  it('is what is kept of it: lines of each room, casts of each layer, `Any` of each file, repeated runs', () => {
    const measured = weigh(root);
    expect(measured.get('Rooms')?.size).toBeGreaterThan(50);
    expect(compareWeights(readKept(readFileSync(join(root, weightPath), 'utf8')), measured)).toEqual([]);
  });

  it('is guarded: more than kept, a room without a row and a row without a room are found', () => {
    const text =
      '## Rooms\n| room | lines | grew for |\n|---|---|---|\n| `a` | 1,000 | |\n| `b` | 100 | trees |\n| `d` | 9 | |\n\n## Casts\n| `a` | 2 |\n';
    const measured = new Map([
      ['Rooms', new Map([...Object.entries({ a: 1020, b: 111, c: 5 })])],
      ['Casts', new Map([['a', 3]])],
    ]);
    expect(compareWeights(readKept(text), measured)).toEqual([
      'Rooms: b has 111, and 100 are kept: make it less, or write it into its row with the reason',
      'Rooms: c has no row; it has 5',
      'Rooms: d is gone: remove its row',
      'Casts: a has 3, and 2 are kept: make it less, or write it into its row with the reason',
    ]);
    expect(writeLower(text, new Map([['Rooms', new Map([...Object.entries({ a: 900, b: 101 })])]]))).toBe(
      text.replace('1,000', '900'),
    );
  });

  it('is counted by room, cast, `Any` and repeated run', () => {
    const rooms = ['src/engine/json.ts', 'src/engine/rules/parsing/print.ts', 'src/renderer/features/try/try.tsx'];
    expect([...weighRooms(rooms.map((path) => ({ path, text: 'a\nb\n' })))]).toEqual([
      ['src/engine', 2],
      ['src/engine/rules', 2],
      ['src/renderer/features/try', 2],
    ]);
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
