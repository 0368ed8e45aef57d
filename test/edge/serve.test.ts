/** An engineer serves bundles over HTTP, and clients of the workbench ask that service instead. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { writeQuestion } from '../../src/door/questions/find-answering.ts';
import { loadBundle } from '../../src/edge/node.ts';
import { createRandom } from '../../src/engine/random.ts';
import { sha256 } from '../engine/bundle-fixture.ts';
import { forAll, makeDataDir, removeDataDir, temporaryFolder } from '../server/workbench.ts';
import { Service, sourceCommand, withManifest, writeBundle } from './served.ts';

const options = ['approve', 'decline'];
const asked = 'Is it declined?';
const wording = { kind: 'predicate', instructions: asked, criteria: null, options: [] } as const;
const digest = sha256(Buffer.from(writeQuestion(wording)));
const questions = [
  { kind: 'score' as const, digest: null, asked: null, options, opposite: null },
  { kind: 'predicate' as const, digest, asked, options: ['decline'], opposite: null },
];
const claims = {
  type: 'object',
  properties: { amount: { type: 'number', minimum: 0 } },
  required: ['amount'],
};

const served = forAll(
  async () => {
    const folder = makeDataDir();
    const loan = writeBundle(join(folder, 'loan.zip'), withManifest({ questions, aliases: ['prod'] }));
    const other = writeBundle(join(folder, 'claims.zip'), (parts) => ({
      ...withManifest({ decision_type: 'claims', options, pii_fields: ['name'] })(parts),
      inputSchema: claims,
    }));
    return { folder, loan, other, service: await Service.start([loan, other]) };
  },
  async ({ folder, service }) => {
    await service.stop();
    removeDataDir(folder);
  },
);

describe('A service over bundles', () => {
  it('decides every row as the package does, one by one and in batches, by the paths of the workbench [SRV-1]', async () => {
    const { service, loan } = served;
    const [predictor, random] = [await loadBundle(loan), createRandom(1)];
    const inputs = Array.from({ length: 100 }, () => ({ amount: random() * 10 - 5, note: 'naïve 🙂' }));
    const expected = await predictor.decideMany(inputs);
    const answers = await Promise.all(inputs.map((input) => service.decide(input)));
    for (const some of [inputs.slice(0, 50), inputs.slice(50)]) {
      const items = some.map((input) => ({ type: 'loan', input }));
      const { body } = await service.ask('POST', '/api/v1/decide/batch', { decisions: items });
      expect([body.succeeded, body.failed, body.errors]).toEqual([50, 0, []]);
      answers.push(...body.results);
    }
    const toOwn = ({ latency_ms: _, request_id: __, ...answer }: Record<string, unknown>) => answer;
    expect(answers.map(toOwn)).toEqual([...expected, ...expected]);
    expect(new Set(answers.map(({ request_id }) => request_id)).size).toBe(200);
  });

  it('takes the names of calls, and of their traces [SRV-1]', async () => {
    const body = { type: 'loan', input: { amount: 1 } };
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const name = async (headers: Record<string, string>) =>
      (await served.service.ask('POST', '/decide', body, headers)).body.request_id;
    expect(await name({ 'x-request-id': 'order 7', traceparent })).toBe('order 7');
    expect(await name({ traceparent })).toBe(trace);
    expect(await name({ traceparent: 'none' })).toHaveLength(36);
  });

  it('does a call with an Idempotency-Key once, and decides dry where it is asked to [SRV-17]', async () => {
    const { service } = served;
    const body = { type: 'loan', input: { amount: 1 } };
    const key = { 'idempotency-key': 'order 7' };
    const first = await service.ask('POST', '/decide', body, key);
    const again = await service.ask('POST', '/decide', body, { ...key, 'x-request-id': 'another' });
    expect(again.body).toEqual(first.body);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const other = await service.ask('POST', '/decide', { ...body, input: { amount: 2 } }, key);
    expect([other.status, other.body.error.details[0].loc]).toEqual([422, ['header', 'idempotency-key']]);
    const dry = await service.ask('POST', '/decide?dry_run=true', body, { 'idempotency-key': 'dry' });
    expect(dry.body).toMatchObject({ dry_run: true, decision: first.body.decision });
  });

  it('names a release by its digest and the aliases of its bundle, and says what there is [SRV-17]', async () => {
    const thief = writeBundle(join(temporaryFolder(), 'thief.zip'), withManifest({ decision_type: 'loan@test' }));
    const service = await Service.startForStory(served.loan, thief);
    const { digest } = await service.decide({ amount: 1 });
    expect(await service.decide({ amount: 1 }, `loan@${digest.slice(0, 12)}`)).toMatchObject({ digest });
    expect(await service.decide({ amount: 1 }, 'loan@prod')).toMatchObject({ digest });
    // A type from before names were checked takes nobody's alias: what follows the @ of a served type is a pin.
    for (const name of ['loan@3', 'loan@test']) {
      const { error } = await service.decide({ amount: 1 }, name);
      expect(error.code).toBe('not_found');
      expect(error.message).toContain(`write ${digest.slice(0, 12)} or "prod" there`);
    }
  });

  it('refuses with the code, status and place of the workbench, an item of a batch alone [SRV-2]', async () => {
    const { service } = served;
    const wrong: [body: unknown, status: number, place: unknown[] | undefined, message: string][] = [
      ['', 422, ['body'], 'a JSON body is required'],
      ['{', 400, undefined, 'not valid JSON'],
      [new Uint8Array([255]), 400, undefined, 'not valid UTF-8'],
      ['{"type":"loan","input":{"a":1,"a":2}}', 400, undefined, 'the key "a" twice'],
      ['{"type":"loan","input":{"__proto__":{}}}', 400, undefined, '"__proto__" is not allowed'],
      [`{"type":"loan","input":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`, 400, undefined, 'nested more than 32'],
      ['{"type":"loan","input":{"a":1e999}}', 422, ['body', 'input', 'a'], 'the number is too large'],
      ['{"type":"loan","input":{"a":"\\ud800"}}', 422, ['body', 'input', 'a'], 'half a surrogate pair'],
      [[], 422, ['body'], 'expected an object'],
      [{ input: {} }, 422, ['body', 'decision_type'], 'decision_type is required'],
      [{ type: 'loan', input: {}, extra: 1 }, 422, ['body', 'extra'], 'unknown field: extra'],
      [{ type: 'rent', input: {} }, 404, undefined, 'Served here: loan, claims.'],
      [{ type: 'claims', input: { amount: -1 } }, 422, ['body', 'input', 'amount'], 'must be >= 0'],
      [`{"type":"loan","input":{"a":"${'x'.repeat(1024 * 1024)}"}}`, 413, undefined, 'size limit'],
    ];
    for (const [body, status, place, message] of wrong) {
      const answer = await service.ask('POST', '/decide', body);
      const { error } = answer.body;
      expect([answer.status, error.details?.[0].loc], message).toEqual([status, place]);
      expect(`${error.message} ${error.details?.[0].msg}`).toContain(message);
    }
    const items = [{ type: 'loan', input: { amount: 1 } }, { type: 'loan' }, { type: 'rent', input: {} }];
    const { body } = await service.ask('POST', '/decide/batch', items, { 'x-request-id': 'b' });
    expect(body.results.map((each: object | null) => each === null)).toEqual([false, true, true]);
    expect(body.errors).toMatchObject([
      { index: 1, code: 'validation_error', request_id: 'b-1', status_code: 422 },
      { index: 2, code: 'decision_type_not_found', request_id: 'b-2', decision_type: 'rent' },
    ]);
    expect((await service.ask('POST', '/decide?explain=true', items[0])).body.error.details[0].msg).toContain(
      'explains',
    );
    expect((await service.ask('POST', '/decide?fast=1', items[0])).status).toBe(422);
    expect((await service.ask('GET', '/decide')).headers.get('allow')).toBe('POST');
    expect((await service.ask('GET', '/nothing')).status).toBe(404);
    expect((await service.ask('POST', '/decide', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('describes itself with the fields of each bundle, and answers as it says [SRV-3]', async () => {
    const { service } = served;
    const { body: document } = await service.ask('GET', '/openapi.json');
    const { schemas } = document.components;
    expect(schemas.DecideRequest.properties.decision_type.enum).toEqual(['loan', 'claims']);
    expect(schemas.Input1.properties.amount).toMatchObject({ type: 'number' });
    expect(schemas.Input2).toMatchObject({ required: ['amount'], description: 'Input of the decision type claims' });
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile({
      $ref: '#/components/schemas/Decision',
      components: document.components,
    });
    const answers = [await service.decide({ amount: 1 }), await service.decide({ amount: 1, more: 2 })];
    expect(answers.map((answer) => [check(answer), check.errors])).toEqual(answers.map(() => [true, null]));
    for (const path of ['/api/v1/decide', '/api/v1/decide/batch', '/v1/systemone', '/health', '/metrics'])
      expect(Object.keys(document.paths)).toContain(path);
  });

  it('answers questions of decision models in both formats, as the workbench does [MDL-8]', async () => {
    const { service } = served;
    const state = { amount: 0.3 };
    const decided = await service.decide(state);
    const choice = { type: 'choice', criteria: Object.fromEntries(options.map((option) => [option, null])) };
    const asking = {
      a: choice,
      loan: { type: 'noul', instructions: 'is it  declined' },
      c: { type: 'score', criteria: options },
    };
    const { body } = await service.ask('POST', '/v1/systemone', { model: 'loan', state, questions: asking });
    expect(body.model).toBe(`loan@${decided.digest.slice(0, 12)}`);
    expect(body.answers).toMatchObject({
      a: { probabilities: decided.class_probabilities, x_decision: decided.decision, x_digest: decided.digest },
      loan: { noul: decided.class_probabilities.decline },
      c: { score: decided.class_probabilities.decline, legend: { 0: 'approve', 1: 'decline' } },
    });
    const inOtherFormat = {
      model: body.model,
      input: [{ role: 'user', content: [{ type: 'input_json', data: state }] }],
      questions: [
        { type: 'choice', choices: options.map((value) => ({ value })) },
        { type: 'predicate', instructions: asked },
      ],
    };
    const other = await service.ask('POST', '/v1/decisions', zstdCompressSync(JSON.stringify(inOtherFormat)), {
      'content-encoding': 'zstd',
      'x-workbench-extras': 'off',
    });
    expect(Object.keys(other.body).sort()).toEqual(['answers', 'model', 'usage']);
    expect(other.body.answers).toMatchObject([
      { choice: decided.decision, confidence: body.answers.a.confidence },
      { probability: body.answers.loan.noul },
    ]);
    const several = await service.ask('POST', '/v1/systemone', { state, questions: { a: choice } });
    expect(several.body.detail[0].msg).toContain('several types have these options: “loan”, “claims”');
    const unknown = await service.ask('POST', '/v1/systemone', { model: 'rent', state, questions: { a: choice } });
    expect([unknown.status, unknown.body.detail.error_type]).toEqual([400, 'api_usage_error']);
    const { body: models } = await service.ask('GET', '/v1/models');
    expect(models.data.map(({ id }: { id: string }) => id)).toEqual(['loan', 'claims']);
  });
});

describe('Workers of a service', () => {
  it('count together, without anything of an input, and share the keys of calls [SRV-4] [SRV-17]', async () => {
    const service = await Service.startForStory(served.loan, '--workers', '2');
    const body = { type: 'loan', input: { amount: -4, secret: 'hunter2' } };
    for (let call = 0; call < 20; call += 1) await service.ask('POST', '/decide', body, { connection: 'close' });
    await service.decide({}, 'rent');
    const { body: text } = await service.ask('GET', '/metrics');
    const labels = 'decision_type="loan",policy_version="v3",decision="approve",stage="classifier",escalate="false"';
    expect(text).toContain(`decision_edge_decisions_total{${labels}} 20\n`);
    expect(text).toContain('decision_edge_refused_total{code="decision_type_not_found"} 1\n');
    expect(text).toContain('decision_edge_request_seconds_count{route="/decide",status="200"} 20\n');
    expect(text).toContain('decision_edge_bundle_current{decision_type="loan"} 1\n');
    expect(text).not.toContain('hunter2');
    const keyed = { 'idempotency-key': 'one', connection: 'close' };
    const answers = [];
    for (let call = 0; call < 4; call += 1) answers.push((await service.ask('POST', '/decide', body, keyed)).body);
    expect(new Set(answers.map(({ request_id }) => request_id)).size).toBe(1);
    expect(await service.stop()).toBe(0);
    expect(service.log.join('\n')).not.toContain('hunter2');
  });

  it('answer every call that has come when the end is asked for, and the command ends with 0 [SRV-6]', async () => {
    const service = await Service.startForStory(served.loan, '--workers', '4');
    const body = JSON.stringify({ type: 'loan', input: { amount: 1 } });
    let [answered, refused] = [0, 0];
    const faults: unknown[] = [];
    const ask = async () => {
      for (let call = 0; call < 125; call += 1) {
        try {
          const answer = await fetch(`${service.address}/decide`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
          expect([answer.status, JSON.parse(await answer.text()).decision]).toEqual([200, 'decline']);
          answered += 1;
          if (answered === 300) service.child.kill('SIGTERM');
        } catch (error) {
          const { code } = (error as { cause?: { code?: string } }).cause ?? {};
          if (code !== 'ECONNREFUSED') faults.push(code ?? error);
          refused += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    expect(faults).toEqual([]);
    expect(answered).toBeGreaterThanOrEqual(300);
    expect(answered + refused).toBe(1_000);
    expect(await service.stop()).toBe(0);
  });

  it('end with the process that started them, killed or not [SRV-13]', async () => {
    const service = await Service.startForStory(served.loan, '--workers', '2');
    await service.decide({ amount: 1 });
    const workers = readFileSync(`/proc/${service.child.pid}/task/${service.child.pid}/children`, 'utf8').trim();
    expect(workers.split(' ')).toHaveLength(2);
    service.child.kill('SIGKILL');
    for (const worker of workers.split(' ').map(Number)) {
      const isAlive = () => {
        try {
          return process.kill(worker, 0);
        } catch {
          return false;
        }
      };
      while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});

describe('A bundle file', () => {
  it('that is replaced decides from then on; one that cannot be used is named, and the one before decides [SRV-5]', async () => {
    const path = writeBundle(join(temporaryFolder(), 'loan.zip'));
    const service = await Service.startForStory(path);
    const first = await service.decide({ amount: 4 });
    expect(first.decision).toBe('decline');
    writeBundle(path, withManifest({ options: ['decline', 'approve'], policy_version: 'v4' }));
    await service.awaitReady(({ bundles }) => bundles[0].policy_version === 'v4');
    const second = await service.decide({ amount: 4 });
    expect(second).toMatchObject({ decision: 'approve', policy_version: 'v4' });
    expect(second.bundle_digest).not.toBe(first.bundle_digest);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    const ready = await service.awaitReady(({ status }) => status === 'degraded');
    expect(ready.bundles[0].problem).toMatch(/^loan\.zip: .* The version before it goes on deciding “loan”\.$/);
    expect(await service.decide({ amount: 4 })).toMatchObject({ decision: 'approve' });
    expect((await service.ask('GET', '/metrics')).body).toContain(
      'decision_edge_bundle_current{decision_type="loan"} 0',
    );
    writeBundle(path, withManifest({ decision_type: 'rent' }));
    await service.awaitReady(({ bundles }) => bundles[0].problem?.includes('“rent”'));
    rmSync(path);
    await service.awaitReady(({ bundles }) => bundles[0].problem?.includes('cannot be read'));
    writeBundle(path);
    const back = await service.awaitReady(({ status }) => status === 'ready');
    expect(back.bundles[0]).toMatchObject({
      digest: first.digest,
      bundle_digest: first.bundle_digest,
      file: 'loan.zip',
    });
    expect((await service.ask('GET', '/health')).body.bundles).toEqual([
      { decision_type: 'loan', policy_version: 'v3', digest: first.digest },
    ]);
    await service.stop();
    expect(service.log.filter((line) => line.includes(' ERROR ')).length).toBeGreaterThanOrEqual(3);
    expect(service.log.join('\n')).toContain('loan.zip was replaced: v4 of “loan” decides now.');
  });

  it('that cannot be served is named before the service listens [SRV-7]', () => {
    const { folder, loan } = served;
    const broken = join(folder, 'broken.zip');
    writeFileSync(broken, 'PK but not really');
    const again = writeBundle(join(folder, 'again.zip'));
    const calls: [args: string[], message: string][] = [
      [[loan, broken], 'broken.zip: '],
      [[loan, broken, '--workers', '2'], 'broken.zip: '],
      [[loan, again], 'loan.zip and again.zip both hold the decision type “loan”'],
      [[loan, '--workers', '0'], 'must be a whole number from 1 to 100'],
      [[loan, '--port', '99999'], 'must be a whole number from 0 to 65535'],
      [[loan, '--log-fsync', 'often'], 'must be one of always, second, never'],
      [[], 'write decision-edge serve BUNDLE'],
    ];
    const [program = '', main = ''] = sourceCommand;
    for (const [args, message] of calls) {
      const { status, stdout, stderr } = spawnSync(program, [main, 'serve', ...args], { encoding: 'utf8' });
      expect([status, stdout], message).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('    at ');
    }
  });
});

describe('A call under way', () => {
  it('is answered after the end is asked for, and nobody else is let in [SRV-6]', async () => {
    const service = await Service.startForStory(served.loan);
    const body = JSON.stringify({ decision_type: 'loan', input: { amount: 4 } });
    const client = connect(service.port, '127.0.0.1');
    const head = `POST /decide HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    client.write(head + body.slice(0, 10));
    await service.ask('GET', '/health');
    service.child.kill('SIGTERM');
    let answer = '';
    client.on('data', (part) => (answer += part));
    const isLetIn = async () => {
      const other = connect(service.port, '127.0.0.1');
      return once(other, 'connect').then(
        () => Boolean(other.destroy()),
        () => false,
      );
    };
    while (await isLetIn());
    client.write(body.slice(10));
    await once(client, 'end');
    expect(answer).toContain('200 OK');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer).toContain('"decision":"decline"');
    expect(await service.stop()).toBe(0);
  });
});
