/** A decision type moves from one workbench to another: as a file with all of it, or by the bundle of its policy. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../../src/door/turns.ts';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { deployForAll, loanExamples, loanType, openForTest, sendForm } from '../workbench.ts';

const types = '/api/v1/decision-types';
const inputs = Array.from({ length: 600 }, (_, i) => ({
  applicant: { score: 400 + ((i * 37) % 420) },
  amount: i % 7 === 0 ? 60_000 : 900 + ((i * 733) % 12_000),
  purpose: ['car', 'home', 'study', 'boat'][i % 4],
  employed: i % 3 === 0,
}));

/** Said of a file with a history, which can be checked to be possible, and not to have happened. */
const asTheFileSays = expect.stringMatching(/figures, and who released what and why, are as the file says/);

describe('a decision type', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const path = () => folder.url;

  const open = async (dataDir?: string) => {
    const { app, token, call, deps } = await openForTest(dataDir === undefined ? {} : { dataDir });
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const load = async (url: string) => {
      const answer = await app.inject({ url, headers });
      if (answer.statusCode !== 200) throw new Error(answer.body);
      return answer.rawPayload;
    };
    const upload = (url: string, bytes: Uint8Array, fields: Record<string, string> = {}) =>
      sendForm(call, url, new File([Uint8Array.from(bytes)], 'file.zip'), fields);
    const decideAll = async (name = 'loan') => {
      const made: object[] = [];
      for (let at = 0; at < inputs.length; at += 50) {
        const decisions = inputs.slice(at, at + 50).map((input) => ({ decision_type: name, input }));
        const { body } = await call('POST', '/api/v1/decide/batch?dry_run=true', { decisions });
        if (body.failed > 0) throw new Error(JSON.stringify(body.errors[0]));
        for (const { latency_ms: _, request_id: _id, dry_run: _dry, timestamp: _at, ...decision } of body.results)
          made.push(decision);
      }
      return made;
    };
    return { call, load, upload, decideAll, deps };
  };

  /** The loan type with all that an archive holds: marks, notes, a correction, a second release and an alias. */
  const openDevelopment = async () => {
    const bench = await open(folder.copy());
    const { call } = bench;
    const { items } = (await call('GET', `${path()}/examples?page_size=5`)).body;
    await call('PATCH', `${path()}/examples/${items[0].id}`, { must: true, note: 'order “17”' });
    await call('PATCH', `${path()}/examples/${items[1].id}`, { status: 'flagged' });
    await call('PATCH', `${path()}/examples/${items[2].id}`, { test: true, reviewed: true });
    const lists = { far: ['boat', 'study'] };
    const rules = [
      ...loanType.rules.map(({ ...rule }) => ({ ...rule, priority: 5 })),
      { name: 'far', condition: 'ctx.purpose in lists.far && ctx.amount > 9000', then: 'decline', priority: 1 },
    ];
    await call('PUT', path(), {
      lists,
      hard_rules: rules,
      fallback_option: 'decline',
      pii_fields: ['applicant.email'],
    });
    await call('PUT', `${path()}/aliases/production`, { release: 2 });
    await call('POST', '/api/v1/decide', { decision_type: 'loan', input: inputs[1] });
    const [record] = (await call('GET', `${path()}/logs`)).body.items;
    const corrected = await call('PUT', `${path()}/logs/${record.id}/correction`, { decision: 'approve' });
    expect(corrected.status).toBe(200);
    return bench;
  };

  it('is the same file for the same state, and decides elsewhere as it did, 600 of 600 [MOV-1] [MOV-2]', async () => {
    const development = await openDevelopment();
    const archive = await development.load(`${path()}/archive`);
    expect(Buffer.compare(archive, await development.load(`${path()}/archive`))).toBe(0);
    const production = await open();
    const moved = await production.upload(`${types}/import`, archive);
    expect([moved.status, moved.body]).toMatchObject([
      201,
      {
        decision_type: { name: 'loan', model_deployed: true },
        examples: 81,
        policies: 1,
        releases: 2,
        notes: [asTheFileSays],
      },
    ]);
    // Nothing is left out: it is written there as it was here.
    expect(moved.body.decision_type.id).toBe(path().split('/').at(-1));
    expect(Buffer.compare(archive, await production.load(`${path()}/archive`))).toBe(0);
    const here = await development.decideAll();
    expect(here).toHaveLength(600);
    expect(await production.decideAll()).toEqual(here);
    expect(await production.decideAll('loan@production')).toEqual(here);
    expect(here[0]).toMatchObject({ release: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const whole = async ({ call }: typeof production) =>
      (await call('GET', `${path()}/policies/${folder.policyId}/whole-decision`)).body;
    const measured = await whole(development);
    const from = 'This figure came with the file that the type was imported from: it was not measured here.';
    const said = { headline: `${measured.headline} ${from}`, remarks: [...measured.remarks, from] };
    expect(await whole(production)).toEqual({ ...measured, ...said });
    expect((await production.call('GET', `${path()}/pinned-cases`)).body.items).toHaveLength(1);
    // The log stays where it is.
    const releasesOf = async ({ call }: typeof production) =>
      (await call('GET', `${path()}/releases`)).body.items.map(
        ({ live: _live, ...release }: { live: object }) => release,
      );
    expect(await releasesOf(production)).toEqual(await releasesOf(development));
    // A training there learns from the same rows.
    const { body } = await production.call('GET', `${path()}/training-readiness`);
    expect(body).toEqual((await development.call('GET', `${path()}/training-readiness`)).body);
  });

  it('comes a second time under another name with ids of its own [MOV-1]', async () => {
    const { call, load, upload, decideAll } = await openDevelopment();
    const archive = await load(`${path()}/archive`);
    const taken = await upload(`${types}/import`, archive);
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict']);
    const { body } = await upload(`${types}/import`, archive, { name: 'loan copy' });
    expect(body.decision_type.id).not.toBe(path().split('/').at(-1));
    expect(await decideAll('loan copy')).toEqual(await decideAll());
    const { items } = (await call('GET', `${types}/${body.decision_type.id}/examples?must=true`)).body;
    expect(items).toMatchObject([{ note: 'order “17”', must: true }]);
    const again = unzipSync(await load(`${types}/${body.decision_type.id}/archive`));
    const first = unzipSync(archive);
    const withoutIds = (bytes: Uint8Array | undefined) =>
      Buffer.from(bytes ?? [])
        .toString()
        .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'id')
        .replace('"loan copy"', '"loan"');
    for (const name of ['type.json', 'examples.jsonl']) expect(withoutIds(again[name])).toBe(withoutIds(first[name]));
    expect(again['policies/v1.zip']).toEqual(first['policies/v1.zip']);
  });

  it('is not packed without the file of a policy, which is named [BUN-4]', async () => {
    const dataDir = folder.copy();
    const { call } = await open(dataDir);
    rmSync(join(dataDir, 'artifacts', `${folder.policyId}.zip`));
    const { status, body } = await call('GET', `${path()}/archive`);
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    expect(body.error.message).toMatch(
      /^The file of policy v1 is missing or damaged\. Put a backup of it in its place/,
    );
  });

  it('is refused as a damaged, foreign or too large file with the place, and leaves nothing [MOV-3]', async () => {
    const development = await openDevelopment();
    const archive = await development.load(`${path()}/archive`);
    const { call, upload, deps } = await open();
    const entries = unzipSync(archive);
    const change = (name: string, make: (text: string) => string) =>
      zipSync({ ...entries, [name]: Buffer.from(make(Buffer.from(entries[name] ?? []).toString())) });
    const { 'examples.jsonl': _, ...withoutExamples } = entries;
    const starts: number[] = [];
    const sign = 'PK\u0003\u0004';
    for (let at = archive.indexOf(sign); at >= 0; at = archive.indexOf(sign, at + 1)) starts.push(at);
    const middle = Math.floor(archive.length / 2);
    const flipped = Buffer.from(archive);
    flipped[middle] = (flipped[middle] ?? 0) ^ 1;
    const bomb = zipSync({ ...entries, 'examples.jsonl': new Uint8Array(97 * 1024 * 1024) }, { level: 1 });
    const cases: [string, Uint8Array, RegExp][] = [
      ...starts
        .slice(1)
        .map((at, index): [string, Uint8Array, RegExp] => [
          `cut at entry ${index + 1}`,
          archive.subarray(0, at),
          /Archive file is not a complete ZIP file/,
        ]),
      ['a flipped byte', flipped, /Archive entry .* (is damaged|cannot be decompressed|does not have the size)/],
      ['nothing', new Uint8Array(0), /Archive file is not a complete ZIP file/],
      ['a foreign ZIP', zipSync({ 'a.txt': new Uint8Array(3) }), /Archive entry "a.txt" is not part of an archive/],
      ['a missing entry', zipSync(withoutExamples), /Archive entry examples.jsonl is missing/],
      ['a ZIP bomb', bomb, /Archive entry "examples.jsonl" has over \d+ bytes unpacked/],
      [
        'another format',
        change('manifest.json', (text) => text.replace(/"format_version":1/, '"format_version":9')),
        /has format 9/,
      ],
      [
        'a line that is none',
        change('examples.jsonl', (text) => `${text}{"id":1}\n`),
        /examples.jsonl, line 82, is not valid at/,
      ],
      [
        'a changed rule',
        change('type.json', (text) => text.replaceAll('50000', '51000')),
        /release 1 that does not decide as its digest says/,
      ],
      [
        'a rule that is none',
        change('type.json', (text) => text.replaceAll('ctx.amount > 50000', 'ctx.amount >')),
        /cannot decide/,
      ],
      [
        'a version that is not there',
        change('type.json', (text) => text.replace('"active_version":2', '"active_version":7')),
        /do not fit each other/,
      ],
    ];
    for (const [what, bytes, message] of cases) {
      const { status, body } = await upload(`${types}/import`, bytes);
      expect([what, status, body.error.message]).toEqual([what, 422, expect.stringMatching(message)]);
      expect(body.error.message).toMatch(/Export|update it/);
    }
    expect((await call('GET', types)).body.total).toBe(0);
    const count = (table: string) => deps.db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    for (const table of ['decision_types', 'examples', 'policies', 'releases']) expect(count(table)).toEqual({ n: 0 });
  });

  it('is believed in nothing: times, names, ids and rows are checked before the first is written [MOV-3]', async () => {
    const development = await openDevelopment();
    const archive = await development.load(`${path()}/archive`);
    const { call, upload, deps } = await open();
    const entries = unzipSync(archive);
    const read = (name: string) => Buffer.from(entries[name] ?? []).toString();
    const change = (name: string, make: (text: string) => string) =>
      zipSync({ ...entries, [name]: Buffer.from(make(read(name))) });
    const type = JSON.parse(read('type.json'));
    const withType = (changes: object) => change('type.json', () => JSON.stringify({ ...type, ...changes }));
    const held = read('held-out.jsonl');
    const [release] = type.releases;
    const far = 9_000_000_000_000_000;
    const cases: [string, Uint8Array, RegExp][] = [
      ['a time of the type', withType({ updated_at: far }), /type.json is not valid at updated_at: is no time/],
      [
        'a time of a version',
        withType({ versions: [{ ...type.versions[0], created_at: far }, ...type.versions.slice(1)] }),
        /is not valid at versions\.\d\.created_at/,
      ],
      [
        'a time of a release',
        withType({ releases: [{ ...release, made_at: far }, ...type.releases.slice(1)] }),
        /is not valid at releases\.0\.made_at/,
      ],
      [
        'a time of an example',
        change('examples.jsonl', (text) => text.replace(/"created_at":\d+/, `"created_at":${far}`)),
        /examples.jsonl, line 1, is not valid at created_at/,
      ],
      [
        'the name of an alias',
        withType({ aliases: [{ alias: '../../<b>', number: 1 }] }),
        /is not valid at aliases\.0\.alias: up to 40/,
      ],
      ['a NUL in a name', withType({ name: 'lo\u0000an' }), /holds a NUL or half a surrogate pair at name/],
      ['a name that is too long', withType({ name: 'n'.repeat(101) }), /validation failed|too big|100/i],
      [
        'a label of 201 characters',
        change('examples.jsonl', (text) =>
          text.replace('"expected_decision":"approve"', `"expected_decision":"${'a'.repeat(201)}"`),
        ),
        /examples.jsonl, line \d+, is not valid at expected_decision/,
      ],
      [
        'a held-out row twice',
        change('held-out.jsonl', (text) => `${text}${text.split('\n')[0]}\n`),
        /has example .* a second time/,
      ],
      ['more releases than may be', withType({ releases: Array(10_001).fill(release) }), /is not valid at releases/],
    ];
    expect(held.split('\n').length).toBeGreaterThan(5);
    for (const [what, bytes, message] of cases) {
      const { status, body } = await upload(`${types}/import`, bytes);
      expect([what, status, body.error?.message]).toEqual([what, 422, expect.stringMatching(message)]);
    }
    expect((await call('GET', types)).body.total).toBe(0);

    // A time that came in before it was asked about takes no list with it.
    await upload(`${types}/import`, archive);
    for (const table of ['decision_types', 'decision_type_versions', 'examples', 'policies'])
      deps.db.exec(`UPDATE ${table} SET created_at = ${far}`);
    deps.db.exec(`UPDATE releases SET made_at = ${far}`);
    for (const url of [
      types,
      `${path()}/examples`,
      `${path()}/releases`,
      `${path()}/policies`,
      `${path()}/examples/export`,
    ])
      expect([url, (await call('GET', url)).status]).toEqual([url, 200]);
  });

  it('is written in parts, between which others have their turns [MOV-1]', async () => {
    const development = await openDevelopment();
    const entries = unzipSync(await development.load(`${path()}/archive`));
    const [line = ''] = Buffer.from(entries['held-out.jsonl'] ?? [])
      .toString()
      .split('\n');
    const row = JSON.parse(line);
    const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const rows = Array.from({ length: 10_000 }, (_, index) => `${JSON.stringify({ ...row, example_id: id(index) })}\n`);
    const { upload, deps } = await open();
    const count = deps.db.prepare<[], number>('SELECT count(*) FROM held_out_predictions').pluck();
    const seen = new Set<number>();
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        seen.add(count.get() ?? 0);
        await nextTurn();
      }
    };
    const importing = upload(
      `${types}/import`,
      zipSync({ ...entries, 'held-out.jsonl': Buffer.from(rows.join('')) }),
    ).finally(() => {
      isOver = true;
    });
    const [moved] = await Promise.all([importing, watch()]);
    expect([moved.status, moved.body.decision_type.name, count.get()]).toEqual([201, 'loan', 10_000]);
    expect(seen.size).toBeGreaterThan(10);
  });

  it('gets ids of its own where one that it names is of something else here [MOV-1]', async () => {
    const { call, load, upload } = await openDevelopment();
    const entries = unzipSync(await load(`${path()}/archive`));
    const read = (name: string) => Buffer.from(entries[name] ?? []).toString();
    await call('POST', '/api/v1/decide', { decision_type: 'loan', input: inputs[2] });
    const [record] = (await call('GET', `${path()}/logs`)).body.items;
    const idPattern = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
    const digits = new Map<string, string>();
    // Every id of the file is free, but for the examples of its held-out rows and a log record.
    const free = (text: string) =>
      text.replaceAll(idPattern, (id) => {
        const known = digits.get(id) ?? `${String(digits.size).padStart(8, '0')}${id.slice(8)}`;
        digits.set(id, known);
        return known;
      });
    const renamed = free(read('type.json')).replace('"loan"', '"other"');
    const named = zipSync({
      ...entries,
      'type.json': Buffer.from(renamed),
      'examples.jsonl': Buffer.from(free(read('examples.jsonl')).replace(/"log_id":"[^"]+"/, '"log_id":null')),
    });
    const first = await upload(`${types}/import`, named);
    expect(first.status).toBe(201);
    const other = `${types}/${first.body.decision_type.id}`;
    const [policy] = (await call('GET', `${other}/policies`)).body;
    const rows = (await call('GET', `${other}/policies/${policy.id}/held-out`)).body.items;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row: { input: unknown }) => row.input === null)).toBe(true);

    const logged = zipSync({
      ...entries,
      'type.json': Buffer.from(renamed.replace('"other"', '"third"').replaceAll(/"0000/g, '"1111')),
      'examples.jsonl': Buffer.from(
        free(read('examples.jsonl'))
          .replaceAll(/"0000/g, '"1111')
          .replace(/"log_id":"[^"]+"/, `"log_id":"${record.id}"`),
      ),
      'held-out.jsonl': Buffer.from(''),
    });
    const second = await upload(`${types}/import`, logged);
    expect(second.status).toBe(201);
    const before = (await call('GET', `${path()}/examples`)).body.total;
    const corrected = await call('PUT', `${path()}/logs/${record.id}/correction`, { decision: 'decline' });
    expect([corrected.status, (await call('GET', `${path()}/examples`)).body.total]).toEqual([200, before + 1]);
  });

  it('takes the questions along that it answers; those of other types here stay with them [MOV-8]', async () => {
    const development = await openDevelopment();
    const without = unzipSync(await development.load(`${path()}/archive`));
    // A program that knew no questions reads the file of a type that was asked none.
    expect(JSON.parse(Buffer.from(without['type.json'] ?? []).toString())).not.toHaveProperty('questions');
    const marks = { kind: 'predicate', instructions: 'Good?', options: ['approve'] };
    const own = { kind: 'choice', instructions: 'How risky?', options: ['approve', 'decline'] };
    for (const question of [marks, own]) await development.call('POST', `${path()}/questions`, question);
    const noul = { model: 'loan', state: inputs[1], questions: { a: { type: 'noul', instructions: 'Good?' } } };
    const criteria = { approve: null, decline: null };
    const asked = { state: inputs[1], questions: { a: { type: 'choice', instructions: 'How risky?', criteria } } };
    const first = await development.call('POST', '/v1/systemone', asked);
    const questions = (await development.call('GET', `${path()}/questions`)).body;
    expect(questions.map(({ kind, asked: said }: Record<string, unknown>) => [kind, said])).toEqual([
      ['predicate', 'Good?'],
      ['choice', 'How risky?'],
    ]);
    const archive = await development.load(`${path()}/archive`);

    const production = await open();
    expect((await production.upload(`${types}/import`, archive)).body.notes).toEqual([asTheFileSays]);
    expect((await production.call('GET', `${path()}/questions`)).body).toEqual(questions);
    expect(Buffer.compare(archive, await production.load(`${path()}/archive`))).toBe(0);
    const answerOf = async ({ call }: typeof production, body: object) =>
      (await call('POST', '/v1/systemone', body, { 'x-workbench-extras': 'off' })).body.answers.a;
    for (const body of [noul, asked])
      expect(await answerOf(production, body)).toEqual(await answerOf(development, body));

    // Beside the type that it comes from, what is asked there goes on being answered there.
    const copy = await development.upload(`${types}/import`, archive, { name: 'loan copy' });
    expect(copy.body.notes).toEqual([
      asTheFileSays,
      'Questions of decision models that were left out, 2: other types answer them here already.',
    ]);
    const url = `${types}/${copy.body.decision_type.id}`;
    expect((await development.call('GET', `${url}/questions`)).body).toEqual([]);
    const again = await development.call('POST', '/v1/systemone', asked);
    expect([first, again].map(({ body }) => body.answers.a.x_decision_type)).toEqual(['loan', 'loan']);

    // A bundle carries each wording that people have marked.
    await development.call('PUT', path(), { hard_rules: [], lists: {} });
    const bundle = await development.load(`${path()}/export?slim=true`);
    const stranger = await open();
    const taken = await stranger.upload(`${types}/import`, bundle);
    expect(taken.status).toBe(201);
    const there = `${types}/${taken.body.decision_type.id}/questions`;
    expect((await stranger.call('GET', there)).body).toMatchObject([
      { kind: 'predicate', options: ['approve'], asked: 'Good?' },
      { kind: 'choice', options: ['approve', 'decline'], asked: 'How risky?' },
    ]);

    const entries = unzipSync(archive);
    const type = JSON.parse(Buffer.from(entries['type.json'] ?? []).toString());
    const [yes] = type.questions;
    const cases: [object[], RegExp][] = [
      [[{ ...yes, options: ['approve', 'decline'] }], /questions\.0\.options: must be one option of a predicate/],
      [[{ ...yes, kind: 'score', options: ['approve', 'approve'] }], /questions\.0\.options/],
      [[{ ...yes, options: ['a'.repeat(201)] }], /questions\.0\.options\.0/],
      [[{ ...yes, shown: 'a'.repeat(301) }], /questions\.0\.shown/],
      [[{ ...yes, created_at: -1 }], /questions\.0\.created_at/],
      [[{ ...yes, digest: 'all' }], /questions\.0\.digest/],
      [[yes, { ...yes, id: '00000000-0000-4000-8000-000000000000' }], /questions: asks the same twice/],
      [Array(1_001).fill(yes), /is not valid at questions/],
    ];
    const { upload, call } = await open();
    for (const [wrong, message] of cases) {
      const bytes = zipSync({ ...entries, 'type.json': Buffer.from(JSON.stringify({ ...type, questions: wrong })) });
      const { status, body } = await upload(`${types}/import`, bytes);
      expect([status, body.error?.message]).toEqual([422, expect.stringMatching(message)]);
    }
    expect((await call('GET', types)).body.total).toBe(0);
  });

  it('is made of a bundle, or goes on with one, whose digest stays [MOV-4]', async () => {
    const development = await open(folder.copy());
    const thresholds = { auto_decide: 0.7, escalation: 0.4 };
    await development.call('PUT', path(), { confidence_thresholds: thresholds, pii_fields: ['applicant.email'] });
    const bundle = await development.load(`${path()}/export?slim=true`);
    const here = await development.decideAll();
    const [{ digest }] = (await development.call('GET', `${path()}/releases`)).body.items;
    const production = await open();
    const made = await production.upload(`${types}/import`, bundle);
    expect(made.body).toMatchObject({
      decision_type: { name: 'loan', model_deployed: true, pii_fields: ['applicant.email'] },
      examples: 0,
      releases: 1,
    });
    const url = `${types}/${made.body.decision_type.id}`;
    const list = async () => (await production.call('GET', `${url}/releases`)).body.items;
    expect(await list()).toMatchObject([{ release: 1, digest, reason: 'Imported as a bundle.', by: 'Owner' }]);
    const strip = (decisions: object[]) => decisions.map((made) => ({ ...made, release: 0, policy_version: '' }));
    expect(strip(await production.decideAll())).toEqual(strip(here));

    // What its logs mask is said by the type that it left, and by the one that it came to.
    await production.call('PUT', url, { pii_fields: [] });
    const { manifest } = unpackBundle(await production.load(`${url}/export?slim=true`), sha256);
    expect([unpackBundle(bundle, sha256).manifest.pii_fields, manifest.pii_fields]).toEqual([
      ['applicant.email'],
      undefined,
    ]);

    // The next bundle takes over, and the one before it can be brought back.
    await development.call('PUT', path(), { hard_rules: [] });
    const next = await development.load(`${path()}/export?slim=true`);
    const [newest] = (await development.call('GET', `${path()}/releases`)).body.items;
    const imported = await production.upload(`${url}/policies/import`, next, { reason: 'Week 12' });
    expect([imported.status, imported.body]).toMatchObject([
      201,
      { release: 2, current: true, policy_version: 'v2', digest: newest.digest, reason: 'Week 12' },
    ]);
    expect(strip(await production.decideAll())).toEqual(strip(await development.decideAll()));
    await production.call('POST', `${url}/releases`, { release: 1 });
    expect((await list())[0]).toMatchObject({ release: 3, digest });
    expect(strip(await production.decideAll())).toEqual(strip(here));
    // It decides, its report says what is known, and nothing can be trained without examples.
    const [policy] = (await production.call('GET', `${url}/policies`)).body;
    expect(policy).toMatchObject({ policy_type: 'compiled_classifier' });
    expect((await production.call('POST', `${url}/train`)).status).toBe(422);
    expect((await production.call('GET', `${url}/policies/${policy.id}/report`)).status).toBe(200);

    // A boundary that stands in the file, too, as a client may choose one by hand.
    const start = '--PK\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\n\r\n';
    const byHand = Buffer.concat([Buffer.from(start), bundle, Buffer.from('\r\n--PK--\r\n')]);
    const type = { 'content-type': 'multipart/form-data; boundary=PK' };
    expect((await production.call('POST', `${url}/policies/import`, byHand, type)).body).toMatchObject({ digest });

    const { body: other } = await production.call('POST', types, { name: 'other', options: ['a', 'b'] });
    const refused = await production.upload(`${types}/${other.id}/policies/import`, bundle);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringMatching(/approve, decline/)]);
    const damaged = await production.upload(`${url}/policies/import`, bundle.subarray(0, 900));
    expect([damaged.status, damaged.body.error.message]).toEqual([422, expect.stringMatching(/Bundle file/)]);
  });
});
