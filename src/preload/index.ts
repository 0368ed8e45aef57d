/** The preload script: gives the page the bridge, and nothing else of Electron. */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { channels, type WorkbenchBridge } from './bridge.ts';

const bridge: WorkbenchBridge = {
  sessionToken: () => ipcRenderer.invoke(channels.sessionToken),
  setUnsavedDrafts: (count) => ipcRenderer.send(channels.unsavedDrafts, count),
  onCommand: (listener) => {
    const relay = (_event: IpcRendererEvent, commandId: string) => listener(commandId);
    ipcRenderer.on(channels.command, relay);
    return () => ipcRenderer.off(channels.command, relay);
  },
};

contextBridge.exposeInMainWorld('workbench', bridge);
