import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findDesktop } from '../../scripts/electron-binary.ts';

const root = join(import.meta.dirname, '../..');
const desktop = findDesktop();

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-desktop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('npm start', () => {
  if (desktop.kind === 'ready' && existsSync(join(root, 'out/main/index.js'))) {
    it('opens the workbench in its window, signed in', { timeout: 600_000 }, async () => {
      const dataDir = temporaryFolder();
      const app = await _electron.launch({
        executablePath: desktop.path,
        args: [root, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
        env: { ...process.env, WORKBENCH_DATA_DIR: dataDir } as Record<string, string>,
      });
      onTestFinished(() => app.close());
      const page = await app.firstWindow();
      await page.waitForLoadState('domcontentloaded');
      expect(await page.title()).toContain('Decision Workbench');
      expect(await page.evaluate('typeof window.workbench.sessionToken()')).toBe('object');
      expect(await page.evaluate('typeof window.require')).toBe('undefined');
    });
  } else {
    it('says why it takes the browser instead of a window', () => {
      const { kind } = desktop;
      expect(kind === 'ready' ? 'not built' : desktop.message).toMatch(
        /^(No display: |No desktop window: |not built$)/,
      );
    });
  }

  it('takes the browser on a machine without a display, even with the program there [RUN-4]', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'electron'), '');
    chmodSync(join(folder, 'electron'), 0o755);
    expect(findDesktop({ ELECTRON_OVERRIDE_DIST_PATH: folder }, 'linux')).toMatchObject({ kind: 'no-display' });
    expect(findDesktop({ ELECTRON_OVERRIDE_DIST_PATH: folder, DISPLAY: ':0' }, 'linux')).toEqual({
      kind: 'ready',
      path: join(folder, 'electron'),
    });
  });

  it('says how to get the program where only that is missing', () => {
    const missing = findDesktop({ ELECTRON_OVERRIDE_DIST_PATH: temporaryFolder(), DISPLAY: ':0' }, 'linux');
    expect(missing).toMatchObject({ kind: 'no-binary', message: expect.stringContaining('npx install-electron') });
  });
});
