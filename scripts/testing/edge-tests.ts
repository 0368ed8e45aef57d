/** The tests of the Python package. */
import { dirname, join } from 'node:path';
import { leaveOut, preparePython } from './python-environment.ts';
import { check, runReporting, type StepResult } from './steps.ts';

const declaredIn = 'edge/pyproject.toml';
/** The oldest version that the package declares. */
const oldestVersion = '3.10';

/** Makes the virtual environment of the Python package, with its extras. */
export const prepareEdge = () => preparePython({ folder: '.venv-edge', declaredIn, install: ['-e', 'edge[all,dev]'] });

/**
 * Checks format, lint and types of the Python package and runs its tests, in the environment that is being prepared.
 * Without Python: a message, and a failure in CI.
 */
export async function runEdgeTests(
  prepared: ReturnType<typeof prepareEdge>,
  pytestArgs: readonly string[] = [],
): Promise<StepResult[]> {
  const python = await prepared;
  if (!python.ok) return [leaveOut('stories of the Python package and of rules in both languages', python)];
  const mypy = ['-m', 'mypy', '--config-file', 'edge/pyproject.toml', '--cache-dir', '.venv-edge/mypy', 'edge/src'];
  return [
    await check('ruff edge', python.path, ['-m', 'ruff', 'check', '--no-cache', 'edge']),
    await check('ruff format edge', python.path, ['-m', 'ruff', 'format', '--no-cache', '--check', 'edge']),
    await check('mypy edge', python.path, mypy),
    ...(process.platform === 'win32' ? [] : [await lintDockerfiles(dirname(python.path))]),
    await runPytest('pytest edge', python.path, pytestArgs),
  ];
}

/** Has no wheel for Windows. */
const lintDockerfiles = (programs: string) =>
  check('hadolint', join(programs, 'hadolint'), ['--no-color', 'Dockerfile', 'edge/node/Dockerfile']);

/** Together they run every module that needs no extra; cases by the hundred find nothing more in an older Python. */
const runByOldestPython = ['test_package.py', 'test_predict.py', 'test_command_line.py', 'test_schema.py', 'model'];

/** Installs the package without extras and runs the tests that need none; a message where there is no such Python. */
export async function testOldestPython(pytestArgs: readonly string[] = []): Promise<StepResult[]> {
  const name = `pytest edge on Python ${oldestVersion} without extras`;
  const python = await preparePython({
    folder: `.venv-edge-${oldestVersion}`,
    declaredIn,
    install: ['-e', 'edge', 'onnx>=1.16', 'pytest>=8', 'tokenizers>=0.15'],
    version: oldestVersion,
  });
  if (python.ok) {
    const args = ['-m', 'not needs_rules', ...pytestArgs];
    return [await runPytest(name, python.path, args, ...runByOldestPython.map((path) => `edge/tests/${path}`))];
  }
  const failed = python.installFailed ? 1 : 0;
  return [{ name, passed: 0, failed, failures: failed ? [python.problem] : [], lacks: python.problem }];
}

/** Decides by Spark and the like, in an environment of its own: it takes 1.5 GB, and Java 17 or later. */
export async function testManyMachines(): Promise<StepResult[]> {
  const name = 'pytest edge on many machines';
  const python = await preparePython({
    folder: '.venv-edge-many',
    declaredIn,
    install: [
      '-e',
      'edge[spark]',
      'duckdb>=1.4',
      'polars>=1.30',
      'ray[data]>=2.50',
      'dask[dataframe]>=2025.5',
      'onnx>=1.16',
      'pytest>=8',
    ],
  });
  if (python.ok) return [await runPytest(name, python.path, [], 'edge/tests/many_machines_story.py')];
  return [{ name, passed: 0, failed: 1, failures: [python.problem] }];
}

function runPytest(
  name: string,
  python: string,
  pytestArgs: readonly string[],
  ...paths: readonly string[]
): Promise<StepResult> {
  const chosen = paths.length === 0 ? ['edge/tests'] : paths;
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...chosen, ...pytestArgs];
  return runReporting(name, python, args, '--junitxml');
}
