import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { featurePlanSchema } from '../../../src/engine/features/plan.ts';
import { readPlaces, toReadablePlace, toReadableText } from '../../../src/engine/features/readable-text.ts';

type Case = { name: string; text: string; readable: string };
const cases = JSON.parse(readFileSync(new URL('../../cases/readable-text.json', import.meta.url), 'utf8')) as Case[];

describe('a text that is HTML is read as what a person sees of it, as the shared cases say [FEA-7]', () => {
  it.each(cases)('$name', ({ text, readable }) => {
    expect(toReadableText(text)).toBe(readable);
    const reading = readPlaces(text);
    if (reading === null) return;
    expect(reading.text).toBe(readable);
    for (const [at, start] of reading.starts.entries()) {
      const end = reading.ends[at] ?? 0;
      expect(end).toBeGreaterThan(start);
      // A character that is copied has its own place, from which it is found again.
      if (text.slice(start, end) === readable[at]) expect(toReadablePlace(reading, start)).toBe(at);
    }
  });

  it.each(['<a "', '<!--', '<script>', '<p ', 'a </', '&#1', '<style> </', '<b><!--', ' \n', '&aaaaaaa'])(
    'reads many of %j in time that grows with their number',
    (unit) => {
      const measure = (size: number) => {
        const text = `<p>${unit.repeat(size / unit.length)}`;
        const start = process.cpuUsage();
        toReadableText(text);
        const { user, system } = process.cpuUsage(start);
        return (user + system) / 1_000;
      };
      measure(60_000);
      // In squared time four times the text takes sixteen times as long.
      expect(measure(240_000)).toBeLessThan(12 * Math.max(10, measure(60_000)));
    },
  );
});

describe('a plan says whether HTML is read so [FEA-7]', () => {
  const html = (at: number) => `<p>Ticket ${at}: it does <b>not</b> work &amp; I wait</p>`;
  const plain = (at: number) => `Ticket ${at}: it does not work & I wait`;

  it('is said where a fifth of the texts is HTML, and not where it is one of many', () => {
    const rows = (share: number) =>
      Array.from({ length: 100 }, (_, at) => ({ body: at < share * 100 ? html(at) : plain(at) }));
    expect(inferPlan(rows(1), null).text).toMatchObject({ fields: [['body']], markup: true });
    expect(inferPlan(rows(0.2), null).text).toMatchObject({ markup: true });
    expect(inferPlan(rows(0.1), null).text).not.toHaveProperty('markup');
    expect(inferPlan(rows(0), null).text).not.toHaveProperty('markup');
  });

  it('reads as before under a plan that says nothing', () => {
    const text = { fields: [['body']], ngrams: null, encoder: null };
    const plan = { format: 1, fields: [], tabular_size: 0, left_out: [], text };
    const readBy = (parsed: unknown) =>
      compileFeatures(featurePlanSchema.parse(parsed)).joinText({ body: html(1) }).text;
    expect(readBy(plan)).toBe(html(1));
    expect(readBy({ ...plan, text: { ...text, markup: true } })).toBe(plain(1));
    expect(featurePlanSchema.safeParse({ ...plan, text: { ...text, markup: false } }).success).toBe(false);
  });
});
