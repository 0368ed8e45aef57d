/** Where Electron's program is on this machine. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Whether the desktop window can be opened here, and if not, why. */
export type Desktop =
  | { kind: 'ready'; path: string }
  | { kind: 'no-display'; message: string }
  | { kind: 'no-binary'; message: string };

/** Folder of the electron package; the package itself is never loaded, because that starts a download. */
export const electronPackage = dirname(createRequire(import.meta.url).resolve('electron/package.json'));

/** Looks for Electron's program and a display. */
export function findDesktop(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): Desktop {
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) {
    return { kind: 'no-display', message: 'No display: the workbench runs without a window of its own.' };
  }
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH ?? join(electronPackage, 'dist');
  const path = join(folder, programName(platform));
  if (isProgram(path)) return { kind: 'ready', path };
  return {
    kind: 'no-binary',
    message: 'No desktop window: Electron’s program is not installed (npx install-electron fetches it).',
  };
}

function programName(platform: string): string {
  const named = join(electronPackage, 'path.txt');
  if (existsSync(named)) return readFileSync(named, 'utf8').trim();
  if (platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return platform === 'win32' ? 'electron.exe' : 'electron';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
