/** Where Chromium is on this machine. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** The Chromium that browser tests drive: CHROMIUM_PATH, the system's, Playwright's own; null if there is none. */
export function findChromium(): string | null {
  const candidates = [
    process.env.CHROMIUM_PATH,
    // Without the window that nobody sees, pages are drawn in two thirds of the time.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    chromium.executablePath(),
  ];
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null;
}
