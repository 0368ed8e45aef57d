/** The editor of a condition: what it offers while one types, and whether its own windows can be read. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow, pictures, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Contrast = { what: string; ratio: number };

/** The contrast of each text below `root` with its ground, and of each mark under the text of an editor. */
function measure(page: Page, root: string): Promise<{ texts: Contrast[]; marks: Contrast[] }> {
  return page.evaluate((where) => {
    type Colour = [red: number, green: number, blue: number, alpha: number];
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const read = (colour: string): Colour => {
      if (!canvas) throw new Error('no canvas');
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const lay = (over: Colour, under: Colour): Colour => {
      const mix = (at: 0 | 1 | 2) => over[at] * over[3] + under[at] * (1 - over[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const groundOf = (element: Element | null): Colour => {
      if (!element) return [255, 255, 255, 1];
      const own = read(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : lay(own, groundOf(element.parentElement));
    };
    const light = (colour: Colour) => {
      const [red = 0, green = 0, blue = 0] = colour
        .slice(0, 3)
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ratio = (colour: string, element: Element) => {
      const ground = groundOf(element);
      const [a, b] = [light(lay(read(colour), ground)), light(ground)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const ownText = (element: Element) =>
      [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.textContent : '')).join('');
    const texts = [...document.querySelectorAll(`${where} *`)]
      .filter((element) => ownText(element).trim() !== '' && element.getClientRects().length > 0)
      .map((element) => ({
        what: ownText(element).trim(),
        ratio: ratio(getComputedStyle(element).color, element),
      }));
    const marks = [...document.querySelectorAll('.cm-lintRange')].map((mark) => ({
      what: mark.className.replace('cm-lintRange cm-lintRange-', ''),
      ratio: ratio(getComputedStyle(mark).textDecorationColor, mark),
    }));
    return { texts, marks };
  }, root);
}

describe.each(['light', 'dark'] as const)('the editor of a condition, %s', (theme) => {
  let workbench: RunningWorkbench;
  let opened: Awaited<ReturnType<typeof openWindow>>;
  let page: Page;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const rules = [
      { name: 'first', condition: 'ctx.tier == "gold"', then: 'yes', reason_code: null, priority: 1 },
      { name: 'second', condition: 'ctx.tier == "gold" && ctx.amount > 5', then: 'no', reason_code: null, priority: 2 },
    ];
    const body = { name: 'tiers', options: ['yes', 'no'], rules };
    const { id } = (await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', body)).body;
    const examples = Array.from({ length: 60 }, (_, place) => ({
      input: { tier: ['gold', 'old "silver"'][place % 2], 'unit price': place, amount: place, größe: 'a' },
      decision: place % 2 === 0 ? 'yes' : 'no',
    }));
    await workbench.call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    const look = { colorScheme: theme, reducedMotion: 'reduce' } as const;
    opened = await openWindow(workbench, `#/types/${id}/rules?code=open`, look);
    page = opened.page;
    await page.locator('.cm-content').waitFor();
    await waitForQuiet(page);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  const lines = () => page.locator('.cm-content');
  const written = () => lines().innerText();
  const offers = () => page.locator('.cm-tooltip-autocomplete li');
  async function write(condition: string): Promise<void> {
    await lines().click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(condition);
  }

  const isReadable = async (root: string) => {
    const { texts, marks } = await measure(page, root);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(marks.filter(({ ratio }) => ratio < 3)).toEqual([]);
    return marks.map(({ what }) => what);
  };

  test('offers every field, as it must be written, and the values that occur inside quotes', async () => {
    await write('ctx.');
    await expect
      .poll(async () => (await offers().allTextContents()).map((line) => line.replace(/(text|number)$/, '')))
      .toEqual(['tier', 'unit price', 'amount', 'größe']);
    await isReadable('.cm-tooltip-autocomplete');
    await page.keyboard.type('unit');
    await expect.poll(() => offers().count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(written).toBe('ctx["unit price"]');
    await write('ctx.tier == "');
    await expect.poll(() => offers().allTextContents()).toEqual(['old "silver"value', 'goldvalue']);
    await isReadable('.cm-tooltip-autocomplete');
    await page.keyboard.type('old');
    await page.keyboard.press('Enter');
    await expect.poll(written).toBe('ctx.tier == "old \\"silver\\""');
  });

  test('marks a problem and a doubt, and says on hover what they are, so that it can be read', async () => {
    const mark = page.locator('.cm-lintRange').first();
    const hover = '.cm-tooltip-lint';
    for (const [condition, kind, said] of [
      ['ctx.tier = "gold"', 'error', 'A single = does not compare.'],
      ['ctx.amuont > 5', 'warning', 'amuont'],
    ] as const) {
      await write(condition);
      await page.locator(`.cm-lintRange-${kind}`).first().waitFor();
      const pointAtMark = async () => {
        // A mark that is drawn again below a pointer at rest says nothing until the pointer moves again.
        await page.mouse.move(0, 0);
        // The text lies over the mark.
        await mark.hover({ force: true });
        const shown = page.locator(hover).filter({ hasText: said }).first();
        return shown.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      };
      await expect.poll(pointAtMark).toBe(true);
      expect(await isReadable(hover)).toContain(kind);
      await page.screenshot({ path: join(pictures, `editor-${kind}-${theme}.png`) });
    }
    expect(opened.faults).toEqual([]);
  });
});
