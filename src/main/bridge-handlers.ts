import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { app, type BrowserWindow, dialog, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { channels } from '../preload/bridge.ts';
import { staysInside } from './guards.ts';

const largestFileBytes = 64 * 1024 * 1024;

type BridgeContext = {
  window: BrowserWindow;
  appUrl: string;
  mcpUrl: string;
  dataDir: string;
  issueSession(): Promise<string>;
};

/** Answers the page's bridge calls. Only the workbench's own top frame is heard. Answers with the drafts' counter. */
export function handleBridge(context: BridgeContext): { unsavedDrafts(): number } {
  const written = new Set<string>();
  let unsavedDrafts = 0;

  const handle = <Input extends unknown[]>(channel: string, answer: (...input: Input) => unknown) => {
    ipcMain.handle(channel, (event: IpcMainInvokeEvent, ...input: unknown[]) => {
      if (!fromOwnPage(event, context)) throw new Error('Refused: not a page of the workbench.');
      return answer(...(input as Input));
    });
  };

  handle(channels.appInfo, () => ({
    version: app.getVersion(),
    platform: process.platform,
    dataDir: context.dataDir,
    mcpUrl: context.mcpUrl,
  }));
  handle(channels.sessionToken, () => context.issueSession());
  handle(channels.openFile, async (extensions: unknown) => {
    const names = Array.isArray(extensions) ? extensions.filter((name) => typeof name === 'string') : [];
    const chosen = await dialog.showOpenDialog(context.window, {
      properties: ['openFile'],
      ...(names.length > 0 ? { filters: [{ name: 'Files', extensions: names }] } : {}),
    });
    const path = chosen.filePaths[0];
    if (chosen.canceled || path === undefined) return null;
    const { size } = await stat(path);
    if (size > largestFileBytes) throw new Error(`The file has ${size} bytes; at most ${largestFileBytes} are read.`);
    return { name: basename(path), bytes: new Uint8Array(await readFile(path)) };
  });
  handle(channels.saveFile, async (suggestedName: unknown, bytes: unknown) => {
    if (typeof suggestedName !== 'string' || !(bytes instanceof Uint8Array))
      throw new Error('Expected name and bytes.');
    const chosen = await dialog.showSaveDialog(context.window, { defaultPath: basename(suggestedName) });
    if (chosen.canceled || chosen.filePath === '') return null;
    await writeFile(chosen.filePath, bytes);
    written.add(chosen.filePath);
    return chosen.filePath;
  });
  handle(channels.showInFolder, (path: unknown) => {
    if (typeof path !== 'string' || !written.has(path)) throw new Error('Only files saved from here are shown.');
    shell.showItemInFolder(path);
  });
  ipcMain.on(channels.unsavedDrafts, (event, count: unknown) => {
    if (event.sender === context.window.webContents && typeof count === 'number') unsavedDrafts = count;
  });
  return { unsavedDrafts: () => unsavedDrafts };
}

function fromOwnPage(event: IpcMainInvokeEvent, context: BridgeContext): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame === context.window.webContents.mainFrame && staysInside(frame.url, context.appUrl);
}
