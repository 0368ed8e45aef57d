/** Virtual environments of Python for the checks that need one. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { run, type StepResult, toLeftOut } from './steps.ts';

type Environment = {
  /** Folder of the virtual environment in the project. */
  folder: string;
  /** File that says what is installed: when it changes, the environment is made again. */
  declaredIn: string;
  /** Arguments of `pip install`. */
  install: readonly string[];
  /** The one version to take, such as 3.10. Left out: any from 3.10 on, the newest first. */
  version?: string;
};

type Missing = { ok: false; problem: string; installFailed: boolean };

/** The result of a step without its Python: named at the end of the run, and a failure in CI or where pip failed. */
export const leaveOut = (name: string, { problem, installFailed }: Missing): StepResult =>
  toLeftOut(name, problem, installFailed);

/**
 * Makes a virtual environment or brings it up to date; nothing is fetched when it already is what the file declares.
 */
export async function preparePython({
  folder,
  declaredIn,
  install,
  version,
}: Environment): Promise<{ ok: true; path: string } | Missing> {
  const venv = join(projectRoot, folder);
  const path = process.platform === 'win32' ? join(venv, 'Scripts/python.exe') : join(venv, 'bin/python');
  const stampPath = join(venv, 'installed.sha256');
  const wanted = createHash('sha256')
    .update(readFileSync(join(projectRoot, declaredIn)))
    .digest('hex');
  if (existsSync(path) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wanted)
    return { ok: true, path };
  const missing = (problem: string): Missing => ({ ok: false, problem, installFailed: false });
  const python = version === undefined ? await findNewestPython() : await findPython(version);
  if (python === null && version !== undefined) return missing(`no Python ${version} found`);
  if (python === null) return missing('no Python 3.10 or newer found: install one or set PYTHON to its path');
  process.stdout.write(`Preparing the Python environment in ${folder} …\n`);
  // Stories that ask this Python wait while the process named here is at work.
  const makingPath = `${venv}.making`;
  writeFileSync(makingPath, String(process.pid));
  try {
    const made = await run(python, ['-m', 'venv', '--clear', venv]);
    if (made.code !== 0) {
      return missing('this Python cannot make virtual environments: on Debian, apt-get install python3-venv');
    }
    const installed = await run(path, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...install]);
    if (installed.code !== 0) {
      rmSync(venv, { recursive: true, force: true });
      return { ok: false, problem: `pip could not install what ${declaredIn} declares`, installFailed: true };
    }
    writeFileSync(stampPath, wanted);
    return { ok: true, path };
  } finally {
    rmSync(makingPath, { force: true });
  }
}

async function findNewestPython(): Promise<string | null> {
  const candidates = [process.env.PYTHON, 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3', 'python'];
  return findFirst(candidates, 'sys.version_info >= (3, 10)');
}

/** On the path, or among those that pyenv keeps. */
export async function findPython(version: string): Promise<string | null> {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const kept = existsSync(versions) ? readdirSync(versions).filter((name) => name.startsWith(`${version}.`)) : [];
  const candidates = [`python${version}`, ...kept.map((name) => join(versions, name, 'bin', 'python'))];
  return findFirst(candidates, `sys.version_info[:2] == (${version.replace('.', ', ')})`);
}

/** The first Python that fulfils a condition and can make virtual environments. */
async function findFirst(candidates: readonly (string | undefined)[], condition: string): Promise<string | null> {
  for (const candidate of candidates) {
    if (!candidate) continue;
    const probe = await run(candidate, ['-c', `import sys, venv, ensurepip; sys.exit(not ${condition})`], {
      quiet: true,
    });
    if (probe.code === 0) return candidate;
  }
  return null;
}
