/** The long walk over tables of combined oddities. */
import { expect, it } from 'vitest';
import { walk } from './table-walk.ts';

it('reads 2,000 tables of combined oddities back to what they were made of, or asks [FIL-1]', async () => {
  expect((await walk(2_000, 2_026)).right).toBeGreaterThanOrEqual(1_980);
}, 60_000);
