/**
 * Work per byte: each way to send an input, to a type at its limits, with inputs at theirs. Twice the input is at most
 * twice the processor time of the thread that answers, with room for the noise of a busy machine, and no call holds it.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs, send } from '../tools/beside-calls.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { startServerProcess } from '../tools/server-process.ts';

/** Of the processor time of the main thread, on a machine of its own and on a busy one; misspelt names took 1,500 ms. */
const maxHeldMs = Math.min(200, inLongRun(100));
/** Twice the input takes so much more, and so many milliseconds of whatever else the thread does. */
const maxGrowth = 2.5;
const noiseMs = 30;

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

const fields = Array.from({ length: 200 }, (_, n) => `${'long_name_'.repeat(8)}${String(n).padStart(3, '0')}`);
const repeat = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const wide = {
  name: 'wide',
  options: repeat(200, (n) => `option ${n}`),
  fallback_option: 'option 0',
  rules: repeat(200, (n) => ({
    name: `r${n}`,
    condition: `ctx.${fields[n]} == "no such value"`,
    then: `option ${n}`,
    priority: n + 1,
  })),
  input_schema: { type: 'object', properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])) },
};

/** Inputs that grow with a number, at most to what a body may hold. */
const inputs: Record<string, (size: number, run: number) => object> = {
  'misspelt names': (size, run) => toObject(repeat(size, (n) => `${fields[n % 200]}${run}x${Math.floor(n / 200)}`)),
  'other names': (size, run) => toObject(repeat(size, (n) => `other ${run} ${n}`)),
  'names of 400 letters': (size, run) => toObject(repeat(size, (n) => `${'ab'.repeat(200)}${run} ${n}`)),
  'a long text': (size) => ({ [fields[0] ?? '']: 'word '.repeat(size * 50) }),
  'a long list': (size) => ({ list: repeat(size * 20, (n) => n) }),
  'objects within one another': (size) => ({ list: repeat(size, (n) => ({ a: { b: { c: n } } })) }),
};
const toObject = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));

const ways: Record<string, (input: object) => { path: string; body: object }> = {
  'a dry run': (input) => ({ path: '/api/v1/decide?dry_run=true', body: { decision_type: 'wide', input } }),
  'a decision': (input) => ({ path: '/api/v1/decide', body: { decision_type: 'wide', input } }),
  'a batch': (input) => ({
    path: '/api/v1/decide/batch?dry_run=true',
    body: { decisions: [{ decision_type: 'wide', input }] },
  }),
  'an example': (input) => ({ path: `${path}/examples`, body: { examples: [{ input }] } }),
  'a request with unknown fields': (input) => ({ path: '/api/v1/decide', body: { decision_type: 'wide', ...input } }),
};

let path = '';
const post = (url: string, body: object) =>
  send({ port: server.port, key: folder.key }, 'POST', url, Buffer.from(JSON.stringify(body)));

beforeAll(async () => {
  const made = async (url: string, body: object) => {
    const answer = await post(url, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return JSON.parse(answer.text);
  };
  path = `/api/v1/decision-types/${(await made('/api/v1/decision-types', wide)).id}`;
  const policy = await made(`${path}/policies`, { kind: 'rules_only' });
  await made(`${path}/policies/${policy.id}/deploy`, {});
});

/** The least processor time of some calls with inputs of one size, no two of which are the same. */
async function measureMs(way: (input: object) => { path: string; body: object }, make: (run: number) => object) {
  const pid = server.child.pid ?? 0;
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run += 1) {
    const { path: url, body } = way(make(run));
    const before = measureMainThreadMs(pid);
    const { status, text } = await post(url, body);
    expect([200, 201, 422], text.slice(0, 500)).toContain(status);
    least = Math.min(least, measureMainThreadMs(pid) - before);
  }
  return least;
}

describe.skipIf(process.platform !== 'linux')('twice the input is at most twice the work', () => {
  it.each(Object.entries(ways))('in %s [LRG-6]', async (_, way) => {
    await measureMs(way, () => ({}));
    for (const [kind, make] of Object.entries(inputs)) {
      const half = await measureMs(way, (run) => make(900, run));
      const whole = await measureMs(way, (run) => make(1_800, run + 3));
      expect(whole, `${kind}: ${half} ms, twice as much ${whole} ms`).toBeLessThan(maxGrowth * half + noiseMs);
      expect(whole, kind).toBeLessThan(maxHeldMs);
    }
  });
});
