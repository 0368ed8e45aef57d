/** Guards on what the desktop window may show, open and be permitted. */
import { URL } from 'node:url';
import type { Session, WebContents } from 'electron';
import { pageSecurityPolicy } from '../server/contract/security-policy.ts';

/** True for addresses the window itself may show: those of the workbench's own server. */
export function staysInside(target: string, appUrl: string): boolean {
  return URL.canParse(target) && new URL(target).origin === new URL(appUrl).origin;
}

/** True for addresses that may be handed to the system's browser. */
export function opensOutside(target: string): boolean {
  return URL.canParse(target) && new URL(target).protocol === 'https:';
}

/** The one permission pages get: writing to the clipboard after a click. */
export function permitted(permission: string): boolean {
  return permission === 'clipboard-sanitized-write';
}

/** Keeps a page on the workbench's address; links elsewhere open in the system's browser. */
export function guardNavigation(contents: WebContents, appUrl: string, openOutside: (url: string) => void): void {
  const keepInside = (event: { preventDefault(): void; url: string }) => {
    if (staysInside(event.url, appUrl)) return;
    event.preventDefault();
    if (opensOutside(event.url)) openOutside(event.url);
  };
  contents.on('will-navigate', keepInside);
  contents.on('will-redirect', keepInside);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (opensOutside(url)) openOutside(url);
    return { action: 'deny' };
  });
}

/** Refuses every permission but the clipboard's, and sends the content security policy with the workbench's pages. */
export function guardSession(session: Session, appUrl: string): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(permitted(permission)));
  session.setPermissionCheckHandler((_contents, permission) => permitted(permission));
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onHeadersReceived({ urls: [`${new URL(appUrl).origin}/*`] }, (details, answer) => {
    const kept = Object.entries(details.responseHeaders ?? {}).filter(
      ([name]) => name.toLowerCase() !== 'content-security-policy',
    );
    answer({
      responseHeaders: { ...Object.fromEntries(kept), 'Content-Security-Policy': [pageSecurityPolicy] },
    });
  });
}
