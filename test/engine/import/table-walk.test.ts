/** A walk over tables of combined oddities: what they were made of is read back, or asked, never silently another. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonShapes, readBack, someRows, textOddities, writeJson, writeText } from './table-walk.ts';

const tables = 200;

it('reads tables of combined oddities back to what they were made of, or asks [FIL-1]', async () => {
  const counts = { right: 0, asked: 0, wrong: 0 };
  await fc.assert(
    fc.asyncProperty(someRows, textOddities, async (rows, odd) => {
      const { kind, said } = await readBack(writeText(rows, odd), 'table.csv', rows);
      counts[kind] += 1;
      expect(kind, said).not.toBe('wrong');
    }),
    { numRuns: tables, seed: 29 },
  );
  expect(counts.right).toBeGreaterThan(0.95 * tables);
});

it.each(jsonShapes)('reads JSON of a shape back to what it was made of: %s [FIL-1]', async (shape) => {
  await fc.assert(
    fc.asyncProperty(someRows, async (rows) => {
      expect(await readBack(writeJson(rows, shape), 'table.json', rows)).toEqual({ kind: 'right', said: '' });
    }),
    { numRuns: 20, seed: 29 },
  );
});
