/** A walk over tables of combined oddities: what they were made of is read back, or asked, never silently another. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonShapes, readBack, someRows, walk, writeJson } from './table-walk.ts';

it('reads tables of combined oddities back to what they were made of, or asks [FIL-1]', async () => {
  expect((await walk(200, 29)).right).toBeGreaterThanOrEqual(198);
});

it.each(jsonShapes)('reads JSON of a shape back to what it was made of: %s [FIL-1]', async (shape) => {
  await fc.assert(
    fc.asyncProperty(someRows, async (rows) => {
      expect(await readBack(writeJson(rows, shape), 'table.json', rows)).toEqual({ kind: 'right', said: '' });
    }),
    { numRuns: 20, seed: 29 },
  );
});
