import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opensOutside, permitted, staysInside } from '../../src/main/guards.ts';
import { menuTemplate } from '../../src/main/menu.ts';
import { windowOptions } from '../../src/main/window-options.ts';
import { pageSecurityPolicy } from '../../src/server/contract/security-policy.ts';

const source = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const appUrl = 'http://127.0.0.1:8737';

describe('The desktop window', () => {
  it('gives its page no Node, its own world and a sandbox', () => {
    expect(windowOptions('preload.cjs').webPreferences).toMatchObject({
      preload: 'preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
    });
  });

  it('runs scripts of its own address only and cannot be framed', () => {
    expect(pageSecurityPolicy).toContain("script-src 'self';");
    expect(pageSecurityPolicy).toContain("default-src 'none'");
    expect(pageSecurityPolicy).toContain("object-src 'none'");
    expect(pageSecurityPolicy).toContain("frame-ancestors 'none'");
    expect(pageSecurityPolicy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
  });

  it.each([
    [`${appUrl}/`, true],
    [`${appUrl}/#/types`, true],
    ['http://127.0.0.1:9999/', false],
    ['http://127.0.0.1:8737.evil.example/', false],
    ['https://example.com/', false],
    ['file:///etc/passwd', false],
    ['not an address', false],
  ])('shows %s itself: %s', (target, inside) => {
    expect(staysInside(target, appUrl)).toBe(inside);
  });

  it.each([
    ['https://example.com/', true],
    ['http://example.com/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['ms-settings:', false],
  ])('hands %s to the browser: %s', (target, outside) => {
    expect(opensOutside(target)).toBe(outside);
  });

  it('grants no permission but writing to the clipboard', () => {
    const permissions = [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'clipboard-sanitized-write',
      'openExternal',
    ];
    expect(permissions.filter(permitted)).toEqual(['clipboard-sanitized-write']);
  });

  it('is guarded before it loads anything', () => {
    const main = source('src/main/index.ts');
    const order = ['windowOptions(', 'guardSession(', 'guardNavigation(', 'handleBridge(', 'loadURL('];
    const positions = order.map((call) => main.indexOf(call));
    expect(positions.every((position) => position > 0)).toBe(true);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(main.match(/new BrowserWindow\(/g)).toHaveLength(1);
  });

  it('has a bridge of three methods, none of which touches a file', () => {
    const methods = [...source('src/preload/index.ts').matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name);
    expect(methods).toEqual(['sessionToken', 'setUnsavedDrafts', 'onCommand']);
    expect(source('src/main/bridge-handlers.ts')).not.toMatch(/node:fs|dialog|shell/);
  });

  it('sends menu choices to the page as commands', () => {
    const sent: string[] = [];
    const [file] = menuTemplate('linux', { command: (id) => sent.push(id), openDataFolder: () => undefined });
    const items = Array.isArray(file?.submenu) ? file.submenu : [];
    items[0]?.click?.({} as never, undefined, {} as never);
    expect(sent).toEqual(['decision-type.new']);
  });
});
