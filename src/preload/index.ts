import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { channels, type WorkbenchBridge } from './bridge.ts';

const bridge: WorkbenchBridge = {
  appInfo: () => ipcRenderer.invoke(channels.appInfo),
  sessionToken: () => ipcRenderer.invoke(channels.sessionToken),
  openFile: (extensions) => ipcRenderer.invoke(channels.openFile, extensions),
  saveFile: (suggestedName, bytes) => ipcRenderer.invoke(channels.saveFile, suggestedName, bytes),
  showInFolder: (path) => ipcRenderer.invoke(channels.showInFolder, path),
  setUnsavedDrafts: (count) => ipcRenderer.send(channels.unsavedDrafts, count),
  onCommand: (listener) => {
    const relay = (_event: IpcRendererEvent, commandId: string) => listener(commandId);
    ipcRenderer.on(channels.command, relay);
    return () => ipcRenderer.off(channels.command, relay);
  },
};

contextBridge.exposeInMainWorld('workbench', bridge);
