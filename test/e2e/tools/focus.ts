/** Where the focus goes by Tab, and whether it can be seen there. */
import type { Page } from 'playwright-core';

const maxPresses = 120;

type Stop = { name: string; fault: string | null };

/**
 * Presses Tab from the beginning of the page until the focus has been everywhere. Names every stop that is out of sight
 * or looks as if it had no focus, and every grid with more than one cursor.
 */
export async function listUnseenFocus(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    document.querySelectorAll('[data-stop]').forEach((each) => void each.removeAttribute('data-stop'));
  });
  const faults: string[] = [];
  for (let press = 0; press < maxPresses; press += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(lookAtFocus);
    if (stop === null) return press === 0 ? ['Tab leads nowhere.'] : faults;
    if (stop.fault !== null) faults.push(`${stop.name}: ${stop.fault}`);
  }
  return faults;
}

/** Looks at what has the focus; null where it has come round. Runs in the page. */
function lookAtFocus(): Stop | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body || element.dataset['stop']) return null;
  element.dataset['stop'] = 'seen';
  const finish = () => {
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
  };
  finish();
  const label = element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40) ?? '';
  const name = `${element.tagName.toLowerCase()}.${element.className} “${label}”`;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isInSight = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  if (!isInSight) return { name, fault: 'has the focus out of sight' };
  const grid = element.closest('.grid');
  const cursors = grid?.querySelectorAll('[data-cursor]').length ?? 0;
  if (cursors > 1) return { name, fault: `shows ${cursors} cursors` };
  const above: Element[] = [];
  for (let each: Element | null = element; each && above.length < 8; each = each.parentElement) above.push(each);
  const looked = [...above, ...[...element.querySelectorAll('*')].slice(0, 400)];
  const look = () => {
    // Reading a style starts the transitions that it is in.
    void getComputedStyle(element).outline;
    finish();
    return looked
      .map((each) => getComputedStyle(each))
      .map((style) => [style.outline, style.boxShadow, style.borderColor, style.backgroundColor].join(' '))
      .join('\n');
  };
  const focused = look();
  element.blur();
  const blurred = look();
  element.focus();
  return { name, fault: focused === blurred ? 'looks as if it had no focus' : null };
}
