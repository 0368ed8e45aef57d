/** What of the drawn text cannot be read: cut off, ink hidden by a box, words broken within, one text over another. */
import type { Page } from 'playwright-core';

/** A line of text of which less is drawn than its letters need. */
type CutInk = { text: string; hiddenPx: number; box: string };

/** Not drawn as text, or drawn by a library that scrolls it. */
const skipped = '.hidden, svg, .cm-editor, textarea, option, script, style, code, pre, .slanted thead';
/** Ink that falls on the edge of a pixel is drawn all the same. */
const tolerancePx = 0.3;

/**
 * Lines in sight whose letters reach beyond a box that hides what is outside of it, above or below. Measured is the ink
 * of the letters, not their box: a line can be too low for its tails while its box still fits.
 */
export function findCutInk(page: Page): Promise<CutInk[]> {
  return page.evaluate(
    ([tolerance, skipped]) => {
      const context = document.createElement('canvas').getContext('2d');
      if (!context) throw new Error('no canvas');
      const hides = (style: CSSStyleDeclaration) =>
        ['hidden', 'clip'].includes(style.overflowY) || /paint|content|strict/.test(style.contain);
      /** The boxes around an element, up to the one in which it is scrolled. */
      const listBoxes = (element: Element | null): HTMLElement[] => {
        if (!(element instanceof HTMLElement)) return [];
        const style = getComputedStyle(element);
        if (['auto', 'scroll'].includes(style.overflowY)) return [];
        return [...(hides(style) ? [element] : []), ...listBoxes(element.parentElement)];
      };
      const found: CutInk[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        const text = node.nodeValue ?? '';
        if (!element?.checkVisibility({ checkOpacity: true }) || text.trim() === '') continue;
        if (element.closest(skipped) || element.getBoundingClientRect().width < 3) continue;
        const style = getComputedStyle(element);
        if (!style.writingMode.startsWith('horizontal')) continue;
        const boxes = listBoxes(element);
        if (boxes.length === 0) continue;
        context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        // A line for each run of letters at one height.
        const lines = new Map<number, { drawn: string; rect: DOMRect }>();
        range.selectNodeContents(node);
        const rects = [...range.getClientRects()];
        const [whole] = rects;
        const isOneLine = new Set(rects.map(({ top }) => Math.round(top))).size === 1;
        if (whole && isOneLine) lines.set(0, { drawn: text, rect: whole });
        // A line in the middle of its boxes needs no letters.
        const edges = boxes.flatMap((box) => [box.getBoundingClientRect().top, box.getBoundingClientRect().bottom]);
        const isNear = ({ top, bottom, height }: DOMRect) =>
          edges.some((edge) => edge > top - height && edge < bottom + height);
        if (!isOneLine && !rects.some(isNear)) continue;
        let at = 0;
        for (const letter of lines.size > 0 ? '' : text) {
          range.setStart(node, at);
          range.setEnd(node, at + letter.length);
          at += letter.length;
          const rect = range.getBoundingClientRect();
          if (rect.width === 0) continue;
          const line = lines.get(Math.round(rect.top)) ?? { drawn: '', rect };
          lines.set(Math.round(rect.top), { ...line, drawn: line.drawn + letter });
        }
        for (const { drawn, rect } of lines.values()) {
          const ink = context.measureText(drawn);
          const baseline = rect.top + ink.fontBoundingBoxAscent;
          const top = baseline - ink.actualBoundingBoxAscent;
          const bottom = baseline + ink.actualBoundingBoxDescent;
          for (const box of boxes) {
            const outer = box.getBoundingClientRect();
            const { borderTopWidth, borderBottomWidth, overflowY, overflowClipMargin } = getComputedStyle(box);
            const marginPx = overflowY === 'clip' ? Number.parseFloat(overflowClipMargin) || 0 : 0;
            const from = outer.top + Number.parseFloat(borderTopWidth) - marginPx;
            const to = outer.bottom - Number.parseFloat(borderBottomWidth) + marginPx;
            // A line that is out of the box altogether was scrolled away, or left out by a number of lines.
            const isClamped = getComputedStyle(box).webkitLineClamp !== 'none';
            if (isClamped && rect.top + rect.height / 2 > outer.bottom) break;
            if (bottom <= from + tolerance || top >= to - tolerance || to - from < 3) continue;
            const hiddenPx = Math.max(from - top, bottom - to);
            if (hiddenPx <= tolerance) continue;
            found.push({ text: drawn, hiddenPx: Math.round(hiddenPx * 10) / 10, box: box.className });
            break;
          }
        }
      }
      return found;
    },
    [tolerancePx, skipped] as const,
  );
}

/** Words and numbers of up to this many characters find room in one line anywhere. */
const maxWordCharacters = 24;

/** Words and numbers in sight of which a part stands on the next line, with the break as a slash. */
export function findBrokenWords(page: Page): Promise<string[]> {
  return page.evaluate(
    ([maxCharacters, skipped]) => {
      const found: string[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        // The beginning of a long text stands for all of it.
        const text = (node.nodeValue ?? '').slice(0, 1_000);
        if (!element?.checkVisibility({ checkOpacity: true })) continue;
        if (element.closest(skipped) || element.getBoundingClientRect().width < 3) continue;
        if (!getComputedStyle(element).writingMode.startsWith('horizontal')) continue;
        for (const word of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
          if (word[0].length > maxCharacters || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]/u.test(word[0]))
            continue;
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          if (
            new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)))
              .size < 2
          )
            continue;
          let broken = '';
          let last = 0;
          for (let at = 0; at < word[0].length; at += 1) {
            range.setStart(node, word.index + at);
            range.setEnd(node, word.index + at + 1);
            const { top, width } = range.getBoundingClientRect();
            if (at > 0 && width > 0 && Math.round(top) > Math.round(last)) broken += '/';
            if (width > 0) last = top;
            broken += word[0][at];
          }
          if (broken.includes('/')) found.push(broken);
        }
      }
      return found;
    },
    [maxWordCharacters, skipped] as const,
  );
}

/** Texts, also in fields, of which a part is hidden by their box although nothing says them whole on hover. */
export function findCutTexts(page: Page): Promise<string[]> {
  return page.evaluate((skipped) => {
    const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
    const isCut = (element: HTMLElement) => {
      if (element instanceof HTMLSelectElement) return true;
      const { overflowX, overflowY } = getComputedStyle(element);
      const isWider = hides(overflowX) && element.scrollWidth > element.clientWidth + 1;
      return isWider || (hides(overflowY) && element.scrollHeight > element.clientHeight + 2);
    };
    const hasText = (element: HTMLElement) =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    const isField = (element: HTMLElement): element is HTMLInputElement | HTMLSelectElement =>
      element.matches('input[type=text], input:not([type]), select');
    const read = (element: HTMLElement) => (isField(element) ? element.value : element.innerText);
    const all = [...document.body.querySelectorAll<HTMLElement>('*')];
    // A field says the whole of it where the pointer comes.
    for (const field of all.filter(isField)) field.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    return all
      .filter((element) => hasText(element) || isField(element))
      .filter((element) => element.checkVisibility({ checkOpacity: true }) && element.clientWidth > 2)
      .filter((element) => !element.closest(`[title], ${skipped}`))
      .filter((element) => isCut(element) || (element.parentElement && isCut(element.parentElement)))
      .map((element) => `${element.tagName.toLowerCase()} ${read(element).slice(0, 60)}`);
  }, skipped);
}

/** What a chart names may also lie over another. */
const skippedOver = '.hidden, .cm-editor, textarea, option, script, style, .slanted thead';

/** Pairs of texts in sight of which one is drawn over the other. */
export function findOverlaps(page: Page): Promise<string[]> {
  return page.evaluate(
    ([leastPx, skipped]) => {
      const drawn: { element: Element; text: string; box: DOMRect }[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        const text = node.nodeValue?.trim() ?? '';
        if (text === '' || !element?.checkVisibility({ checkOpacity: true }) || element.closest(skipped)) continue;
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) if (box.width > leastPx) drawn.push({ element, text, box });
      }
      drawn.sort((a, b) => a.box.top - b.box.top);
      const isOpaque = (element: Element) => !/^rgba\(.*, 0(\.\d+)?\)$/.test(getComputedStyle(element).backgroundColor);
      const found = new Set<string>();
      for (const [at, one] of drawn.entries()) {
        for (const other of drawn.slice(at + 1)) {
          if (other.box.top > one.box.bottom) break;
          const [left, right] = [Math.max(one.box.left, other.box.left), Math.min(one.box.right, other.box.right)];
          const [top, bottom] = [Math.max(one.box.top, other.box.top), Math.min(one.box.bottom, other.box.bottom)];
          // Lines of one text stand closer than the boxes of their letters are high.
          if (right - left < leastPx || bottom - top < 2 * leastPx || one.element === other.element) continue;
          const chart = one.element.closest('svg');
          const stack = document.elementsFromPoint((left + right) / 2, (top + bottom) / 2);
          const places = [one, other].map(({ element }) => stack.indexOf(element)).sort((a, b) => a - b);
          // Scrolled out of its box, or under a ground of its own; a chart has neither.
          const isHidden = places[0] === -1 || stack.slice(places[0], places[1]).some(isOpaque);
          if (isHidden && (chart === null || chart !== other.element.closest('svg'))) continue;
          found.add(`${one.text.slice(0, 40)} | ${other.text.slice(0, 40)}`);
        }
      }
      return [...found];
    },
    [3, skippedOver] as const,
  );
}
