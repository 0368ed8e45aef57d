/** The pagination that every list shares. */
import { describe, expect, it } from 'vitest';
import { prepareCreditInsert } from '../../../src/server/store/account/credits.ts';
import { prepareLogInsert } from '../../../src/server/store/deciding/log-writer.ts';
import { usualDecision } from '../usual-decision.ts';
import { makeType, openForTest } from '../workbench.ts';

const types = '/api/v1/decision-types';
const count = 45;

/** A workbench with 45 rows in each of its lists, the newest first, and the addresses of the lists. */
async function openWithLists() {
  const { call, deps } = await openForTest({ synchronous: 'NORMAL' });
  for (let n = 1; n < count; n += 1) await makeType(call, { name: `type ${n}` });
  const id = await makeType(call);
  const examples = Array.from({ length: count }, (_, n) => ({ input: { n } }));
  await call('POST', `${types}/${id}/examples`, { examples });
  const { seq = 0 } =
    deps.db.prepare<[string], { seq: number }>('SELECT seq FROM decision_types WHERE id = ?').get(id) ?? {};
  const addLog = prepareLogInsert(deps.db);
  const addCredit = prepareCreditInsert(deps.db);
  for (let n = 0; n < count; n += 1) {
    const createdAt = deps.clock.now();
    addLog({
      ...usualDecision,
      decisionTypeSeq: seq,
      requestId: `r${n}`,
      createdAt,
    });
    const entry = { organisationSeq: 1, operation: 'decision', credits: 1, decisionTypeId: id } as const;
    addCredit({ ...entry, id: deps.newId(), referenceId: `r${n}`, createdAt });
  }
  return { call, urls: [types, `${types}/${id}/examples`, `${types}/${id}/logs`, '/api/v1/credits/usage'] };
}

describe('each list', () => {
  it('comes in pages of 20 unless asked otherwise, none twice and none missing [PAG-1] [PAG-2]', async () => {
    const { call, urls } = await openWithLists();
    for (const url of urls) {
      const first = (await call('GET', url)).body;
      expect([url, first.total, first.page, first.page_size, first.pages]).toEqual([url, count, 1, 20, 3]);
      const ids = new Set<string>();
      for (const page of [1, 2, 3]) {
        const { items } = (await call('GET', `${url}?page=${page}`)).body;
        for (const { id } of items) ids.add(id);
        expect(items).toHaveLength(page === 3 ? 5 : 20);
      }
      expect([url, ids.size]).toEqual([url, count]);
      const whole = (await call('GET', `${url}?page_size=100`)).body;
      expect([whole.items.length, whole.pages]).toEqual([count, 1]);
      const beyond = (await call('GET', `${url}?page=4`)).body;
      expect(beyond).toMatchObject({ items: [], total: count, page: 4, pages: 3 });
    }
  });

  it('refuses pages that do not exist in any list [PAG-2]', async () => {
    const { call, urls } = await openWithLists();
    for (const url of urls) {
      for (const query of ['page=0', 'page=-1', 'page=1.5', 'page_size=0', 'page_size=101', 'page=x', 'size=5']) {
        const answer = await call('GET', `${url}?${query}`);
        expect([url, query, answer.status]).toEqual([url, query, 422]);
        expect(answer.body.error.details[0].loc).toEqual(['query', query.split('=')[0]]);
      }
    }
  });
});
