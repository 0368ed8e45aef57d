import type { MenuItemConstructorOptions } from 'electron';

type MenuActions = { command(commandId: string): void; openDataFolder(): void };

/** The native menu. Its own entries only name commands; the page carries them out as it does for its palette. */
export function menuTemplate(platform: string, actions: MenuActions): MenuItemConstructorOptions[] {
  const command = (label: string, commandId: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => actions.command(commandId),
    ...(accelerator === undefined ? {} : { accelerator }),
  });
  const appMenu: MenuItemConstructorOptions[] = platform === 'darwin' ? [{ role: 'appMenu' }] : [];
  return [
    ...appMenu,
    {
      label: 'File',
      submenu: [
        command('New decision type…', 'decision-type.new', 'CmdOrCtrl+N'),
        command('Command palette…', 'palette.open', 'CmdOrCtrl+K'),
        { type: 'separator' },
        { label: 'Open data folder', click: () => actions.openDataFolder() },
        { type: 'separator' },
        { role: platform === 'darwin' ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    { role: 'windowMenu' },
  ];
}
