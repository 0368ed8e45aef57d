/**
 * Work per byte: every operation of the contract, with inputs and a type at their limits. Twice the input is at most
 * twice the processor time of server and children, with room for the noise of a busy machine, and no call holds the
 * thread that answers.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createIssuer } from '../../../src/server/auth/issuer.ts';
import type { Operation } from '../../../src/server/contract/operation.ts';
import { listOperations, type OperationName, type Operations } from '../../../src/server/contract/operations.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs, measureMainThreadsMs, runBeside, type SentAnswer, send } from '../tools/beside-calls.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { startServerProcess } from '../tools/server-process.ts';

/**
 * Of the processor time of the main thread: 100 ms on a machine of its own, half as much again on that of a gate, and
 * more beside other files. Misspelt names took 1,500 ms.
 */
const maxHeldMs = Math.min(250, inLongRun(150));
/** Twice the input takes so much more, and so many milliseconds of whatever else the processes do. */
const maxGrowth = 2.5;
const noiseMs = 30;
const half = 900;
const whole = 2 * half;

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

/** Gives a body that grows with a number, no two of one size the same. */
type Make = (size: number, run: number) => object;
/** A call of an operation: how its body is made, or also what is asked in the address. */
type Case = Make | { query: Record<string, string>; make: Make };
type Sized = { [N in OperationName]: Operations[N] extends { body: unknown } ? N : never }[OperationName];

const repeat = <T>(count: number, make: (n: number) => T) =>
  Array.from({ length: Math.floor(count) }, (_, n) => make(n));
const toObject = <T>(names: readonly string[], value: (n: number) => T) =>
  Object.fromEntries(names.map((name, n) => [name, value(n)]));
const long = (length: number, end: number | string) => `${'ab'.repeat(length / 2)}${end}`;
const fields = repeat(200, (n) => `${'long_name_'.repeat(8)}${String(n).padStart(3, '0')}`);
const options = repeat(200, (n) => `option ${n}`);
const wide = {
  options,
  fallback_option: 'option 0',
  rules: repeat(200, (n) => ({
    name: `r${n}`,
    condition: `ctx.${fields[n]} == "no such value"`,
    then: `option ${n}`,
    priority: n + 1,
  })),
  input_schema: { type: 'object', properties: toObject(fields, () => ({ type: 'string' })) },
};

const wideChoice = { type: 'choice', criteria: toObject(options, () => null) };

/** Inputs of a decision, at most to what a body may hold. */
const inputs: Record<string, (size: number, run: number) => object> = {
  'misspelt names': (size, run) =>
    toObject(
      repeat(size, (n) => `${fields[n % 200]}${run}x${Math.floor(n / 200)}`),
      () => 'x',
    ),
  'other names': (size, run) =>
    toObject(
      repeat(size, (n) => `other ${run} ${n}`),
      () => 'x',
    ),
  'names of 400 letters': (size, run) =>
    toObject(
      repeat(size, (n) => long(400, `${run} ${n}`)),
      () => 'x',
    ),
  'a long text': (size) => ({ [fields[0] ?? '']: 'word '.repeat(size * 50) }),
  'a long list': (size) => ({ list: repeat(size * 20, (n) => n) }),
  'objects within one another': (size) => ({ list: repeat(size, (n) => ({ a: { b: { c: n } } })) }),
};
const ofInputs = (toBody: (input: object) => object) =>
  Object.fromEntries(
    Object.entries(inputs).map(([kind, make]) => [kind, (size: number, run: number) => toBody(make(size, run))]),
  );

const sized = {
  'many rules of 4 kB': (size, run) => ({
    rules: repeat(size / 9, (n) => ({
      name: `r${n}`,
      condition: repeat(36, (part) => `ctx.${fields[(n + part) % 200]} == "${run} ${n}"`).join(' || '),
      then: 'option 1',
    })),
  }),
  'rules with alternatives': (size, run) => ({
    rules: repeat(size / 90, (n) => ({
      name: `r${n}`,
      condition: `ctx.text.matches("${repeat(150, (part) => `word${part}`).join('|')}${run} ${n}")`,
      then: 'option 1',
    })),
  }),
  'named lists': (size, run) => ({
    rules: [],
    lists: toObject(
      repeat(size / 18, (n) => `list${n}`),
      () => repeat(900, (n) => n + run),
    ),
  }),
} satisfies Record<string, Make>;
const definitions = {
  ...sized,
  'reason codes of 200 letters': (size, run) => ({ reason_codes: repeat(size / 4, (n) => long(190, `${run} ${n}`)) }),
  'a wide input schema': (size, run) => ({
    input_schema: {
      type: 'object',
      properties: toObject(
        repeat(size / 3, (n) => `field ${run} ${n}`),
        (n) => (n % 2 === 0 ? { type: 'string', maxLength: 100 } : { type: ['number', 'null'], minimum: n }),
      ),
    },
  }),
  'readings of long names': (size, run) => ({
    readings: toObject(
      repeat(size / 9, (n) => long(380, `${run} ${n}`)),
      () => ({ kind: 'number', decimal: ',', unit: 'EUR' }),
    ),
  }),
} satisfies Record<string, Make>;
const decided = ofInputs((input) => ({ decision_type: 'wide', input }));
const asked = (all: Record<string, Make>, how: string, query: Record<string, string>): Record<string, Case> =>
  Object.fromEntries(Object.entries(all).map(([kind, make]) => [`${kind}, ${how}`, { query, make }]));
const over = (base: object, cases: Record<string, Make>): Record<string, Make> =>
  Object.fromEntries(
    Object.entries(cases).map(([kind, make]) => [
      kind,
      (size: number, run: number) => ({ ...base, ...make(size, run) }),
    ]),
  );
/** A line of the log of a service at the edge, which decided by the wide type. */
const toLogLine = (input: unknown) =>
  JSON.stringify({
    id: randomUUID(),
    request_id: 'r',
    decision_type: 'wide',
    digest: types.wide.digest,
    input,
    decision: 'option 0',
    confidence: 0,
    stage: 'fallback',
    reason_codes: [],
    class_probabilities: toObject(options, () => 1 / options.length),
    rules_triggered: [],
    escalated: true,
    fallback_used: true,
    unfamiliar: false,
    explanation: 'No rule matched.',
    latency_ms: 1,
    created_at: new Date().toISOString(),
  });
const additions: Record<string, Make> = {
  ...ofInputs((input) => ({ examples: [{ input }] })),
  'many examples': (size, run) => ({
    examples: repeat(size * 3, (n) => ({ input: { amount: n, note: `note ${run} ${n}` }, decision: 'option 1' })),
  }),
};

/**
 * What is accepted of each operation with a body, by what grows in it. Nothing, where all that may grow is refused: the
 * bounds of the contract leave only short bodies.
 */
const cases: Record<Sized, Record<string, Case>> = {
  decide: {
    ...decided,
    ...asked(decided, 'tried', { dry_run: 'true' }),
    ...asked(decided, 'explained', { explain: 'true' }),
  },
  'decide.batch': {
    ...ofInputs((input) => ({ decisions: [{ decision_type: 'wide', input }] })),
    'many decisions': {
      query: { dry_run: 'true' },
      make: (size, run) => ({
        decisions: repeat(size / 36, (n) => ({
          decision_type: 'wide',
          input: toObject(fields, () => `value ${run} ${n}`),
        })),
      }),
    },
  },
  'models.ask_systemone': {
    ...ofInputs((state) => ({ model: 'wide', state, questions: { one: wideChoice } })),
    'many questions': (size, run) => ({
      model: 'wide',
      state: { run },
      questions: toObject(
        repeat(size / 15, (n) => `question ${run} ${n}`),
        () => wideChoice,
      ),
    }),
    'long instructions': (size, run) => ({
      state: { run },
      questions: { one: { ...wideChoice, instructions: long(size * 100, run) } },
      model: 'wide',
    }),
  },
  'models.ask_decisions': {
    ...ofInputs((input) => ({
      model: 'wide',
      input: [{ role: 'user', content: [{ type: 'input_json', data: input }] }],
      questions: [{ type: 'choice', choices: options.map((value) => ({ value })) }],
    })),
    'a text that is an object': (size, run) => ({
      model: 'wide',
      input: JSON.stringify({ [fields[0] ?? '']: 'word '.repeat(size * 50), run }),
      questions: [{ type: 'choice', choices: options.map((value) => ({ value })) }],
    }),
  },
  'questions.bind': {
    'long instructions': (size, run) => ({
      kind: 'predicate',
      instructions: long(size * 100, run),
      options: ['option 1'],
    }),
  },
  'examples.create': additions,
  'examples.update': ofInputs((input) => ({ input })),
  'examples.bulk': {
    'many ids': (size) => ({ action: 'set_reviewed', ids: repeat(size * 5, () => randomUUID()), reviewed: true }),
    'many tests of fields': (size, run) => ({
      action: 'set_reviewed',
      filter: { fields: repeat(size / 90, (n) => ({ field: long(900, n), contains: long(190, run) })) },
      reviewed: true,
    }),
  },
  'examples.import': {
    'many rows': (size, run) => ({
      content: `amount,note,decision\n${repeat(size * 5, (n) => `${n},note ${run},option ${n % 2}`).join('\n')}`,
    }),
    'many columns': (size, run) => ({
      content: `${repeat(size, (n) => `c${run} ${n}`).join(',')},decision\n${repeat(20, (row) => `${repeat(size, (n) => row + n).join(',')},option ${row % 2}`).join('\n')}`,
    }),
    'many columns of labels': (size, run) => ({
      content: `${repeat(size, (n) => `c${run} ${n}`).join(',')}\n${repeat(20, (row) => repeat(size, (n) => `option ${(row + n) % 3}`).join(',')).join('\n')}`,
    }),
    'long cells': (size, run) => ({
      content: `text,decision\n${repeat(40, (n) => `${'word '.repeat(size * 2)}${run},option ${n % 2}`).join('\n')}`,
    }),
  },
  'decision_types.create': Object.fromEntries(
    Object.entries(definitions).map(([kind, make], n) => [
      kind,
      (size: number, run: number) => ({ name: `made ${n} ${size} ${run}`, options, ...make(size, run) }),
    ]),
  ),
  'decision_types.update': definitions,
  'drafts.put': Object.fromEntries(
    Object.entries(definitions).map(([kind, make]) => [
      kind,
      (size: number, run: number) => {
        const { rules: hard_rules, ...others }: Record<string, unknown> = { ...make(size, run) };
        return hard_rules === undefined ? others : { ...others, hard_rules };
      },
    ]),
  ),
  'rules.check': over({ options }, sized),
  'rules.analyse': over({ options }, sized),
  'policies.try_rules': over({ options }, sized),
  'logs.import': {
    ...ofInputs((input) => ({ lines: [toLogLine(input)] })),
    'many lines': (size, run) => ({ lines: repeat(size / 6, (n) => toLogLine({ note: `${run} ${n}` })) }),
    'lines that are none': (size, run) => ({ lines: repeat(size / 2, (n) => `{"id": ${run}, ${long(900, n)}`) }),
  },
  'logs.correct': {},
  'second_readings.draw': {},
  'second_readings.give': {},
  'examples.suggest': {},
  'billing.set_plan': {},
  'options.rename': {},
  'options.merge': {},
  'options.delete': {},
  'options.undo': {},
  'examples.undo': {},
  'examples.generate': {},
  'imports.choose': {},
  'imports.commit': {},
  'teacher_labelling.start': {},
  'training.start': {},
  'policies.create': { 'of rules': () => ({ kind: 'rules_only' }) },
  'policies.deploy': { 'of rules': () => ({}) },
  'versions.restore': {},
  'releases.create': {},
  'aliases.set': {},
  'promises.declare': {},
  'policies.keep_promise': {},
  'connections.create': {},
  'session.create': {},
  'account.update': {},
  'organisation.update': {},
  'api_keys.create': {},
  'backups.create': {},
  'backups.restore': {},
  'decision_types.import': {},
  'policies.import': {},
  'text_models.add': {},
  'alerts.set': {},
};
/** What every operation with a body refuses. */
const refused: Record<string, Make> = {
  'unknown fields': (size, run) => inputs['other names']?.(size, run) ?? {},
  'one unknown name': (size, run) => ({ [long(size * 400, run)]: 1 }),
  'a list': (size) => repeat(size * 20, (n) => n),
};

/** What is asked of an operation without a body, at most to what an address may hold. */
const queries: Partial<Record<OperationName, Record<string, (size: number, run: number) => Record<string, string>>>> = {
  'examples.list': {
    'a long search': (size, run) => ({ search: long(size / 9 - 2, run) }),
    'many tests of fields': (size, run) => ({
      fields: JSON.stringify(repeat(size / 90, (n) => ({ field: long(400, n), contains: long(100, run) }))),
    }),
    'a long path to sort by': (size, run) => ({ sort: `input.${long(size / 2, run)}` }),
  },
};
/** An answer that never ends. */
const left: readonly OperationName[] = ['events.stream'];

let token = '';
type Ids = Record<string, string>;
/** Types at their limits, one for decisions and one whose definition changes, and one that was trained. */
const types: Record<'wide' | 'changed' | 'trained', Ids> = { wide: {}, changed: {}, trained: {} };
const typeOf: Partial<Record<OperationName, keyof typeof types>> = {
  'decision_types.update': 'changed',
  'drafts.put': 'changed',
  'policies.try_rules': 'trained',
};

const call = (method: string, path: string, body?: object) =>
  send(
    { port: server.port, key: token },
    method,
    path,
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );

beforeAll(async () => {
  ({ token } = await createIssuer({ dataDir: folder.dataDir, oidc: null }, systemClock).issue());
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return JSON.parse(answer.text);
  };
  const makeType = async (name: string) => {
    const { id } = await ask('POST', '/api/v1/decision-types', { ...wide, name });
    const path = `/api/v1/decision-types/${id}`;
    const policy = await ask('POST', `${path}/policies`, { kind: 'rules_only' });
    await ask('POST', `${path}/policies/${policy.id}/deploy`, {});
    return { id, policyId: policy.id, name };
  };
  const findIds = async ({ id, policyId, name }: Record<'id' | 'policyId' | 'name', string>): Promise<Ids> => {
    const path = `/api/v1/decision-types/${id}`;
    const input = toObject(fields, (n) => `value ${n}`);
    await ask('POST', '/api/v1/decide', { decision_type: name, input });
    const [example] = await ask('POST', `${path}/examples`, { examples: [{ input }] });
    const [log] = (await ask('GET', `${path}/logs`)).items;
    const [version] = await ask('GET', `${path}/versions`);
    const form = new FormData();
    form.set('decision_type_id', id);
    form.set(
      'file',
      new File([[fields, ...repeat(half, (n) => fields.map(() => `value ${n}`))].join('\n')], 'rows.csv'),
    );
    const url = `http://127.0.0.1:${server.port}/api/v1/imports`;
    const sent = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form });
    expect(sent.status).toBe(201);
    const begun = (await sent.json()) as { id: string };
    return {
      decision_type_id: id,
      policy_id: policyId,
      example_id: example.id,
      log_id: log.id,
      digest: log.digest,
      version_id: version.id,
      import_id: begun.id,
      name: 'refund-requests',
    };
  };
  types.wide = await findIds(await makeType('wide'));
  types.changed = await findIds(await makeType('changed'));
  const id = folder.url.split('/').at(-1) ?? '';
  types.trained = await findIds({ id, policyId: folder.policyId, name: loanType.name });
});

function toPath({ path }: Operation, ids: Ids, query: Record<string, string> = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? randomUUID());
  return Object.keys(query).length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
}

const pid = () => server.child.pid ?? 0;

/**
 * The processor time of a call, that of the server's main thread and that of its children's, too: of one that takes no
 * more than the noise, else the median of three.
 */
async function measure(ask: (run: number) => Promise<SentAnswer>, firstRun = 0) {
  const answers: SentAnswer[] = [];
  const heldMs: number[] = [];
  const allMs: number[] = [];
  for (let run = firstRun; run < firstRun + 3; run += 1) {
    if (run > firstRun && (allMs[0] ?? 0) < noiseMs) break;
    const before = [measureMainThreadMs(pid()), measureMainThreadsMs(pid())] as const;
    answers.push(await ask(run));
    heldMs.push(measureMainThreadMs(pid()) - before[0]);
    allMs.push(measureMainThreadsMs(pid()) - before[1]);
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return { answers, heldMs: median(heldMs), allMs: median(allMs) };
}

/**
 * Of a call that computes for longer than others may wait: how long they do, as it gives way. The least of three,
 * because what the calls before it left behind is collected during one of them.
 */
async function measureWait(ask: (run: number) => Promise<SentAnswer>): Promise<number> {
  const look = () => send({ port: server.port, key: token }, 'GET', '/health');
  let leastMs = Number.POSITIVE_INFINITY;
  for (const run of [6, 7, 8]) {
    const { smallCallMs } = await runBeside(ask(run), look, pid(), () => measureMainThreadMs(pid()));
    leastMs = Math.min(leastMs, smallCallMs.at(-1) ?? 0);
  }
  return leastMs;
}

/** Measurements of which one must hold: what else the machine does only adds to them. */
const maxMeasurements = 3;

/** Asks with half and with whole sizes; `isExpected` tells the statuses that may be answered. */
async function compare(
  what: string,
  isExpected: (status: number) => boolean,
  ask: (size: number, run: number) => Promise<SentAnswer>,
): Promise<void> {
  for (let left = maxMeasurements - 1; left >= 0; left -= 1) {
    const firstRun = left * 9;
    const ofWhole = await measure((run) => ask(whole, run), firstRun + 3);
    // What is within the noise as a whole is within it beside its half.
    const ofHalf = ofWhole.allMs < noiseMs ? ofWhole : await measure((run) => ask(half, run), firstRun);
    for (const { status, text } of [...ofHalf.answers, ...ofWhole.answers]) {
      expect(isExpected(status), `${what}: ${status} ${text.slice(0, 500)}`).toBe(true);
    }
    const sizes = ofHalf === ofWhole ? '' : `half ${ofHalf.allMs} ms, `;
    const figures = `${what}: ${sizes}whole ${ofWhole.allMs} ms, of which ${ofWhole.heldMs} ms held`;
    if (process.env['WORK_FIGURES'])
      process.stdout.write(`${figures} ${ofWhole.answers.map(({ status }) => status)}\n`);
    const maxAllMs = maxGrowth * ofHalf.allMs + noiseMs;
    if (left > 0 && ofWhole.allMs >= maxAllMs) continue;
    expect.soft(ofWhole.allMs, figures).toBeLessThan(maxAllMs);
    const held = ofWhole.heldMs < maxHeldMs ? ofWhole.heldMs : await measureWait((run) => ask(whole, run));
    expect.soft(held, figures).toBeLessThan(maxHeldMs);
    return;
  }
}

const isRefused = (status: number) => status >= 400 && status < 500;
const isAccepted = (status: number) => status >= 200 && status < 300;
/** What is called most, and what once held everybody up; the long run takes every operation. */
const ofFastRun: readonly OperationName[] = ['decide.batch', 'examples.create', 'system.openapi'];
const rows = listOperations().filter(
  ({ name }) => !left.includes(name) && (Number.isFinite(inLongRun(0)) || ofFastRun.includes(name)),
);

describe.skipIf(process.platform !== 'linux')('twice the input is at most twice the work', () => {
  it.each(rows.filter(({ row }) => row.body !== undefined))('in $name [LRG-6]', async ({ name, row }) => {
    const ids = types[typeOf[name] ?? 'wide'];
    const made: string[] = [];
    await call(row.method, toPath(row, ids), {});
    for (const [kind, make] of Object.entries(refused)) {
      await compare(`${name}, ${kind}`, isRefused, (size, run) => call(row.method, toPath(row, ids), make(size, run)));
    }
    for (const [kind, one] of Object.entries(cases[name as Sized])) {
      const { make, query } = typeof one === 'function' ? { make: one, query: {} } : one;
      await compare(`${name}, ${kind}`, isAccepted, async (size, run) => {
        const answer = await call(row.method, toPath(row, ids, query), make(size, run));
        if (name === 'decision_types.create') made.push(JSON.parse(answer.text).id);
        return answer;
      });
    }
    for (const id of made) await call('DELETE', `/api/v1/decision-types/${id}`);
  });

  it.each(rows.filter(({ row }) => row.body === undefined))('$name holds nobody up [LRG-6]', async ({ name, row }) => {
    for (const [type, own] of Object.entries(types)) {
      // What there is stays there for the others.
      const ids = row.hints.destructive ? {} : own;
      const ask = () => call(row.method, toPath(row, ids));
      const { answers, heldMs } = await measure(ask);
      expect(answers[0]?.status).toBeLessThan(500);
      const held = heldMs < maxHeldMs ? heldMs : await measureWait(ask);
      if (process.env['WORK_FIGURES'])
        process.stdout.write(`${name} of ${type}: ${heldMs} ${held} ${answers.map(({ status }) => status)}\n`);
      expect.soft(held, `${name} of ${type}`).toBeLessThan(maxHeldMs);
      for (const [kind, query] of Object.entries(queries[name] ?? {})) {
        await compare(`${name}, ${kind}`, isAccepted, (size, run) =>
          call(row.method, toPath(row, ids, query(size, run))),
        );
      }
    }
  });
});
