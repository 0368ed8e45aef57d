/**
 * Random schemas, rules and inputs, some of them large, sent to the program: every answer is a decision or a refusal, none
 * takes long, and none keeps the others waiting. FUZZ_CASES sets the number of cases, FUZZ_SEED which ones; FUZZ_REPORT
 * names a file that is given the figures so far every 100 cases.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom, randomCondition } from '../../engine/rules/rules-fuzz.ts';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs } from '../tools/beside-calls.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { input, schema } from '../tools/random-schemas.ts';
import { callAlone, type RawAnswer, startServerProcess } from '../tools/server-process.ts';

const cases = Number(process.env['FUZZ_CASES'] ?? 20);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const report = process.env['FUZZ_REPORT'];
const random = createRandom(seed);
/** No call takes longer. */
const maxCallMs = inLongRun(2_000);
/** Nobody else waits longer for what the program computes. */
const maxHealthMs = inLongRun(100);
const maxResidentMb = inLongRun(1_000);

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

/** `heldMs`: for how much of the call the program's main thread computed, whatever else the machine does. */
type Timed = RawAnswer & { heldMs: number };

const readCpuMs = () => measureMainThreadMs(server.child.pid ?? 0);

async function call(method: string, url: string, body?: unknown): Promise<Timed> {
  const started = readCpuMs();
  const answer = await callAlone(server.port, method, url, `Bearer ${folder.key}`, body);
  return { ...answer, heldMs: readCpuMs() - started };
}

const rules = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `r${n}`,
    condition: randomCondition(random),
    then: random.pick(loanType.options),
    reason_code: null,
    priority: n + 1,
  }));

/** An input with a long text, a long list or many names in it. */
function inflate(value: JsonObject): JsonObject {
  const length = 1 << (8 + random.below(9));
  const large = random.pick<() => JsonObject[string]>([
    () => 'ab'.repeat(length),
    () => '中'.repeat(length),
    () => Array.from({ length }, (_, n) => ({ a: n })),
    () => Array.from({ length }, () => 'aab'),
    () => Object.fromEntries(Array.from({ length: Math.min(length, 900) }, (_, n) => [`a${n}`, n])),
  ])();
  return { ...value, [random.pick(['a', 'b', 'c'])]: large };
}

/** One case: the type gets a schema and rules, and inputs are decided by them. Returns the answers. */
async function runCase(n: number, source: JsonObject, inputs: readonly JsonObject[]): Promise<[string, Timed][]> {
  const answers: [string, Timed][] = [];
  const changes = random.chance(0.5)
    ? { input_schema: source }
    : { input_schema: source, rules: rules(random.below(20)) };
  answers.push(['PUT', await call('PUT', folder.url, changes)]);
  for (const value of [...inputs, inflate(inputs[0] ?? {})]) {
    answers.push(['decide', await call('POST', '/api/v1/decide', { decision_type: 'loan', input: value })]);
  }
  if (n % 5 === 0) {
    const body = { rules: rules(200), options: loanType.options, reason_codes: [], input_schema: source };
    answers.push(['check', await call('POST', '/api/v1/rules/check', body)]);
  }
  return answers;
}

it.skipIf(process.platform !== 'linux')(
  `P8: no schema, rule or input holds up the service (${cases} cases) [TYP-32] [RUL-1]`,
  async () => {
    const schemas = fc.sample(schema, { numRuns: cases, seed });
    const inputs = fc.sample(fc.array(input, { minLength: 2, maxLength: 2 }), { numRuns: cases, seed });
    const healthMs: number[] = [];
    let isDone = false;
    const watch = async () => {
      while (!isDone) {
        healthMs.push((await call('GET', '/health')).heldMs);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const watching = watch();
    let slowest = { what: '', heldMs: 0 };
    const statuses = new Map<string, number>();
    const computeFigures = (done: number) => {
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1];
      const sorted = healthMs.toSorted((a, b) => a - b);
      return {
        cases: done,
        statuses: Object.fromEntries(statuses),
        slowest,
        healthMs: [0.5, 0.99, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0),
        peakMb: Math.round(Number(peak) / 1024),
      };
    };
    const runAll = async () => {
      for (let n = 0; n < cases; n += 1) {
        const plain = JSON.parse(JSON.stringify(inputs[n] ?? []));
        for (const [what, { status, body, heldMs }] of await runCase(n, schemas[n] as JsonObject, plain)) {
          expect([200, 422], `${what} ${JSON.stringify(schemas[n])}: ${JSON.stringify(body)}`).toContain(status);
          statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
          if (heldMs > slowest.heldMs) slowest = { what: `${what} of case ${n}`, heldMs };
        }
        if (report && n % 100 === 99) appendFileSync(report, `${JSON.stringify(computeFigures(n + 1))}\n`);
      }
    };
    await runAll().finally(() => {
      isDone = true;
    });
    await watching;
    const figures = computeFigures(cases);
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(slowest.heldMs, slowest.what).toBeLessThan(maxCallMs);
    expect(figures.healthMs[2]).toBeLessThan(maxHealthMs);
    expect(figures.peakMb).toBeLessThan(maxResidentMb);
    expect(statuses.get('decide 200')).toBeGreaterThan(cases / 4);
    expect(statuses.get('PUT 422')).toBeGreaterThan(0);
  },
  7_200_000,
);

it.skipIf(process.platform !== 'linux')(
  'P8: an input that is much work to check leaves the thread free that answers [TYP-32]',
  async () => {
    const list = { items: { anyOf: [...Array.from({ length: 150 }, (_, n) => ({ required: [`r${n}`] })), true] } };
    const source = { type: 'object', properties: { list, name: { type: 'string' } } };
    const stored = await call('PUT', folder.url, { input_schema: source, rules: [] });
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
    const ask = (input: JsonObject) => call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    const large = Array.from({ length: 200_000 }, () => ({}));
    const answers = [await ask({ list: large }), await ask({ list: large, name: 1 })];
    expect(answers.map(({ status }) => status)).toEqual([200, 422]);
    expect(answers[1]?.body).toMatchObject({ error: { details: [{ loc: ['body', 'input', 'name'] }] } });
    const heldMs = Math.max(...answers.map((each) => each.heldMs));
    expect(heldMs).toBeLessThan(maxCallMs / 2);
  },
);
