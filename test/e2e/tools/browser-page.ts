/** A window of the workbench in real Chromium, signed in, that notes what goes wrong behind it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { findChromium } from '../../../scripts/testing/chromium.ts';
import { compareLooks, toPalettePng } from './palette-png.ts';
import type { RunningWorkbench } from './workbench-process.ts';

/** `KEEP_SCREENSHOT=1` renews the pictures of the documents; else they are only left for a look. */
const documents = resolve(import.meta.dirname, '../../../docs/pictures');
export const pictures = process.env.KEEP_SCREENSHOT ? documents : resolve(import.meta.dirname, '../../../test-results');

export type Window = { page: Page; faults: string[]; browser: Browser; close(): Promise<void> };

/** One for all windows of a process, as a start costs more than a story; it ends with the process. */
let chromiumOfAll: Promise<Browser> | null = null;

async function startChromium(): Promise<Browser> {
  const running = await chromiumOfAll;
  if (running?.isConnected()) return running;
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('No Chromium found. Install it or set CHROMIUM_PATH.');
  chromiumOfAll = chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  return chromiumOfAll;
}

/** Opens a window at `hash`, signed in as the owner, with a storage of its own. */
export async function openWindow(
  workbench: RunningWorkbench,
  hash: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  mkdirSync(pictures, { recursive: true });
  const browser = await startChromium();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = watchFaults(page);
  await signIn(page, workbench, hash);
  return { page, faults, browser, close: () => context.close() };
}

/** Opens an address that needs no workbench, such as a saved file; `reached` are the other addresses it asked for. */
export async function openAddress(
  address: string,
  options: BrowserContextOptions = {},
): Promise<Window & { reached: string[] }> {
  mkdirSync(pictures, { recursive: true });
  const browser = await startChromium();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = watchFaults(page);
  const reached: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:blob|data):/.test(request.url()) && request.url() !== address) reached.push(request.url());
  });
  await page.goto(address);
  return { page, faults, reached, browser, close: () => context.close() };
}

/** Help beside a row that was deleted while it was asked for: the page shows none, but Chromium logs the 404. */
const helpOfGoneRow = /status of 404 .*\/examples\/[0-9a-f-]{36}\/(explain|labels|similar)\b/;

/** Notes every fault of a page from now on. */
function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.setDefaultTimeout(120_000);
  // Without a listener Playwright is not told when a request ended, which `waitForQuiet` reads from it.
  page.on('requestfinished', () => undefined);
  page.on('requestfailed', () => undefined);
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const fault = `${message.text()} (${message.location().url})`;
    if (message.type() === 'error' && !helpOfGoneRow.test(fault)) faults.push(fault);
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

/** Goes to an address as a link to it does, without loading the page again. */
export function goToAddress(page: Page, hash: string): Promise<void> {
  return page.evaluate((next) => {
    window.location.hash = next;
  }, hash);
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

/** Longer than the page itself waits before it asks for what was typed or moved to. */
const restMs = 350;
const maxWaitMs = 300_000;

/** Waits until nothing has been read, or begun to be read, for a moment; the stream of events stays open for ever. */
export async function waitForQuiet(page: Page): Promise<void> {
  const calledMs = Date.now();
  let restedMs = 0;
  while (restedMs < restMs) {
    await wait(Math.min(50, restMs - restedMs));
    const reads = await page.requests();
    const busy = await page.locator('[role=status].busy').allTextContents();
    restedMs = busy.length > 0 ? 0 : Date.now() - Math.max(calledMs, ...reads.map(findEndMs));
    if (Date.now() - calledMs < maxWaitMs) continue;
    const open = reads.filter((read) => findEndMs(read) === Number.POSITIVE_INFINITY).map((read) => read.url());
    throw new Error(`The page did not come to rest within five minutes: ${[...busy, ...open].join(', ')}`);
  }
}

/** When a request ended: never, while it is read. */
function findEndMs(request: Request): number {
  if (request.url().endsWith('/api/v1/events') || request.failure() !== null) return 0;
  const { startTime, responseEnd } = request.timing();
  return responseEnd < 0 ? Number.POSITIVE_INFINITY : startTime + responseEnd;
}

/** Keeps a picture of what is in sight and gives it: for a look, or small enough to lie with the documents. */
export async function keepPicture(page: Page, name: string): Promise<Buffer> {
  const picture = await page.screenshot();
  writeFileSync(join(pictures, `${name}.png`), process.env.KEEP_SCREENSHOT ? toPalettePng(picture) : picture);
  return picture;
}

/** The share, 0 to 1, of a picture that looks otherwise than the one of this name that lies with the documents. */
export function compareWithKept(picture: Buffer, name: string): number {
  return compareLooks(readFileSync(join(documents, `${name}.png`)), picture);
}
