/**
 * `npm start`: the desktop window where Electron and a display are there, else the same program in the browser.
 * `--browser` always takes the browser; `--fetch-electron` tries the download of Electron again.
 * Other flags go to `serve`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { electronPackage, findDesktop } from './electron-binary.ts';
import { endWithNpm } from './end-with-npm.ts';
import { isFresh, projectRoot } from './freshness.ts';
import { serverFlags } from './server-flags.ts';

const own = new Set(['--browser', '--fetch-electron']);
const flags = process.argv.slice(2).filter((flag) => !own.has(flag));
const fetchAgain = process.argv.includes('--fetch-electron');
const triedMarker = join(electronPackage, '.fetch-tried');

let desktop = findDesktop();
if (!process.argv.includes('--browser') && desktop.kind === 'no-binary' && (fetchAgain || !existsSync(triedMarker))) {
  await fetchElectron();
  desktop = findDesktop();
}
if (desktop.kind === 'ready' && !process.argv.includes('--browser')) {
  buildIfStale('out/main/index.js', []);
  const { ELECTRON_RUN_AS_NODE: _asNode, ...env } = process.env;
  follow(spawn(desktop.path, [projectRoot], { stdio: 'inherit', env }));
} else {
  if (desktop.kind !== 'ready') process.stderr.write(`${desktop.message}\n`);
  buildIfStale('out/renderer/index.html', ['--renderer']);
  buildIfStale('out/decision-edge/page.html', ['--edge']);
  const entry = [...serverFlags, join(projectRoot, 'scripts/workbench.ts')];
  follow(spawn(process.execPath, [...entry, 'serve', '--open', ...flags], { stdio: 'inherit' }));
}

function buildIfStale(result: string, buildFlags: string[]): void {
  if (isFresh(result, ['src', 'vite.config.ts', 'electron.vite.config.ts'])) return;
  process.stderr.write('Building the workbench (some seconds, once) …\n');
  const build = spawnSync(process.execPath, [join(projectRoot, 'scripts/build.ts'), ...buildFlags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.status !== 0) process.exit(build.status ?? 1);
}

/** One try, given up at once where the network does not answer, and remembered. */
async function fetchElectron(): Promise<void> {
  writeFileSync(triedMarker, new Date().toISOString());
  const source = process.env.ELECTRON_MIRROR ?? 'https://github.com/';
  try {
    await fetch(source, { method: 'HEAD', signal: AbortSignal.timeout(4000) });
  } catch {
    process.stderr.write('Electron was not fetched: no network.\n');
    return;
  }
  process.stderr.write('Fetching Electron, once …\n');
  spawnSync(process.execPath, [join(electronPackage, 'install.js')], { stdio: 'inherit', timeout: 10 * 60_000 });
}

function follow(child: ReturnType<typeof spawn>): void {
  if (process.env['npm_lifecycle_event'] === 'start') endWithNpm();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
