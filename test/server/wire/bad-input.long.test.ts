/** What a careless or hostile caller meets: a clear error that names the place, and nothing changed. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningWorkbench, runWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { requireEdgePython } from '../../edge-python.ts';

type Failure = { error: { code: string; message: string; details?: { loc: (string | number)[]; msg: string }[] } };
const python = await requireEdgePython();

describe('bad input', () => {
  let workbench: RunningWorkbench;
  let type: string;
  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const created = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'loans',
      options: ['approve', 'decline'],
      reason_codes: ['small amount'],
    });
    type = `/api/v1/decision-types/${created.body.id}`;
  });
  afterAll(() => workbench.stop());

  const storedExamples = async () =>
    (await workbench.call<{ total: number }>('GET', `${type}/examples/stats`)).body.total;

  test('malformed JSON is a 400 that says where', async () => {
    const response = await fetch(`${workbench.url}${type}/examples`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workbench.token}`, 'content-type': 'application/json' },
      body: '{"examples": [}',
    });
    const failure = (await response.json()) as Failure;
    expect([response.status, failure.error.code]).toEqual([400, 'bad_request']);
    expect(failure.error.message).toMatch(/position|line|column/i);
  });

  test('wrong types are a 422 whose details point into the body', async () => {
    const answer = await workbench.call<Failure>('POST', '/api/v1/decision-types', { name: 7, options: 'approve' });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_error']);
    const places = answer.body.error.details?.map((detail) => detail.loc.join('.'));
    expect(places).toEqual(expect.arrayContaining(['body.name', 'body.options']));
  });

  test('an example with an unknown option refuses the whole call', async () => {
    const answer = await workbench.call<Failure>('POST', `${type}/examples`, {
      examples: [
        { input: { amount: 1 }, decision: 'approve' },
        { input: { amount: 2 }, decision: 'aprove' },
      ],
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details?.[0]?.loc.slice(0, 3)).toEqual(['body', 'examples', 1]);
    expect(await storedExamples()).toBe(0);
  });

  test('a rule with a syntax error names the rule', async () => {
    const answer = await workbench.call<Failure>('PUT', type, {
      rules: [{ name: 'small', condition: 'ctx.amount <', then: 'approve', reason_code: 'small amount', priority: 1 }],
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details?.[0]?.loc.join('.')).toMatch(/rules\.0\.condition/);
    const now = await workbench.call<{ active_version: { version_number: number } }>('GET', type);
    expect(now.body.active_version.version_number).toBe(1);
  });

  test('a CSV with an unreadable line imports nothing and names the line', async () => {
    const answer = await workbench.call<Failure>('POST', `${type}/examples/import`, {
      format: 'csv',
      content: 'amount,decision\n10,approve\n20,approve,surplus\n30,decline\n',
      commit: true,
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body.error)).toMatch(/line 3|"line",3|,3[\],]/);
    expect(await storedExamples()).toBe(0);
  });

  test.each(['not a zip at all', 'PK\u0003\u0004 cut short'])(
    'Python refuses a foreign bundle: %s',
    async (content) => {
      const path = join(workbench.dataDir, 'foreign.zip');
      writeFileSync(path, content);
      const child = spawn(python, ['-m', 'decision_edge', 'verify', path]);
      let error = '';
      child.stderr.on('data', (chunk) => {
        error += chunk;
      });
      expect(await new Promise((done) => child.on('close', done))).toBe(2);
      expect(error).toMatch(/foreign\.zip/);
      expect(error).not.toMatch(/Traceback/);
    },
  );

  test('a busy port ends with exit code 98 and says so', async () => {
    const port = new URL(workbench.url).port;
    const second = await runWorkbench('serve', '--data-dir', `${workbench.dataDir}-other`, '--port', port);
    expect(second.code).toBe(98);
    expect(second.stderr).toContain(port);
  });

  test('a second instance on the same folder ends with exit code 97 and names the first', async () => {
    const second = await runWorkbench('serve', '--data-dir', workbench.dataDir, '--port', '0');
    expect(second.code).toBe(97);
    expect(second.stderr).toContain(workbench.url);
    expect((await workbench.call('GET', type)).status).toBe(200);
  });
});
