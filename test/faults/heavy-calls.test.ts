/** Ten large calls at once, and what others notice of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/server/process/clock.ts';
import { loanExamples, loanType } from '../server/training-workbench.ts';
import { makeDeployedFolder } from '../server/workbench.ts';
import { statedMs } from '../stated-ms.ts';
import { measureMainThreadMs, runBeside, send } from './beside-calls.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** On a quiet machine small calls take below 100 ms beside large ones; before large ones had processes of their own, seconds. */
const maxSmallCallMs = statedMs(500);
const maxResidentMb = 1_000;

let folder: Awaited<ReturnType<typeof makeDeployedFolder>>;
let server: ServerProcess;
beforeAll(async () => {
  const rule = { name: 'large', condition: 'ctx.amount > 1000000', then: loanType.options[0] };
  folder = await makeDeployedFolder({ ...loanType, rules: [rule] }, loanExamples(40), systemClock);
  server = await startServerProcess(folder.dataDir);
});
afterAll(async () => {
  await server.end();
  folder.remove();
});

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
    body: toBody({ format: 'csv', content: table(1_999, 500) }),
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
    for (const smallCall of Object.values(smallCalls)) {
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
    }
  });
});

it('a batch of costly decisions lets others have their turn between them [LRG-2]', async () => {
  const caller = { port: server.port, key: folder.key };
  const pairs = (n: number) => `ctx.list.exists(a, ctx.list.exists(b, a + b == ${-n}))`;
  const costly = Array.from({ length: 8 }, (_, n) => ({ name: `r${n}`, condition: pairs(n + 1), then: 'approve' }));
  const changed = await send(caller, 'PUT', folder.url, toBody({ rules: costly }));
  expect(changed.status, changed.text).toBe(200);
  const list = Array.from({ length: 100 }, (_, n) => n);
  const decisions = Array.from({ length: 50 }, () => ({ decision_type: loanType.name, input: { amount: 1, list } }));
  const batch = send(caller, 'POST', '/api/v1/decide/batch', toBody({ decisions }));
  const { value, smallCallMs } = await runBeside(batch, () => send(caller, 'GET', '/health'), server.child.pid ?? 0);
  expect(JSON.parse(value.text).results).toHaveLength(decisions.length);
  // One or two where all decisions are made in one turn: before the batch has arrived, and after it.
  expect(smallCallMs.length).toBeGreaterThan(5);
});

it('a small file of many lines that do not fit its header is refused without holding up the others [LRG-2]', async () => {
  const caller = { port: server.port, key: folder.key };
  const body = toBody({ format: 'csv', content: `a,b\n${'1\n'.repeat(30_000)}` });
  const pid = server.child.pid ?? 0;
  const before = measureMainThreadMs(pid);
  const refused = await send(caller, 'POST', `${folder.url}/examples/import`, body);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('1 cells instead of 2')]);
  // Where the main thread read the file, it computed for half a second.
  expect(measureMainThreadMs(pid) - before).toBeLessThan(100);
});
