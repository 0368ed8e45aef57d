/** The ids that the service makes. */
import { expect, it } from 'vitest';
import { createIdSource } from '../../../src/server/process/clock.ts';

it('are UUIDs of version 7: no two alike, and in the order of their milliseconds', () => {
  let now = Date.UTC(2026, 5, 15);
  const newId = createIdSource(() => now);
  const ids = Array.from({ length: 1_000 }, () => {
    now += 1;
    return newId();
  });
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(Number.parseInt(ids.at(-1)?.slice(0, 13).replace('-', '') ?? '', 16)).toBe(now);
  expect(new Set(Array.from({ length: 1_000 }, newId)).size).toBe(1_000);
});
