/** The Python that plays the engineer who was given a bundle. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * The Python in WORKBENCH_PYTHON, else that of the developer's environment. Throws a sentence where it cannot import
 * the package `decision_edge`: every call would fail with a trace instead.
 */
export function findEdgePython(): string {
  const python = process.env.WORKBENCH_PYTHON ?? resolve(import.meta.dirname, '../../../.venv-edge/bin/python');
  const { status, stderr, error } = spawnSync(python, ['-c', 'import decision_edge'], { encoding: 'utf8' });
  if (status === 0) return python;
  const reason = error?.message ?? stderr.trimEnd().split('\n').at(-1);
  throw new Error(
    `The Python ${python} cannot import decision_edge (${reason}). Name one that can in WORKBENCH_PYTHON, or the folder edge/src in PYTHONPATH.`,
  );
}
