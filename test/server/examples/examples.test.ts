import { describe, expect, it } from 'vitest';
import type { ImportPlan } from '../../../src/server/contract/examples/import-plan.ts';
import { type Call, makeType, openForTest } from '../workbench.ts';

async function openType() {
  const opened = await openForTest();
  const id = await makeType(opened.call, { reason_codes: ['A', 'B'] });
  return { ...opened, url: `/api/v1/decision-types/${id}/examples` };
}
const csv = (call: Call, url: string, content: string, more: Record<string, unknown> = {}) =>
  call('POST', `${url}/import`, { format: 'csv', content, ...more });

describe('examples', () => {
  it('are added under either name of a field and come back in one form [EXA-1] [EXA-3] [EXA-7]', async () => {
    const { call, url } = await openType();
    const added = await call('POST', url, {
      examples: [
        { input_payload: { x: 1 }, expected_decision: 'yes', reason_codes: ['A'] },
        { input: { x: 2 }, decision: 'no', reason_code: 'B' },
        { input: { x: 3 } },
      ],
    });
    expect(added.status).toBe(201);
    expect(added.body[1]).toMatchObject({
      input_payload: { x: 2 },
      expected_decision: 'no',
      reason_codes: ['B'],
      source: 'user',
      reviewed: false,
    });
    const stats = await call('GET', `${url}/stats`);
    expect(stats.body).toEqual({
      total: 3,
      labelled: 2,
      unlabelled: 1,
      reviewed: 0,
      by_source: { user: 3, synthetic: 0 },
      by_option: { yes: 1, no: 1 },
      by_queue: {
        to_label: 1,
        random: 1,
        flagged: 0,
        suspect: 0,
        corrections: 0,
        audit: 0,
        synthetic: 0,
        second_reading: 0,
        conflicts: 0,
      },
      suspects: null,
    });
  });

  it('are added all or none, each fault with its place [EXA-2] [EXA-3]', async () => {
    const { call, url } = await openType();
    const refused = await call('POST', url, {
      examples: [
        { input: { x: 1 }, decision: 'yes' },
        { input: { x: 1 }, decision: 'maybe' },
        { decision: 'yes' },
        { input: {}, reason_codes: ['A', 'C'] },
        { input: {}, input_payload: {} },
      ],
    });
    expect(refused.body.error.details.map((detail: { loc: unknown[] }) => detail.loc.join('.'))).toEqual([
      'body.examples.1.decision',
      'body.examples.2.input_payload',
      'body.examples.3.reason_codes.1',
      'body.examples.4.input',
    ]);
    expect((await call('GET', url)).body.total).toBe(0);
  });

  it('are at most 10,000 a call and 200,000 a type, and it says how many fit [EXA-9] [EXA-10]', async () => {
    const { call, url, deps } = await openType();
    const some = (count: number) => ({ examples: Array.from({ length: count }, () => ({ input: {} })) });
    expect((await call('POST', url, some(10_001))).body.error.details[0].loc).toEqual(['body', 'examples']);
    expect((await call('POST', url, some(10_000))).status).toBe(201);
    deps.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 189990)
         INSERT INTO examples (id, decision_type_id, input, reason_codes, source, reviewed, created_at, updated_at)
         SELECT 'e' || i, decision_type_id, '{}', '[]', 'user', 0, 0, 0 FROM n, (SELECT decision_type_id FROM examples LIMIT 1)`,
      )
      .run();
    const refused = await call('POST', url, some(11));
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([
      { current: 199_990, requested: 11, maximum: 200_000, remaining: 10 },
    ]);
    expect((await call('POST', url, some(10))).status).toBe(201);
    expect((await call('GET', `${url}/stats`)).body.total).toBe(200_000);
    const more = [
      await csv(call, url, 'a\n1\n', { commit: true }),
      await call('POST', `${url}/generate`, { count: 1 }),
    ].map(({ status, body }) => [status, body.error.details[0]]);
    expect(more).toEqual([
      [422, expect.objectContaining({ loc: ['body', 'content'], remaining: 0 })],
      [422, expect.objectContaining({ loc: ['body', 'count'], remaining: 0 })],
    ]);
  });

  it('can be filtered, changed and deleted [EXA-5] [EXA-6] [EXA-8] [EXA-11]', async () => {
    const { call, url } = await openType();
    const examples = Array.from({ length: 25 }, (_, index) => ({
      input: { n: index, text: index % 2 ? '50% off_' : 'plain' },
      ...(index < 10 ? { decision: 'yes' } : {}),
    }));
    const added = (await call('POST', url, { examples })).body;
    expect((await call('GET', `${url}?page=2`)).body).toMatchObject({ total: 25, pages: 2, page: 2 });
    expect((await call('GET', `${url}?labelled=false`)).body.total).toBe(15);
    expect((await call('GET', `${url}?decision=yes&search=50%25%20off_`)).body.total).toBe(5);
    expect((await call('GET', `${url}?search=off%25`)).body.total).toBe(0);
    expect((await call('GET', `${url}?source=synthetic`)).body.total).toBe(0);
    const one = `${url}/${added[0].id}`;
    expect((await call('PATCH', one, { decision: null, reviewed: true })).body).toMatchObject({
      expected_decision: null,
      reviewed: true,
      input_payload: { n: 0, text: 'plain' },
    });
    expect((await call('GET', `${url}?reviewed=true`)).body.total).toBe(1);
    expect((await call('DELETE', one)).status).toBe(204);
    expect((await call('DELETE', one)).status).toBe(404);
  });

  it('keeps the label that somebody else has given meanwhile [EXA-17]', async () => {
    const { call, url } = await openType();
    const [{ id }] = (await call('POST', url, { examples: [{ input: { n: 1 } }] })).body;
    const label = (expected_decision: string | null, replaces: string | null) =>
      call('PATCH', `${url}/${id}`, { expected_decision, replaces });
    expect((await label('yes', null)).status).toBe(200);
    // Its answer was lost, and it is sent again.
    expect((await label('yes', null)).status).toBe(200);
    const late = await label('no', null);
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
    expect(late.body.error.message).toContain('changed to "yes" meanwhile');
    expect((await call('GET', `${url}/${id}`)).body.expected_decision).toBe('yes');
    expect((await label(null, 'yes')).body.expected_decision).toBeNull();
    expect((await label('no', 'yes')).body.error.message).toContain('removed meanwhile');
    expect((await call('PATCH', `${url}/${id}`, { expected_decision: 'no' })).status).toBe(200);
  });

  it('can be changed in bulk and the change undone [EXA-12]', async () => {
    const { call, url } = await openType();
    const examples = Array.from({ length: 12 }, (_, n) => ({ input: { n }, decision: n < 6 ? 'yes' : 'no' }));
    const added = (await call('POST', url, { examples })).body;
    const ids = added.slice(0, 3).map((example: { id: string }) => example.id);
    const labelled = (await call('POST', `${url}/bulk`, { ids, action: 'set_decision', decision: 'no' })).body;
    expect(labelled.affected).toBe(3);
    expect((await call('GET', `${url}/stats`)).body.by_option).toEqual({ yes: 3, no: 9 });
    const deleted = (await call('POST', `${url}/bulk`, { filter: { decision: 'no' }, action: 'delete' })).body;
    expect((await call('GET', url)).body.total).toBe(3);
    expect((await call('POST', `${url}/undo`, { undo_token: deleted.undo_token })).body.affected).toBe(9);
    expect((await call('POST', `${url}/undo`, { undo_token: labelled.undo_token })).body.affected).toBe(3);
    expect((await call('POST', `${url}/undo`, { undo_token: labelled.undo_token })).status).toBe(409);
    const after = (await call('GET', `${url}?page_size=100`)).body.items.reverse();
    expect(after.map((example: { id: string }) => example.id)).toEqual(
      added.map((example: { id: string }) => example.id),
    );
    expect((await call('GET', `${url}/stats`)).body.by_option).toEqual({ yes: 6, no: 6 });
    const reviewed = async () => (await call('GET', `${url}?reviewed=true`)).body.total;
    const review = { filter: { decision: 'no', reviewed: false }, action: 'set_reviewed', reviewed: true };
    const marked = (await call('POST', `${url}/bulk`, review)).body;
    expect([marked.affected, await reviewed()]).toEqual([6, 6]);
    await call('POST', `${url}/undo`, { undo_token: marked.undo_token });
    expect(await reviewed()).toBe(0);
    expect((await call('POST', `${url}/bulk`, { ids, filter: {}, action: 'delete' })).status).toBe(422);
  });
});

describe('test rows', () => {
  it('are marked one by one or in bulk, filtered by, and come back after an undo [EXA-16]', async () => {
    const { call, url, deps } = await openType();
    const examples = Array.from({ length: 6 }, (_, n) => ({ input: { n }, decision: 'yes', test: n === 0 }));
    const [first, second] = (await call('POST', url, { examples })).body;
    expect([first.test, second.test]).toEqual([true, false]);
    deps.db.prepare("UPDATE examples SET source = 'synthetic' WHERE id = ?").run(second.id);
    const countMarked = async () => (await call('GET', `${url}?test=true`)).body.total;

    expect((await call('PATCH', `${url}/${first.id}`, { test: false })).body.test).toBe(false);
    const refused = await call('PATCH', `${url}/${second.id}`, { test: true });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details[0]).toMatchObject({ loc: ['body', 'test'] });
    const marked = (await call('POST', `${url}/bulk`, { filter: {}, action: 'set_test', test: true })).body;
    // The generated one stays what it is.
    expect([marked.affected, await countMarked()]).toEqual([5, 5]);
    const deleted = (await call('POST', `${url}/bulk`, { filter: { test: true }, action: 'delete' })).body;
    expect([deleted.affected, await countMarked()]).toEqual([5, 0]);
    await call('POST', `${url}/undo`, { undo_token: deleted.undo_token });
    expect(await countMarked()).toBe(5);
    await call('POST', `${url}/undo`, { undo_token: marked.undo_token });
    expect(await countMarked()).toBe(0);
    expect((await call('POST', `${url}/bulk`, { filter: {}, action: 'set_test' })).status).toBe(422);
  });

  it('are not counted among the examples to learn from [EXA-16] [RDY-2]', async () => {
    const { call, url } = await openType();
    const examples = Array.from({ length: 80 }, (_, n) => ({
      input: { n },
      decision: n % 2 === 0 ? 'yes' : 'no',
      test: n < 10,
    }));
    await call('POST', url, { examples });
    const { ready, issues } = (await call('GET', url.replace('/examples', '/training-readiness?rare_options=refuse')))
      .body;
    expect(ready).toBe(false);
    expect(issues).toContain('Option "yes" has 35 labelled examples beside its 5 test rows; at least 38 are needed.');
  });
});

describe('searching examples', () => {
  it('finds texts as they were given, whatever characters and case they have [EXA-6] [RSH-14]', async () => {
    const { call, url } = await openType();
    const texts = [
      'say "hi" twice',
      'a\\b',
      'line\nbreak',
      '50%_off',
      'caf\u00e9 \u{1f600}',
      'ab',
      '\u00c4rger',
      '\u00e4rger',
      'A\u0308rger',
    ];
    texts.push('\u041f\u041e\u0421\u042b\u041b\u041a\u0410', 'Stra\u00dfe');
    await call('POST', url, { examples: texts.map((text) => ({ input: { text } })) });
    for (const [search, found] of [
      ['"hi"', 1],
      ['a\\b', 1],
      ['line\nb', 1],
      ['%_o', 1],
      ['f\u00e9 \u{1f600}', 1],
      ['SAY', 1],
      ['a_', 0],
      ['\\', 1],
      ['CAF\u00c9', 1],
      ['cafe\u0301', 1],
      ['\u00e4rger', 3],
      ['A\u0308RGER', 3],
      ['\u043f\u043e\u0441\u044b\u043b\u043a\u0430', 1],
      ['STRASSE', 1],
    ] as const) {
      const { body } = await call('GET', `${url}?search=${encodeURIComponent(search)}`);
      expect([search, body.total]).toEqual([search, found]);
    }
  });
});

describe('undoing a bulk change', () => {
  /** Four examples, and what is told of the examples in the order of their making. */
  async function openFour() {
    const { call, url, deps } = await openType();
    const add = async (...numbers: number[]) =>
      (await call('POST', url, { examples: numbers.map((n) => ({ input: { n }, decision: 'yes' })) })).body;
    const ids: string[] = (await add(1, 2, 3, 4)).map(({ id }: { id: string }) => id);
    const change = async (body: object) => (await call('POST', `${url}/bulk`, { filter: {}, ...body })).body;
    const undo = (undo_token: string) => call('POST', `${url}/undo`, { undo_token });
    const list = async () =>
      (await call('GET', `${url}?page_size=100`)).body.items
        .map((row: { input_payload: { n: number }; expected_decision: string | null; reviewed: boolean }) =>
          [row.input_payload.n, row.expected_decision, row.reviewed].join(),
        )
        .toReversed();
    return { call, url, deps, add, ids, change, undo, list };
  }

  it('brings deleted examples back beside those that were added since [EXA-15]', async () => {
    const { add, change, undo, list } = await openFour();
    const { undo_token } = await change({ action: 'delete' });
    await add(11, 12);
    expect((await undo(undo_token)).body).toEqual({ affected: 4 });
    expect(await list()).toEqual([11, 12, 1, 2, 3, 4].map((n) => `${n},yes,false`));
    expect((await undo(undo_token)).status).toBe(409);

    const again = await change({ filter: { search: '1' }, action: 'delete' });
    expect([again.affected, await list()]).toEqual([3, ['2,yes,false', '3,yes,false', '4,yes,false']]);
    await undo(again.undo_token);
    expect(await list()).toEqual([11, 12, 1, 2, 3, 4].map((n) => `${n},yes,false`));
  });

  it('takes back labels alone: inputs that were edited and examples that were deleted since stay so [EXA-15]', async () => {
    const { call, url, ids, change, undo, list } = await openFour();
    const { undo_token } = await change({
      ids: ids.slice(0, 3),
      filter: undefined,
      action: 'set_decision',
      decision: 'no',
    });
    await call('PATCH', `${url}/${ids[0]}`, { input: { n: 100 } });
    await call('DELETE', `${url}/${ids[1]}`);
    expect(await list()).toEqual(['100,no,false', '3,no,false', '4,yes,false']);
    expect((await undo(undo_token)).body).toEqual({ affected: 2 });
    expect(await list()).toEqual(['100,yes,false', '3,yes,false', '4,yes,false']);
  });

  it('never gives a log record two examples [EXA-15]', async () => {
    const { deps, change, undo, list } = await openFour();
    deps.db.prepare("UPDATE examples SET log_id = 'record' WHERE seq = 2").run();
    const { undo_token } = await change({ action: 'delete' });
    deps.db
      .prepare(
        `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, log_id, created_at, updated_at)
         SELECT 'later', id, '{"n":22}', 'no', '[]', 'user', 1, 'record', 0, 0 FROM decision_types`,
      )
      .run();
    expect((await undo(undo_token)).body).toEqual({ affected: 4 });
    expect(await list()).toEqual(['22,no,true', '1,yes,false', '2,yes,false', '3,yes,false', '4,yes,false']);
    expect(deps.db.prepare('SELECT id FROM examples WHERE log_id IS NOT NULL').pluck().all()).toEqual(['later']);
  });
});

describe('importing a file', () => {
  const content =
    'amount,vip,customer.state,note,decision,reason\n12.5,true,NY,"a ""b"", c",yes,A;B\n,FALSE,CA,007,no,\n3,true,,"two\nlines",,B\n';

  it('is previewed with typed cells, then written whole [EXA-13]', async () => {
    const { call, url } = await openType();
    const preview = await csv(call, url, `\ufeff${content}`);
    expect(preview.body).toMatchObject({
      committed: false,
      answer: 'decision',
      examples: 3,
      labelled: 2,
      new_options: [],
    });
    expect(preview.body.labels.map(({ value, count }: ImportPlan['labels'][number]) => [value, count])).toEqual([
      ['yes', 1],
      ['no', 1],
    ]);
    const roles = preview.body.columns.map(({ name, role }: ImportPlan['columns'][number]) => [name, role]);
    expect(Object.fromEntries(roles)).toMatchObject({ amount: 'input', decision: 'decision', reason: 'reasons' });
    expect(preview.body.first_examples.map((row: { input_payload: unknown }) => row.input_payload)).toEqual([
      { amount: 12.5, vip: true, customer: { state: 'NY' }, note: 'a "b", c' },
      { amount: null, vip: false, customer: { state: 'CA' }, note: '007' },
      { amount: 3, vip: true, customer: { state: null }, note: 'two\nlines' },
    ]);
    expect((await call('GET', url)).body.total).toBe(0);
    expect((await csv(call, url, content, { commit: true })).body.committed).toBe(true);
    expect((await call('GET', `${url}/stats`)).body).toMatchObject({ total: 3, labelled: 2 });
  });

  it('takes TSV, JSON and JSONL alike [EXA-13]', async () => {
    const { call, url } = await openType();
    const files = {
      tsv: 'x\tlabel\n1\tyes\n2\tno\n',
      json: JSON.stringify([
        { input: { x: 1 }, decision: 'yes', reason_codes: ['A'] },
        { input: { x: 2 }, decision: 'no' },
      ]),
      jsonl: '{"x":1,"decision":"yes"}\n\n{"x":2,"decision":"no"}\n',
    };
    for (const [format, text] of Object.entries(files)) {
      const done = await call('POST', `${url}/import`, { format, content: text, commit: true });
      expect([format, done.status, done.body.examples]).toEqual([format, 200, 2]);
      expect(done.body.first_examples[1].input_payload).toEqual({ x: 2 });
    }
    expect((await call('GET', url)).body.total).toBe(6);
  });

  it('refuses columns that another sign separates, by its name [EXA-13]', async () => {
    const { call, url } = await openType();
    for (const [format, text, sign, expected] of [
      ['csv', 'amount;decision\n1;yes\n2;no\n', 'semicolons', 'commas'],
      ['csv', 'x\tdecision\n1\tyes\n', 'tabs', 'commas'],
      ['tsv', 'x,decision\n1,yes\n', 'commas', 'tabs'],
    ]) {
      const answer = await call('POST', `${url}/import`, { format, content: text, commit: true });
      expect([answer.status, answer.body.error.details[0].msg]).toEqual([
        422,
        `line 1: the columns are separated by ${sign}; separate them by ${expected}, and quote cells that hold any`,
      ]);
    }
    expect((await call('GET', url)).body.total).toBe(0);
    for (const [format, text] of [
      ['csv', '"text; in German"\nHallo; du\n'],
      ['tsv', 'text\nHello, you\n'],
    ]) {
      expect((await call('POST', `${url}/import`, { format, content: text, commit: true })).body.examples).toBe(1);
    }
  });

  it('writes nothing of a bad file and names line and column [EXA-13]', async () => {
    const { call, url } = await openType();
    const bad: [string, string, unknown[]][] = [
      ['csv', 'a,decision\n1,yes\n2,no,maybe\n3,no\n', [3, 3]],
      ['csv', 'a,decision\n1,perhaps\n', [2, 'decision']],
      ['jsonl', '{"x":1,"decision":"yes"}\n{"x":}\n', [2, 6]],
      ['json', '[{"x":1},\n{"x" 2}]', [2, 6]],
      ['jsonl', '{"x":1}\n[1]\n', [2, 1]],
    ];
    for (const [format, text, place] of bad) {
      const answer = await call('POST', `${url}/import`, { format, content: text, commit: true });
      expect([text, answer.status, answer.body.error.details[0].loc.slice(2)]).toEqual([text, 422, place]);
    }
    expect((await csv(call, url, '')).status).toBe(422);
    const mapping = { decision: 'nothing', reason_codes: null, input: null };
    expect((await csv(call, url, 'a\n1\n', { mapping })).body.error.details[0].loc).toEqual([
      'body',
      'mapping',
      'decision',
    ]);
    expect((await call('GET', url)).body.total).toBe(0);
  });

  it('refuses what would be stored as something else than it says [EXA-14]', async () => {
    const { call, url } = await openType();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const bad: [string, string, unknown[], string][] = [
      ['csv', 'a,a.b,decision\n1,2,yes\n', [1, 'a.b'], 'the columns "a" and "a.b" name the same place'],
      ['csv', 'a.b.c,a,decision\n1,2,yes\n', [1, 'a.b.c'], 'the columns "a" and "a.b.c" name the same place'],
      ['csv', '__proto__.a,decision\n1,yes\n', [1, '__proto__.a'], 'this column name is not allowed'],
      ['csv', `${'a.'.repeat(40)}a,decision\n1,yes\n`, [1, 'a.'.repeat(40)], 'at most 28 parts'],
      ['csv', `${Array.from({ length: 300_000 }, (_, n) => `c${n}`).join()}\n`, [1, 2_001], 'more than 2000 columns'],
      ['json', `[{"x":${deep}}]`, [1, 1], 'nested more than 32 levels'],
      ['jsonl', '{"x":1}\n{"x":{"__proto__":{"y":1}}}\n', [2, 1], '"__proto__" is not allowed'],
      ['jsonl', '{"__proto__":{"y":1},"decision":"yes"}', [1, 1], '"__proto__" is not allowed'],
      ['jsonl', '{"x":1,"x":2}', [1, 1], 'the key "x" twice'],
      ['jsonl', '{"a":{"x":1e999}}', [1, 'a.x'], 'the number is too large'],
      ['jsonl', '{"x":"a\\u0000b"}', [1, 'x'], 'holds a NUL'],
      ['jsonl', '{"x":"\\ud800"}', [1, 'x'], 'half a surrogate pair'],
      ['json', '[{"input":{"x":1}},{"x":2}]', [2, 'input'], '"input" is missing'],
    ];
    for (const [format, text, place, message] of bad) {
      const answer = await call('POST', `${url}/import`, { format, content: text, commit: true });
      const [detail] = answer.body.error.details ?? [];
      expect([text.slice(0, 50), answer.status, detail?.loc.slice(2)]).toEqual([text.slice(0, 50), 422, place]);
      expect(detail.msg).toContain(message);
    }
    expect((await call('GET', url)).body.total).toBe(0);
    const mapping = { decision: 'decision', reason_codes: null, input: ['a.b'] };
    const chosen = await csv(call, url, 'a,a.b,decision\n1,2,yes\n', { mapping });
    expect(chosen.body.first_examples[0].input_payload).toEqual({ a: { b: 2 } });
  });

  it('tells of labels that are no options before anything is written', async () => {
    const { call, url } = await openType();
    const preview = await csv(call, url, 'a,decision\n1,yes\n2,Perhaps\n3,Perhaps\n');
    expect(preview.body.labels).toContainEqual({ value: 'Perhaps', count: 2, line: 3, target: { kind: 'add' } });
  });
});
