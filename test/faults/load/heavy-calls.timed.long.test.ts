/** Many large calls at once, and what others notice of them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIssuer } from '../../../src/server/auth/issuer.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import {
  deployForAll,
  forAll,
  loanExamples,
  loanType,
  makeSampleFolder,
  removeDataDir,
} from '../../server/workbench.ts';
import { measureMainThreadMs, runBeside, send } from '../tools/beside-calls.ts';
import { startServerProcess } from '../tools/server-process.ts';

/** On a quiet machine small calls take below 100 ms beside large ones; before large ones had processes of their own, seconds. */
const maxSmallCallMs = 500;
/** Of the main thread's processor time: explanations give way every 10 ms. */
const maxBesideExplanationsMs = 100;
const maxResidentMb = 1_000;
/** Nobody waits longer for the work of somebody else. */
const maxWaitMs = 2_000;

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

const toBody = (value: unknown) => Buffer.from(JSON.stringify(value));
const table = (columns: number, rows: number) =>
  `${Array.from({ length: columns }, (_, index) => `c${index}`).join(',')}\n${`${Array(columns).fill('1').join(',')}\n`.repeat(rows)}`;
const alternatives = Array.from({ length: 150 }, (_, index) => `word${index}`).join('|');
const heavyRules = Array.from({ length: 200 }, (_, index) => ({
  name: `r${index}`,
  condition: `ctx.text.matches("${alternatives}${index}")`,
  then: 'yes',
}));

const large: Record<string, () => { path: string; body: Buffer; expected: number }> = {
  'previews of a table of 1,999 columns': () => ({
    path: `${folder.url}/examples/import`,
    body: toBody({ format: 'csv', content: table(1_999, 200) }),
    expected: 200,
  }),
  'previews of a table of 7,000,000 cells': () => ({
    path: `${folder.url}/examples/import`,
    body: toBody({ format: 'csv', content: table(1_999, 3_500) }),
    expected: 422,
  }),
  'examples of 400,000 empty objects with a key twice': () => ({
    path: `${folder.url}/examples`,
    body: Buffer.from(`{"examples":[${'{},'.repeat(400_000)}{"a":1,"a":2}]}`),
    expected: 400,
  }),
  'examples of 15 MB of empty objects': () => ({
    path: `${folder.url}/examples`,
    body: Buffer.from(`{"examples":[${'{},'.repeat(5_000_000)}{"a":1,"a":2}]}`),
    expected: 400,
  }),
  'checks of 200 rules with 150 alternatives each': () => ({
    path: '/api/v1/rules/check',
    body: toBody({ rules: heavyRules, options: ['yes', 'no'] }),
    expected: 200,
  }),
};

describe('ten large calls at once', () => {
  const smallCalls: Record<string, () => Promise<unknown>> = {
    '/health': () => send({ port: server.port, key: folder.key }, 'GET', '/health'),
    'a decision by rule': () =>
      send({ port: server.port, key: folder.key }, 'POST', '/api/v1/decide', ruledInput).then(({ status }) =>
        expect(status).toBe(200),
      ),
  };
  const ruledInput = toBody({ decision_type: loanType.name, input: { amount: 2_000_000 } });

  it.each(Object.keys(large))('of %s leave the others undisturbed [LRG-1] [LRG-2]', async (name) => {
    const { path, body, expected } = large[name]?.() ?? expect.fail(name);
    const caller = { port: server.port, key: folder.key };
    const small = Object.values(smallCalls);
    let calls = 0;
    const smallCall = async () => small[calls++ % small.length]?.();
    const ten = Promise.all(Array.from({ length: 10 }, () => send(caller, 'POST', path, body)));
    const { value, smallCallMs, maxResidentMb: residentMb } = await runBeside(ten, smallCall, server.child.pid ?? 0);
    const answers = value.map(({ status }) => status);
    expect(answers).toContain(expected);
    for (const { status, headers, text } of value.filter((answer) => answer.status !== expected)) {
      expect([status, headers['retry-after'], text]).toEqual([429, '1', expect.stringContaining('rate_limited')]);
    }
    // All but one of a hundred.
    expect(smallCallMs[Math.floor(smallCallMs.length * 0.99) - 1]).toBeLessThan(maxSmallCallMs);
    expect(residentMb).toBeLessThan(maxResidentMb);
  });
});

it('large files of another caller keep nobody waiting with large decisions, imports and checks [LRG-5]', async () => {
  const { token } = await createIssuer({ dataDir: folder.dataDir, oidc: null }, systemClock).issue();
  const owner = { port: server.port, key: token };
  const input = { amount: 2_000_000, note: 'word '.repeat(3_600) };
  const rows = Array.from({ length: 3_000 }, (_, n) => `${n},a note about case ${n},approve`).join('\n');
  const calls: Record<string, [string, object]> = {
    'a large batch': [
      '/api/v1/decide/batch?dry_run=true',
      { decisions: Array.from({ length: 50 }, () => ({ decision_type: loanType.name, input })) },
    ],
    'an import': [`${folder.url}/examples/import`, { format: 'csv', content: `amount,note,decision\n${rows}` }],
    'a check of rules': ['/api/v1/rules/check', { rules: heavyRules.slice(0, 5), options: ['yes', 'no'] }],
  };
  const ask = async (name: string) => {
    const [path, body] = calls[name] ?? expect.fail(name);
    const { status, tookMs, text } = await send(owner, 'POST', path, toBody(body));
    expect(status, text).toBe(200);
    return tookMs;
  };
  const aloneMs = new Map<string, number>();
  for (const name of Object.keys(calls)) aloneMs.set(name, await ask(name));
  // Each takes a process for seconds; before callers had shares, eight of them kept others waiting for all of it.
  const file = toBody({ format: 'csv', content: table(1_000, 1_200) });
  const files = Promise.all(
    Array.from({ length: 8 }, () =>
      send({ port: server.port, key: folder.key }, 'POST', `${folder.url}/examples/import`, file),
    ),
  );
  for (const name of Object.keys(calls)) {
    expect((await ask(name)) - (aloneMs.get(name) ?? 0), name).toBeLessThan(maxWaitMs);
  }
  for (const { status } of await files) expect([200, 429]).toContain(status);
});

it('32 explanations of wide inputs at once leave the others undisturbed, and say what they left out [LRG-2] [XPL-1]', async () => {
  const caller = { port: server.port, key: folder.key };
  const post = async (path: string, body: object) => {
    const answer = await send(caller, 'POST', path, toBody(body));
    expect(answer.status, answer.text).toBeLessThan(300);
    return JSON.parse(answer.text);
  };
  const wide = (keys: number, of: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, key) => [`f${key}`, (key * 7 + of * 13) % 101]));
  const rules = [{ name: 'high', condition: 'ctx.f7 > 90', then: 'yes' }];
  const type = { name: 'wide', options: ['yes', 'no'], rules, fallback_option: 'no' };
  const path = `/api/v1/decision-types/${(await post('/api/v1/decision-types', type)).id}`;
  const examples = Array.from({ length: 60 }, (_, of) => ({ input: wide(300, of) }));
  await post(`${path}/examples`, { examples });
  const policy = await post(`${path}/policies`, { kind: 'rules_only' });
  await post(`${path}/policies/${policy.id}/deploy`, {});
  const body = toBody({ decision_type: 'wide', input: wide(1_900, 0) });
  const explain = () => send(caller, 'POST', '/api/v1/decide?explain=true', body);
  const all = Promise.all(Array.from({ length: 32 }, explain));
  const pid = server.child.pid ?? 0;
  const { value, smallCallMs } = await runBeside(
    all,
    () => send(caller, 'GET', '/health'),
    pid,
    () => measureMainThreadMs(pid),
  );
  for (const { status, text } of value) {
    expect(status, text).toBe(200);
    expect(JSON.parse(text).explain.note).toMatch(
      /^Only the 100 fields .* left out were «f\d+», «f\d+», «f\d+» and 197 more\.$/,
    );
  }
  // The slowest one comes while 32 bodies of 1,900 fields arrive in a program that has just started.
  expect(smallCallMs.at(-2)).toBeLessThan(maxBesideExplanationsMs);
});

it('12 explanations of texts of 4,000 words by two callers at once leave the others undisturbed [LRG-2] [XPL-1]', async () => {
  const sample = await makeSampleFolder();
  const trained = await startServerProcess(sample.dataDir);
  onTestFinished(async () => {
    await trained.end();
    removeDataDir(sample.dataDir);
  });
  const { token } = await createIssuer({ dataDir: sample.dataDir, oidc: null }, systemClock).issue();
  const keys = await Promise.all(
    ['till', 'shop'].map(async (name) => {
      const answer = await send({ port: trained.port, key: token }, 'POST', '/api/v1/api-keys', toBody({ name }));
      return JSON.parse(answer.text).key as string;
    }),
  );
  const message = Array.from({ length: 4_000 }, (_, place) => `word${place % 700}`).join(' ');
  const body = toBody({ decision_type: 'refund-requests', input: { amount: 42, message } });
  const all = Promise.all(
    Array.from({ length: 12 }, (_, place) =>
      send({ port: trained.port, key: keys[place % 2] ?? '' }, 'POST', '/api/v1/decide?explain=true', body),
    ),
  );
  const pid = trained.child.pid ?? 0;
  const look = () => send({ port: trained.port, key: token }, 'GET', '/health');
  const { value, smallCallMs } = await runBeside(all, look, pid, () => measureMainThreadMs(pid));
  expect(value.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(smallCallMs.at(-2)).toBeLessThan(maxBesideExplanationsMs);
});

it('a small file of many lines that do not fit its header is refused without holding up the others [LRG-2]', async () => {
  const caller = { port: server.port, key: folder.key };
  const body = toBody({ format: 'csv', content: `a,b\n${'1,2\n1,2,3\n'.repeat(15_000)}` });
  const pid = server.child.pid ?? 0;
  const before = measureMainThreadMs(pid);
  const refused = await send(caller, 'POST', `${folder.url}/examples/import`, body);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('3 cells instead of 2')]);
  // Where the main thread read the file, it computed for half a second.
  expect(measureMainThreadMs(pid) - before).toBeLessThan(100);
});
