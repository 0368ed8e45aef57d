/** The tests that Schemathesis makes of the OpenAPI document. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type RunningWorkbench, startWorkbenchProcess } from '../../test/e2e/tools/workbench-process.ts';
import { buildEdge } from '../bundling/build-edge.ts';
import { isFresh, projectRoot } from '../freshness.ts';
import { leaveOut, preparePython } from './python-environment.ts';
import { runReporting, type StepResult } from './steps.ts';

/** The calls of `npm run test:all`: the same in every run. */
const bounded = ['--max-examples', '12', '--seed', '20261121', '--generation-deterministic'];

/**
 * Runs Schemathesis with every check over the OpenAPI document that a real server serves. `extra` replaces the bounded
 * number of examples. Without Python: a message, and a failure in CI.
 */
export async function runApiTests(extra: readonly string[] = []): Promise<StepResult> {
  const name = 'schemathesis';
  const python = await preparePython({
    folder: '.venv-api',
    declaredIn: 'test/api/requirements.txt',
    install: ['-r', 'test/api/requirements.txt'],
  });
  if (!python.ok) return leaveOut(name, python);
  const page = 'out/decision-edge/page.html';
  if (!isFresh(page, ['src/edge', 'src/engine', 'scripts'])) await buildEdge(join(projectRoot, 'out/decision-edge'));
  const folder = mkdtempSync(join(tmpdir(), 'workbench-api-'));
  // Its commits need not survive a power cut, and every operation is called with wrong credentials.
  const flags = ['--synchronous', 'NORMAL', '--log-level', 'error', '--max-wrong-credentials', '1000000'];
  const server = await startWorkbenchProcess(join(folder, 'data'), ...flags);
  try {
    const { typeId, policyId } = await prepareType(server);
    writeFileSync(join(folder, 'prepared-type.txt'), `"${typeId}"\n`);
    writeFileSync(join(folder, 'prepared-policy.txt'), `"${policyId}"\n`);
    copyFileSync(join(projectRoot, 'test/api/schemathesis.toml'), join(folder, 'schemathesis.toml'));
    const args = [
      '-m',
      'schemathesis.cli',
      '--config-file',
      join(folder, 'schemathesis.toml'),
      'run',
      `${server.url}/api/v1/openapi.json`,
      '--header',
      `Authorization: Bearer ${server.token}`,
      // An answer without an end.
      '--exclude-operation-id',
      'events.stream',
      '--checks',
      'all',
      '--continue-on-failure',
      // Ten seconds by default, which a busy machine may take.
      '--request-timeout',
      '120',
      '--max-response-time',
      '120',
      '--no-color',
      ...(extra.length > 0 ? extra : bounded),
    ];
    return await runReporting(name, python.path, args, '--report-junit-path', folder);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A decision type with a deployed policy, so that the calls reach what needs one. */
async function prepareType(server: RunningWorkbench): Promise<{ typeId: string; policyId: string }> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await server.call<T>(method, `/api/v1${path}`, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const rules = [{ name: 'large', condition: 'ctx.amount > 1000', then: 'no' }];
  const type = await call<{ id: string }>('POST', '/decision-types', {
    name: 'prepared',
    options: ['yes', 'no'],
    rules,
  });
  const examples = Array.from({ length: 80 }, (_, index) => ({
    input: { amount: index, member: index % 3 === 0 },
    decision: index < 40 ? 'yes' : 'no',
  }));
  const base = `/decision-types/${type.id}`;
  await call('POST', `${base}/examples`, { examples });
  const policy = await call<{ id: string }>('POST', `${base}/train`, { n_tuning_trials: 1 });
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await wait(200)) {
    const { status } = await call<{ status: string }>('GET', `${base}/policies/${policy.id}`);
    if (status === 'deployed') return { typeId: type.id, policyId: policy.id };
    if (status === 'failed') break;
  }
  throw new Error('the prepared decision type was not trained');
}
