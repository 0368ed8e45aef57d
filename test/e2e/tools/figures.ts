/** Whether each figure of a page says in a sentence what it is, to the pointer and to the keyboard. */
import type { Page } from 'playwright-core';

export type Figures = { seen: number; unexplained: string[] };

/**
 * Looks at every element that is marked as a figure, or whose own text is a number with its unit at most. It must have
 * a sentence of its own, of what it stands in, or of the heading of its column, and that must take the focus.
 */
export function lookAtFigures(page: Page): Promise<Figures> {
  return page.evaluate(() => {
    const marked =
      '.number, .figure, .facts dd, .matrix td, .short strong, .bars, progress, [role=progressbar], svg.chart';
    // What the reader wrote, a chart's scales (its sentence and table say them), what is typed into or moves through pages.
    const others =
      '.fields, .main-text, .drawing, .cm-editor, [contenteditable], kbd, code, pre, time, textarea, select, .hidden, .cell-rows .clip';
    const ownText = (element: Element) =>
      [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent ?? '')
        .join('')
        .trim();
    const isNumber = (text: string) => /^[\s·(+−-]*\d[\d.,\s]*(?:%|ms|s|MB|✓|of [\d.,]+)?[\s)]*$/.test(text);
    const isSentence = (text: string, of: string) => text.trim() !== '' && text.trim() !== of && /\s/.test(text.trim());
    const takesFocus = (element: Element) => {
      const isFocusable = (each: Element) => each instanceof HTMLElement && each.tabIndex >= 0;
      const title = element.getAttribute('title');
      return (
        isFocusable(element) ||
        [...element.querySelectorAll('[title]')].some(
          (each) => each.getAttribute('title') === title && isFocusable(each),
        ) ||
        (element.classList.contains('number') && element.closest('button') !== null)
      );
    };
    const findHeading = (element: Element): Element | null => {
      const cell = element.closest('td');
      const row = cell?.parentElement;
      if (cell && row) {
        const head = cell.closest('table')?.querySelector('thead tr');
        return head?.children[[...row.children].indexOf(cell)] ?? null;
      }
      const place = Number(element.closest('[role=gridcell]')?.getAttribute('aria-colindex') ?? 0);
      const heads = element.closest('[role=grid]')?.querySelectorAll('[role=columnheader]');
      return heads?.[place - 1]?.querySelector('[title]') ?? null;
    };
    const isExplained = (element: Element): boolean => {
      const text = element.textContent?.trim() ?? '';
      if (element.querySelector(':scope > title')?.textContent) return true;
      const tellers = [findHeading(element)];
      for (let each: Element | null = element; each; each = each.parentElement) tellers.push(each);
      return tellers.some(
        (teller) => teller !== null && isSentence(teller.getAttribute('title') ?? '', text) && takesFocus(teller),
      );
    };
    const figures = [...document.querySelectorAll('.bar *, .rail *, main *, .status *')].filter((element) => {
      if (element.closest(others) || !(element as HTMLElement).checkVisibility?.()) return false;
      // A cell of buttons, and an empty one, show no figure.
      const text = element.textContent?.trim() ?? '';
      const hasFigure = /\d/.test(text) || element.matches('progress, svg');
      if (element.matches(marked)) return hasFigure && element.querySelector('button, .number') === null;
      return isNumber(ownText(element)) && element.querySelector('input') === null;
    });
    return {
      seen: figures.length,
      unexplained: figures
        .filter((element) => !isExplained(element))
        .map(
          (element) => `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent?.slice(0, 60)}`,
        ),
    };
  });
}
