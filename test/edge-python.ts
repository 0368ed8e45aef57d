/** The Python with the package `decision_edge`, for stories that ask it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const venv = path.resolve(import.meta.dirname, '../.venv-edge');

/**
 * The Python in WORKBENCH_PYTHON, else that of the environment in `.venv-edge`, which `npm test` may still be making:
 * the stories begin without it, and those that ask it wait here. Null where there is none; `npm test` names what was
 * not run. Rejects with the remedy where the Python is there and cannot import the package.
 */
export async function findEdgePython(): Promise<string | null> {
  while (isBeingMade()) await wait(500);
  const python = process.env.WORKBENCH_PYTHON ?? path.join(venv, 'bin/python');
  if (!existsSync(python)) return null;
  const { status, stderr, error } = spawnSync(python, ['-c', 'import decision_edge'], { encoding: 'utf8' });
  if (status === 0) return python;
  const reason = error?.message ?? stderr.trimEnd().split('\n').at(-1);
  throw new Error(
    `The Python ${python} cannot import decision_edge (${reason}). Name one that can in WORKBENCH_PYTHON, or remove .venv-edge and run npm test.`,
  );
}

/** As `findEdgePython`, for stories of the long run that are of no use without it: rejects where there is none. */
export async function requireEdgePython(): Promise<string> {
  const python = await findEdgePython();
  if (python === null)
    throw new Error('There is no .venv-edge: npm test makes it where Python 3.10 or newer is found.');
  return python;
}

/** Whether the process that makes the environment, whose id it left beside the folder, is still at work. */
function isBeingMade(): boolean {
  try {
    process.kill(Number(readFileSync(`${venv}.making`, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
