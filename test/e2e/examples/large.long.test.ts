/** Much of everything: 150 options, 25 fields, tens of thousands of rows, and names that mean harm. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

/** `LARGE_ROWS=100000` is the long form. */
const rowCount = Number(process.env.LARGE_ROWS ?? 20_000);
const perCall = 5_000;
const frameCount = 120;
/** Less than the page takes for a rest. */
const longFrameMs = 40;
const hostile = ['<img src=x onerror=alert(1)>', '__proto__x', 'a'.repeat(180), 'שלום rtl', 'ünïcödé 🎈'];
const options = [...hostile, ...Array.from({ length: 145 }, (_, index) => `option ${index}`)];

describe('much of everything', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  const page = () => opened.page;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const name = '<script>alert("type")</script>';
    const turned = await workbench.call('POST', '/api/v1/decision-types', { name, options: [...options, '\u202ertl'] });
    expect([turned.status, JSON.stringify(turned.body)]).toEqual([422, expect.stringContaining('U+202E')]);
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    expect(made.status).toBe(201);
    const path = `/api/v1/decision-types/${made.body.id}`;
    const fields = Array.from({ length: 24 }, (_, index) => `field ${index}`);
    for (let at = 0; at < rowCount; at += perCall) {
      const examples = Array.from({ length: Math.min(perCall, rowCount - at) }, (_, index) => ({
        input: {
          text: `row ${at + index} of a long list`,
          ...Object.fromEntries(fields.map((name, place) => [name, at + index + place])),
        },
        decision: options[(at + index) % options.length],
      }));
      const added = await workbench.call('POST', `${path}/examples`, { examples });
      expect(added.status).toBe(201);
    }
    opened = await openWindow(workbench, `#/types/${made.body.id}/examples?view=table&queue=all`);
  }, 300_000);
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('the rows are all there, from the first to the last, and few exist at a time', async () => {
    await page()
      .getByText(`${rowCount.toLocaleString('en-US')} rows`)
      .waitFor();
    await page().locator('[data-cursor]').waitFor();
    await page().keyboard.press('End');
    await page().getByText('row 0 of a long list').first().waitFor();
    expect(await page().getByRole('row').count()).toBeLessThan(80);
  });

  test('scrolling through all of them costs about as much a frame as through the first tenth', async () => {
    const devtools = await page().context().newCDPSession(page());
    // The time of the thread itself: other programs on the machine do not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const readSeconds = async () =>
      (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    const scroll = async (part: number) => {
      const before = await readSeconds();
      await page().evaluate(
        async ([count, share]) => {
          const grid = document.querySelector('[role=grid]');
          if (!grid) throw new Error('no grid');
          for (let step = 0; step < count; step += 1) {
            grid.scrollTop = (grid.scrollHeight * share * step) / count;
            await new Promise(requestAnimationFrame);
          }
        },
        [frameCount, part] as const,
      );
      return ((await readSeconds()) - before) * (1_000 / frameCount);
    };
    const tenthMs = await scroll(0.1);
    const allMs = await scroll(1);
    process.stdout.write(
      `${rowCount} rows: ${allMs.toFixed(1)} ms a frame, the first tenth ${tenthMs.toFixed(1)} ms\n`,
    );
    expect(tenthMs).toBeGreaterThan(0);
    expect(allMs / tenthMs).toBeLessThan(4);
  });

  test('rows that a scroll only passes are not asked for', async () => {
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(request.url());
    page().on('request', note);
    // A frame that a busy machine takes long for is a moment of rest.
    const rests = await page().evaluate(
      async ([count, longMs]) => {
        const grid = document.querySelector('[role=grid]');
        if (!grid) throw new Error('no grid');
        let long = 0;
        for (let step = count; step >= 0; step -= 1) {
          const startedMs = performance.now();
          grid.scrollTop = (grid.scrollHeight * step) / count;
          await new Promise(requestAnimationFrame);
          if (performance.now() - startedMs > longMs) long += 1;
        }
        return long;
      },
      [frameCount, longFrameMs] as const,
    );
    await waitForQuiet(page());
    page().off('request', note);
    // The way back passes all pages of rows; only those where it rested a moment are read.
    expect(asked.length).toBeLessThan(rowCount / 100 / 4 + 2 * rests);
  });

  test('150 options are chosen by typing, and names are shown as they are', async () => {
    await page().getByRole('button', { name: 'Close the inspector' }).click();
    await page().getByText('Card', { exact: true }).click();
    await page().locator('.main-text').waitFor();
    expect(await page().locator('.choice').count()).toBe(9);
    await page()
      .getByText(hostile[0] ?? '', { exact: true })
      .first()
      .waitFor();
    await page().keyboard.press('/');
    await page().keyboard.type('option 144');
    expect(await page().locator('.choice').allInnerTexts()).toEqual([expect.stringContaining('option 144')]);
    await page().keyboard.press('Enter');
    await page().getByText('Saved', { exact: true }).waitFor();
    await page().getByText('Labelled option 144').first().waitFor({ state: 'attached' });
  });

  test('no place is wider than the window', async () => {
    for (const place of ['Define', 'Rules', 'Train', 'Evaluate', 'Deploy', 'Monitor']) {
      await goToPlace(page(), place);
      const over = await page().evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([place, over]).toEqual([place, 0]);
    }
  });

  test('nothing went wrong behind the page, and no name was run', () => {
    expect(opened.faults).toEqual([]);
  });
});
