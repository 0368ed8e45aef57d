/** The bridge: what the desktop window can do that a browser cannot. Everything else goes over REST. */
export type WorkbenchBridge = {
  /** Returns a session token for the local owner. */
  sessionToken(): Promise<string>;
  /** Sets the number of drafts that closing the window would lose; above 0 the window asks first. */
  setUnsavedDrafts(count: number): void;
  /** Calls `listener` with the id of each command chosen in the native menu until the returned function is called. */
  onCommand(listener: (commandId: string) => void): () => void;
};

/** Names of the messages between preload and main. */
export const channels = {
  sessionToken: 'workbench:session-token',
  unsavedDrafts: 'workbench:unsaved-drafts',
  command: 'workbench:command',
} as const;
