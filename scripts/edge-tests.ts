/** The tests of the Python package. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePython } from './python-environment.ts';
import { run, type StepResult } from './steps.ts';

/** Runs the edge package's tests in their own virtual environment. Without Python: a message, and a failure in CI. */
export async function runEdgeTests(pytestArgs: readonly string[] = []): Promise<StepResult> {
  const name = 'pytest edge';
  const python = await preparePython({
    folder: '.venv-edge',
    declaredIn: 'edge/pyproject.toml',
    install: ['-e', 'edge[all,dev]'],
  });
  if (!python.ok) {
    process.stdout.write(`Edge tests left out: ${python.problem}\n`);
    return { name, passed: 0, failed: process.env.CI || python.installFailed ? 1 : 0, output: python.problem };
  }
  const folder = mkdtempSync(join(tmpdir(), 'workbench-pytest-'));
  const reportPath = join(folder, 'report.xml');
  const { code, output } = await run(python.path, [
    '-m',
    'pytest',
    '-q',
    '-p',
    'no:cacheprovider',
    `--junitxml=${reportPath}`,
    'edge/tests',
    ...pytestArgs,
  ]);
  const report = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '';
  rmSync(folder, { recursive: true, force: true });
  const count = (attribute: string) =>
    Number(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`).exec(report)?.[1] ?? 0);
  const failed = count('failures') + count('errors');
  const passed = count('tests') - failed - count('skipped');
  return { name, passed: Math.max(0, passed), failed: code !== 0 && failed === 0 ? 1 : failed, output };
}
