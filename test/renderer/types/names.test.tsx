/** Names that people give stand in the sentences of the page and turn none of them. */
import { cleanup, screen } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { OptionName } from '../../../src/renderer/parts/option.tsx';
import { summariseInput, valueText } from '../../../src/renderer/parts/text/inputs.ts';
import { isolate, quoteNames, showUnseen } from '../../../src/renderer/parts/text/names.ts';
import { openPage, show } from '../page.tsx';

afterEach(cleanup);

const turning = /[\u202a-\u202e\u2066-\u2069]/;
/** Any text, with the signs that turn directions more often than chance has them. */
const texts = fc
  .array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\u202e', '\u2066', '\u2069', '\u200f', 'א', '\u0007')),
  )
  .map((pieces) => pieces.join(''));

describe('a name', () => {
  it('shows what cannot be seen by its number', () => {
    expect(showUnseen('pay \u202Eesufer\u0007')).toBe('pay [U+202E]esufer[U+0007]');
    expect(showUnseen('no\u200bthing')).toBe('no[U+200B]thing');
  });

  it('keeps its lines, its accents and its emoji', () => {
    const text = 'two\nlines\tof c̈ō 👩‍👩‍👧 and Straße';
    expect(showUnseen(text)).toBe(text);
  });

  it('stands between isolates only where it is written from right to left', () => {
    expect(isolate('refund')).toBe('refund');
    expect(isolate('החזר')).toBe('\u2068החזר\u2069');
  });

  it('holds nothing that turns or ends its surroundings, whatever it is', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const isolated = isolate(text);
        const inside = isolated.startsWith('\u2068') ? isolated.slice(1, -1) : isolated;
        expect(inside).not.toMatch(turning);
        expect(inside).toBe(showUnseen(text));
        // What a person can read of it is all there.
        for (const letter of text.match(/\p{L}/gu) ?? []) expect(inside).toContain(letter);
      }),
    );
  });
});

describe('a sentence of the server', () => {
  it('quotes its names as the page does, and none turns what follows', () => {
    expect(quoteNames('Rule «pay» matched, so «החזר» was used.')).toBe(
      'Rule “pay” matched, so “\u2068החזר\u2069” was used.',
    );
    expect(quoteNames('Rule «\u202Eyap» matched.')).toBe('Rule “[U+202E]yap” matched.');
    expect(quoteNames('The label "pay" is suspect.')).toBe('The label “pay” is suspect.');
  });
});

describe('values of an input', () => {
  it('are shown with what cannot be seen', () => {
    expect(valueText('\u202Ecba')).toBe('[U+202E]cba');
    expect(valueText(['\u202E'])).toBe('["[U+202E]"]');
  });

  it('keep their places in a summary', () => {
    expect(summariseInput({ שדה: 'ערך', amount: 3 })).toBe('\u2068שדה\u2069: \u2068ערך\u2069 · amount: 3');
  });
});

describe('an option', () => {
  it('is named whole on hover, with what cannot be seen', () => {
    const page = openPage(async () => new Response('{}'));
    show(<OptionName typeId="t" option={'pay \u202Eesufer'} />, page);
    expect(screen.getByTitle('pay [U+202E]esufer').textContent).toBe('pay [U+202E]esufer');
  });
});
