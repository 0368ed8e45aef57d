/** The tests that Schemathesis makes of the OpenAPI document. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../freshness.ts';
import { preparePython } from './python-environment.ts';
import { lastLines, listJunitFailures, run, type StepResult, stepEnvironment } from './steps.ts';

/** What `npm run test:all` makes: the same calls in every run. */
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
  if (!python.ok) {
    process.stdout.write(`API tests left out: ${python.problem}\n`);
    return { name, passed: 0, failed: process.env.CI || python.installFailed ? 1 : 0, failures: [python.problem] };
  }
  const folder = mkdtempSync(join(tmpdir(), 'workbench-api-'));
  const server = await startServer(join(folder, 'data'));
  try {
    const { typeId, policyId } = await prepareType(server.url, server.token);
    writeFileSync(join(folder, 'prepared-type.txt'), `"${typeId}"\n`);
    writeFileSync(join(folder, 'prepared-policy.txt'), `"${policyId}"\n`);
    copyFileSync(join(projectRoot, 'test/api/schemathesis.toml'), join(folder, 'schemathesis.toml'));
    const reportPath = join(folder, 'report.xml');
    const { code, output } = await run(
      python.path,
      [
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
        '--no-color',
        '--report-junit-path',
        reportPath,
        ...(extra.length > 0 ? extra : bounded),
      ],
      { cwd: folder },
    );
    const report = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '';
    const failed = count(report, 'failures') + count(report, 'errors');
    const passed = Math.max(0, count(report, 'tests') - failed - count(report, 'skipped'));
    if (code !== 0 && failed === 0) return { name, passed, failed: 1, failures: [lastLines(output)] };
    return { name, passed, failed, failures: listJunitFailures(report) };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(report: string, attribute: string): number {
  let sum = 0;
  for (const found of report.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g')))
    sum += Number(found[1]);
  return sum;
}

type Server = { url: string; token: string; stop(): Promise<void> };

/** A server of its own on a free port. Its commits need not survive a power cut, so that a run takes seconds. */
async function startServer(dataDir: string): Promise<Server> {
  const program = join(projectRoot, 'src/server/serve.ts');
  const child = spawn(
    'node',
    [
      ...[program, 'serve', '--data-dir', dataDir, '--port', '0', '--synchronous', 'NORMAL', '--log-level', 'error'],
      // Schemathesis calls every operation with wrong credentials and expects a 401.
      ...['--max-wrong-credentials', '1000000'],
    ],
    { cwd: projectRoot, env: stepEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const url = await firstLine(child);
  const { output } = await run('node', [program, 'token', '--data-dir', dataDir], { quiet: true });
  return {
    url: (JSON.parse(url) as { url: string }).url,
    token: output.trim(),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code} before it was ready`)));
    if (child.stdout === null) return reject(new Error('the server has no output'));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
}

/** A decision type with a deployed policy, so that the calls reach what needs one. */
async function prepareType(url: string, token: string): Promise<{ typeId: string; policyId: string }> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
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
