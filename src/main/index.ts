/** The desktop program: the workbench's server in this process and one window onto it. */
import { fork } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, BrowserWindow, dialog, Menu, shell } from 'electron';
import { channels } from '../preload/bridge.ts';
import { childEntry, type SpawnChild } from '../server/process/spawn-child.ts';
import { StartError } from '../server/process/start-error.ts';
import { type StartOptions, startWorkbench, type Workbench } from '../server/start.ts';
import { handleBridge } from './bridge-handlers.ts';
import { guardNavigation, guardSession } from './guards.ts';
import { menuTemplate } from './menu.ts';
import { closeServerBeforeQuit } from './quit.ts';
import { windowOptions } from './window-options.ts';

const outDir = join(import.meta.dirname, '..');

if (app.requestSingleInstanceLock()) {
  app.on('second-instance', focusWindow);
  app.on('window-all-closed', () => app.quit());
  await app.whenReady();
  await open().catch((error: unknown) => {
    dialog.showErrorBox('Decision Workbench could not start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  });
} else {
  app.quit();
}

async function open(): Promise<void> {
  const dataDir = process.env.WORKBENCH_DATA_DIR ?? join(homedir(), '.decision-workbench');
  const developmentUrl = process.env.ELECTRON_RENDERER_URL;
  const workbench = await startOrAsk({
    dataDir,
    port: Number(process.env.WORKBENCH_PORT ?? 8737),
    rendererDir: join(outDir, 'renderer'),
    spawnChild: spawnBuiltChild,
  });
  if (workbench === null) return app.quit();
  // In development the page comes from Vite, which proxies the API to this server.
  const appUrl = developmentUrl ?? withoutLogin(await workbench.loginLink());
  const window = new BrowserWindow(windowOptions(join(outDir, 'preload/index.cjs')));
  guardSession(window.webContents.session, workbench.url);
  guardNavigation(window.webContents, appUrl, (url) => void shell.openExternal(url));
  const bridge = handleBridge({ window, appUrl, issueSession: workbench.issueSession });
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate(process.platform, {
        command: (commandId) => window.webContents.send(channels.command, commandId),
        openDataFolder: () => void shell.openPath(dataDir),
      }),
    ),
  );
  window.once('ready-to-show', () => window.show());
  window.on('close', (event) => {
    const unsavedDrafts = bridge.countUnsavedDrafts();
    if (unsavedDrafts > 0 && !confirmDiscard(window, unsavedDrafts)) event.preventDefault();
  });
  closeServerBeforeQuit(app, workbench);
  await window.loadURL(appUrl);
}

/** Starts the server; asks before an upgrade that takes policies out of service, null where it is not wanted. */
async function startOrAsk(options: StartOptions): Promise<Workbench | null> {
  try {
    return await startWorkbench(options);
  } catch (error) {
    if (!(error instanceof StartError && error.kind === 'retraining')) throw error;
    return confirmRetraining(error.message) ? startWorkbench({ ...options, acceptsRetraining: true }) : null;
  }
}

function confirmRetraining(message: string): boolean {
  const buttons = ['Upgrade', 'Quit'];
  return dialog.showMessageBoxSync({ type: 'warning', message, buttons, defaultId: 1, cancelId: 1 }) === 0;
}

/** Children run from the bundle in out/server, on Electron's own Node. */
const spawnBuiltChild: SpawnChild = (name, options) =>
  fork(
    childEntry(name, pathToFileURL(join(outDir, 'server/serve.js')).href),
    options.tag === undefined ? [] : [options.tag],
    {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${options.heapMb}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );

/** The page's address; the window signs in through the bridge, not by the link's one-time code. */
function withoutLogin(link: string): string {
  const page = new URL(link);
  page.hash = '';
  return page.href;
}

function focusWindow(): void {
  const window = BrowserWindow.getAllWindows()[0];
  if (window?.isMinimized()) window.restore();
  window?.focus();
}

function confirmDiscard(window: BrowserWindow, drafts: number): boolean {
  const choice = dialog.showMessageBoxSync(window, {
    type: 'warning',
    message: drafts === 1 ? 'One draft is not saved.' : `${drafts} drafts are not saved.`,
    buttons: ['Keep working', 'Discard and close'],
    defaultId: 0,
    cancelId: 0,
  });
  return choice === 1;
}
