/** The main process's side of the bridge. */
import { type BrowserWindow, type IpcMainEvent, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { channels } from '../preload/bridge.ts';
import { staysInside } from './guards.ts';

type BridgeContext = {
  window: BrowserWindow;
  appUrl: string;
  issueSession(): Promise<string>;
};

/** Answers the bridge's calls from the workbench's own page; returns how many unsaved drafts it has reported. */
export function handleBridge(context: BridgeContext): { countUnsavedDrafts(): number } {
  let unsavedDrafts = 0;
  ipcMain.handle(channels.sessionToken, (event) => {
    if (!isFromOwnPage(event, context)) throw new Error('Only a page of the workbench may ask for a session.');
    return context.issueSession();
  });
  ipcMain.on(channels.unsavedDrafts, (event, count: unknown) => {
    if (isFromOwnPage(event, context) && typeof count === 'number') unsavedDrafts = count;
  });
  return { countUnsavedDrafts: () => unsavedDrafts };
}

function isFromOwnPage(event: IpcMainInvokeEvent | IpcMainEvent, { window, appUrl }: BridgeContext): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame === window.webContents.mainFrame && staysInside(frame.url, appUrl);
}
