/** What the desktop window can do that a browser cannot. Everything else goes over REST. */
export type WorkbenchBridge = {
  /** Version, platform and the folder the data lies in. */
  appInfo(): Promise<{ version: string; platform: string; dataDir: string; mcpUrl: string }>;
  /** A session token for the local owner. */
  sessionToken(): Promise<string>;
  /** Native open dialog; null if it was cancelled. `extensions` without dots. */
  openFile(extensions: readonly string[]): Promise<{ name: string; bytes: Uint8Array } | null>;
  /** Native save dialog; answers with the path written to, null if it was cancelled. */
  saveFile(suggestedName: string, bytes: Uint8Array): Promise<string | null>;
  /** Shows a file that `saveFile` wrote in the system's file manager. */
  showInFolder(path: string): Promise<void>;
  /** How many drafts would be lost by closing the window; above 0 it asks first. */
  setUnsavedDrafts(count: number): void;
  /** Calls `listener` with the id of a command chosen in the native menu; answers with the way to stop that. */
  onCommand(listener: (commandId: string) => void): () => void;
};

/** Names of the messages between preload and main. */
export const channels = {
  appInfo: 'workbench:app-info',
  sessionToken: 'workbench:session-token',
  openFile: 'workbench:open-file',
  saveFile: 'workbench:save-file',
  showInFolder: 'workbench:show-in-folder',
  unsavedDrafts: 'workbench:unsaved-drafts',
  command: 'workbench:command',
} as const;
