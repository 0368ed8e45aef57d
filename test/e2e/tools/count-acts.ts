import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** What a person would have done with the hands, counted from the events of the page. */
    acts: { clicks: number; keys: number };
  }
}

/** Counts clicks and keys of a page from now on. */
export function startCounting(page: Page): Promise<void> {
  return page.evaluate(() => {
    window.acts = { clicks: 0, keys: 0 };
    const count = (event: Event, kind: 'clicks' | 'keys') => {
      if (event.isTrusted) window.acts[kind] += 1;
    };
    // A click on a label is a second one on its input, but one press.
    window.addEventListener('pointerdown', (event) => count(event, 'clicks'), true);
    window.addEventListener('keydown', (event) => count(event, 'keys'), true);
  });
}

/** Reads what was counted. */
export const readActs = (page: Page) => page.evaluate(() => window.acts);
