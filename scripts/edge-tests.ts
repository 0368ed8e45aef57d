import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './freshness.ts';
import { run, type StepResult } from './steps.ts';

const venv = join(projectRoot, '.venv-edge');
const venvPython = process.platform === 'win32' ? join(venv, 'Scripts/python.exe') : join(venv, 'bin/python');

/** Runs the edge package's tests in their own virtual environment. Without Python: a message, and a failure in CI. */
export async function runEdgeTests(pytestArgs: readonly string[] = []): Promise<StepResult> {
  const name = 'pytest edge';
  const problem = await prepareVenv();
  if (problem !== null) {
    process.stdout.write(`Edge tests left out: ${problem}\n`);
    return { name, passed: 0, failed: process.env.CI || problem.startsWith('pip') ? 1 : 0, output: problem };
  }
  const folder = mkdtempSync(join(tmpdir(), 'workbench-pytest-'));
  const reportPath = join(folder, 'report.xml');
  const { code, output } = await run(venvPython, [
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

/** Makes the environment or brings it up to date; answers with what is wrong, or null. */
async function prepareVenv(): Promise<string | null> {
  const stampPath = join(venv, 'installed.sha256');
  const wanted = createHash('sha256')
    .update(readFileSync(join(projectRoot, 'edge/pyproject.toml')))
    .digest('hex');
  if (existsSync(venvPython) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wanted) return null;
  const python = await findPython();
  if (python === null) return 'no Python 3.10 or newer found (set PYTHON to its path).';
  process.stdout.write('Preparing the Python environment in .venv-edge …\n');
  const made = await run(python, ['-m', 'venv', '--clear', venv]);
  if (made.code !== 0) return 'this Python cannot make virtual environments (on Debian: apt-get install python3-venv).';
  const installed = await run(venvPython, [
    '-m',
    'pip',
    'install',
    '-q',
    '--disable-pip-version-check',
    '-e',
    'edge[all,dev]',
  ]);
  if (installed.code !== 0) return 'pip could not install the edge package.';
  writeFileSync(stampPath, wanted);
  return null;
}

async function findPython(): Promise<string | null> {
  const candidates = [process.env.PYTHON, 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3', 'python'];
  for (const candidate of candidates) {
    if (!candidate) continue;
    const probe = await run(candidate, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'], {
      quiet: true,
    });
    if (probe.code === 0) return candidate;
  }
  return null;
}
