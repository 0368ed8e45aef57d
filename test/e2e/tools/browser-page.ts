/** A window of the workbench in real Chromium, signed in, that notes what goes wrong behind it. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/testing/chromium.ts';
import type { RunningWorkbench } from './workbench-process.ts';

/** `KEEP_SCREENSHOT=1` renews the pictures of the documents; else they are only left for a look. */
export const pictures = resolve(
  import.meta.dirname,
  '../../..',
  process.env.KEEP_SCREENSHOT ? 'docs/pictures' : 'test-results',
);

export type Window = { page: Page; faults: string[]; browser: Browser; close(): Promise<void> };

/** Opens a window at `hash`, signed in as the owner. */
export async function openWindow(
  workbench: RunningWorkbench,
  hash: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  mkdirSync(pictures, { recursive: true });
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('No Chromium found. Install it or set CHROMIUM_PATH.');
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = watchFaults(page);
  await signIn(page, workbench, hash);
  return { page, faults, browser, close: () => browser.close() };
}

/** Notes every fault of a page from now on. */
function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
  });
  return faults;
}

/** Goes to a place and types the token, as on a server without a window. */
async function signIn(page: Page, workbench: RunningWorkbench, hash: string): Promise<void> {
  await page.goto(`${workbench.url}/app/${hash}`);
  await page.getByRole('textbox', { name: 'Session token' }).fill(workbench.token);
  await page.keyboard.press('Enter');
  await page.getByRole('main').waitFor();
}

/** Goes to a place of the decision type at hand by the rail. */
export async function goToPlace(page: Page, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Workbench' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

/** Whether the middle of a part of the page is within the window, with nothing lying over it. */
export function isInSight(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

const maxRestMs = 60_000;

/**
 * Waits until nothing is read any more and nothing more came for half a second. The stream of events stays open, so the
 * network is never idle.
 */
export async function waitForQuiet(page: Page): Promise<void> {
  // Asked from here again and again: in the page, the promise of an answer would count as the answer yes.
  const isQuiet = () =>
    page.evaluate(async () => {
      const countReads = () => performance.getEntriesByType('resource').length;
      const before = countReads();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return countReads() === before && document.querySelector('[role=status].busy') === null;
    });
  const end = Date.now() + maxRestMs;
  while (!(await isQuiet())) {
    if (Date.now() > end) throw new Error('The page did not come to rest within a minute.');
  }
}
