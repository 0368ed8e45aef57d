/**
 * What the page costs in real Chromium over the real server: first paint, script, change of place, the next row after a
 * label, memory over many changes of place, and scrolling through as many rows as asked for, of 25 fields and 150 options.
 */
import type { Browser, Page } from 'playwright-core';
import { openWindow, type Window, waitForQuiet } from '../../e2e/tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { percentile } from '../serving/load.ts';
import * as probes from './page-probes.ts';
import { makeLargeType, makeTrainedSample } from './page-types.ts';

const limits = {
  firstPaintMs: 600,
  scriptKb: 410,
  placeMs: 100,
  rulesMs: 150,
  nextRowMs: 50,
  requestsPerLabel: 1.05,
  growthKb: 10,
  frameMs: 50,
};
const places = ['define', 'rules', 'examples', 'import', 'train', 'evaluate', 'try', 'deploy', 'monitor'];
const changes = 200;
const labels = 150;
const print = (line: string) => process.stdout.write(`${line}\n`);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');
const median = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
const p95 = (values: readonly number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.95,
  );

function report(name: string, text: string, value: number, limit: number, unit: string): void {
  print(`| ${name} | ${text} | ≤ ${limit} ${unit}: ${met(value <= limit)} |`);
}

/** Reads how many milliseconds the thread of the page has worked: time that other programs took does not count. */
async function openWorkMeter(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
}

/** Opens the page in windows that have nothing kept, and notes when something, and when the whole place, is seen. */
async function measureFirstPaint(browser: Browser, workbench: RunningWorkbench, hash: string, rounds: number) {
  const painted: number[] = [];
  const there: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addInitScript((token) => {
      window.localStorage.setItem('decision-workbench.session', token);
    }, workbench.token);
    const page = await context.newPage();
    await page.goto(`${workbench.url}/app/${hash}`);
    const times = await page.evaluate(probes.awaitFirstPaint);
    painted.push(times.paintedMs);
    there.push(times.thereMs);
    await context.close();
  }
  const text = `median ${median(painted).toFixed(0)} ms, the place whole after ${median(there).toFixed(0)} ms`;
  report('first paint, nothing kept', text, median(painted), limits.firstPaintMs, 'ms');
}

async function measureScript(page: Page): Promise<void> {
  await page.waitForFunction(probes.hasLoadedAhead);
  const bytes = await page.evaluate(probes.sumScriptBytes);
  const kb = bytes / 1_000;
  report('script without the editor, as sent', `${kb.toFixed(0)} kB`, kb, limits.scriptKb, 'kB');
}

/** Goes round the places of one type; the first round opens each of them for the first time and does not count. */
async function measurePlaces(page: Page, name: string, typeId: string, rounds: number): Promise<void> {
  const times = new Map<string, number[]>(places.map((place) => [place, []]));
  const work = new Map<string, number[]>(places.map((place) => [place, []]));
  const readWorkMs = await openWorkMeter(page);
  for (let round = 0; round <= rounds; round += 1) {
    for (const place of places) {
      const before = await readWorkMs();
      const tookMs = await page.evaluate(probes.changePlace, { hash: `#/types/${typeId}/${place}`, place });
      if (round === 0) continue;
      times.get(place)?.push(tookMs);
      work.get(place)?.push((await readWorkMs()) - before);
    }
  }
  for (const [place, took] of times) {
    const limit = place === 'rules' ? limits.rulesMs : limits.placeMs;
    const text = `median ${median(took).toFixed(0)} ms, p95 ${p95(took).toFixed(0)} ms, own work ${median(work.get(place) ?? []).toFixed(0)} ms`;
    report(`to ${place}, ${name}`, text, median(took), limit, 'ms');
  }
}

/** Labels by key, each time when the row before has gone, and counts what the page asked the server meanwhile. */
async function measureLabels(page: Page, name: string, hash: string): Promise<void> {
  await page.evaluate((next) => {
    window.location.hash = next;
  }, hash);
  await page.locator('.main-text').waitFor();
  await waitForQuiet(page);
  await page.evaluate(probes.watchLabels);
  const asked: string[] = [];
  const note = (request: { url(): string; method(): string }) => asked.push(`${request.method()} ${request.url()}`);
  page.on('request', note);
  const readWorkMs = await openWorkMeter(page);
  const before = await readWorkMs();
  for (let at = 0; at < labels; at += 1) {
    await page.keyboard.press(String((at % 3) + 1));
    await page.waitForFunction((count) => window.nextRowMs.length > count, at);
  }
  await page.getByText('Saved', { exact: true }).waitFor();
  page.off('request', note);
  const workMs = ((await readWorkMs()) - before) / labels;
  const times = await page.evaluate(() => window.nextRowMs);
  const text = `p50 ${median(times).toFixed(0)} ms, p95 ${p95(times).toFixed(0)} ms, own work ${workMs.toFixed(0)} ms a label`;
  report(`next row after a label, ${name}`, text, p95(times), limits.nextRowMs, 'ms');
  const perLabel = asked.length / labels;
  report(`requests for a label, ${name}`, perLabel.toFixed(2), perLabel, limits.requestsPerLabel, '');
}

/** Goes round all places and looks at the heap after forced collections; growth is the slope over all but the first. */
async function measureMemory(page: Page, typeId: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const readHeapKb = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1_000;
  };
  const seen: { change: number; kb: number }[] = [];
  for (let change = 0; change <= changes; change += 1) {
    const place = places[change % places.length] ?? '';
    await page.evaluate(probes.changePlace, { hash: `#/types/${typeId}/${place}`, place });
    if (change >= 2 * places.length && change % places.length === 0) seen.push({ change, kb: await readHeapKb() });
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, meanKb] = [mean(seen.map(({ change }) => change)), mean(seen.map(({ kb }) => kb))];
  const slope =
    seen.reduce((sum, { change, kb }) => sum + (change - middle) * (kb - meanKb), 0) /
    seen.reduce((sum, { change }) => sum + (change - middle) ** 2, 0);
  const [first, last] = [seen[0]?.kb ?? Number.NaN, seen.at(-1)?.kb ?? Number.NaN];
  const text = `${(first / 1_000).toFixed(1)} → ${(last / 1_000).toFixed(1)} MB, ${slope.toFixed(1)} kB a change`;
  report(`memory over ${changes} changes of place`, text, slope, limits.growthKb, 'kB');
}

async function measureScroll(page: Page, typeId: string, rows: number): Promise<void> {
  await page.evaluate((id) => {
    window.location.hash = `#/types/${id}/examples?view=table&queue=all&inspect=no`;
  }, typeId);
  await page.locator('[data-cursor]').waitFor();
  await waitForQuiet(page);
  const readWorkMs = await openWorkMeter(page);
  for (const [name, perFramePx] of [
    ['a row a frame', 30],
    ['a window a frame', 800],
    ['from end to end', (rows * 30) / 600],
  ] as const) {
    const before = await readWorkMs();
    const { longestMs, longFrames, frames } = await page.evaluate(probes.scroll, perFramePx);
    const workMs = ((await readWorkMs()) - before) / frames;
    const text = `longest of ${frames} frames ${longestMs.toFixed(0)} ms, ${longFrames} over ${limits.frameMs} ms, own work ${workMs.toFixed(1)} ms a frame`;
    report(`scrolling ${rows.toLocaleString('en-US')} rows, ${name}`, text, longestMs, limits.frameMs, 'ms');
  }
}

/** The parts of the table, in the order in which they are printed. */
export const pageParts = ['paint', 'script', 'places', 'large', 'labels', 'memory', 'scroll'] as const;
export type PagePart = (typeof pageParts)[number];

/** Prints `parts` of the table; `rounds` are the openings of the page and the rounds through all places. */
export async function measurePage({
  rows,
  rounds,
  parts,
}: {
  rows: number;
  rounds: number;
  parts: readonly PagePart[];
}): Promise<void> {
  const wants = (...names: readonly PagePart[]) => names.some((name) => parts.includes(name));
  const workbench = await startWorkbenchProcess();
  let opened: Window | null = null;
  try {
    const sampleId = wants('paint', 'places', 'memory') ? await makeTrainedSample(workbench) : '';
    const largeId = wants('large', 'labels', 'scroll') ? await makeLargeType(workbench, rows) : '';
    opened = await openWindow(workbench, '#/');
    const { page, browser } = opened;
    print('| page | measured | limit |\n|---|---|---|');
    if (wants('paint')) await measureFirstPaint(browser, workbench, `#/types/${sampleId}/examples`, rounds);
    if (wants('script')) await measureScript(page);
    if (wants('places')) await measurePlaces(page, 'sample', sampleId, rounds);
    if (wants('large')) await measurePlaces(page, '150 options, 25 fields', largeId, rounds);
    if (wants('labels')) await measureLabels(page, 'in order', `#/types/${largeId}/examples?view=card&queue=to-label`);
    if (wants('memory')) await measureMemory(page, sampleId);
    if (wants('scroll')) await measureScroll(page, largeId, rows);
    if (opened.faults.length > 0) throw new Error(`behind the page: ${opened.faults.join('; ')}`);
  } finally {
    await opened?.browser.close();
    await workbench.stop();
  }
}
