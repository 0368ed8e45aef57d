/** Values as people write them: every way that is known is read back as what was meant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from '../../../src/engine/features/dates.ts';
import { findKind, usualReadings } from '../../../src/engine/import/kinds.ts';
import type { ColumnKind } from '../../../src/engine/import/sheet.ts';
import { readDate } from '../../../src/engine/readings/dates.ts';
import { readNumber } from '../../../src/engine/readings/numbers.ts';
import { compileReading } from '../../../src/engine/readings/readings.ts';

type TextKind = Exclude<ColumnKind, 'as_is'>;
const readAs = (kind: TextKind, text: string) => compileReading(usualReadings[kind])(text);
const usesOf = (texts: readonly string[]) => new Map(texts.map((text) => [text, 1]));
const kindOf = (texts: readonly string[], isCommaUsual = false) =>
  findKind(usesOf(texts), isCommaUsual, { name: 'x', year: 2026 });

const day = fc.date({ min: new Date('1970-01-01'), max: new Date('2068-12-31'), noInvalidDate: true });
const toIso = (date: Date) => date.toISOString().slice(0, 10);
const pad = (value: number) => String(value).padStart(2, '0');
const locales = ['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it-IT'];

/** Writers of a date, each with the kinds under which it is read back. */
const numericWriters: [TextKind, (year: number, month: number, day: number) => string][] = [
  ...['.', '/', '-', '. '].flatMap((sign): typeof numericWriters => [
    ['date_day_first', (y, m, d) => `${pad(d)}${sign}${pad(m)}${sign}${y}`],
    ['date_day_first', (y, m, d) => `${d}${sign}${m}${sign}${pad(y % 100)}`],
    ['date_month_first', (y, m, d) => `${m}${sign}${d}${sign}${y}`],
    ['date_year_first', (y, m, d) => `${y}${sign}${pad(m)}${sign}${pad(d)}`],
  ]),
  ['date_year_first', (y, m, d) => `${y}${pad(m)}${pad(d)}`],
];

describe('a date', () => {
  it('of three numbers in any order is read back [FIL-1]', () => {
    fc.assert(
      fc.property(day, fc.constantFrom(...numericWriters), (date, [kind, write]) => {
        const text = write(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
        expect([text, readAs(kind, text)]).toEqual([text, toIso(date)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('with the name of its month, and of its day, is read back in five languages [FIL-1]', () => {
    const styles = [{ month: 'long' }, { month: 'short' }, { month: 'long', weekday: 'long' }] as const;
    fc.assert(
      fc.property(day, fc.constantFrom(...locales), fc.constantFrom(...styles), (date, locale, style) => {
        const options = { day: 'numeric', year: 'numeric', timeZone: 'UTC', ...style } as const;
        const text = new Intl.DateTimeFormat(locale, options).format(date);
        expect([text, readDate(text, 'day_first')]).toEqual([text, toIso(date)]);
        const american = new Intl.DateTimeFormat('en-US', options).format(date);
        expect([american, readDate(american, 'month_first')]).toEqual([american, toIso(date)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('with a time keeps it, as the features read it [FIL-1]', () => {
    for (const [text, iso] of [
      ['03.04.2024 14:05', '2024-04-03T14:05'],
      ['03.04.2024, 14:05:09 Uhr', '2024-04-03T14:05:09'],
      ['3/4/2024 2:05 PM', '2024-04-03T14:05'],
      ['3 avril 2024 9 h 30', '2024-04-03T09:30'],
      ['12/4/2024 12:00 a.m.', '2024-04-12T00:00'],
      ['2024-04-03T14:05:09.123Z', '2024-04-03T14:05:09.123Z'],
      ['2024-04-03 14:05+02:00', '2024-04-03 14:05+02:00'],
    ] as const) {
      expect([text, readDate(text, 'day_first')]).toEqual([text, iso]);
      expect(parseDate(iso)).not.toBeNull();
    }
  });

  it('is read as databases, logs and programs write it [FIL-1]', () => {
    for (const [text, order, iso] of [
      ['24-02-2015 11.35', 'day_first', '2015-02-24T11:35'],
      ['24-FEB-15 11.35.00.123456 AM EUROPE/BERLIN', 'day_first', '2015-02-24T11:35:00'],
      ['24/Feb/2015:11:35:00 +0000', 'day_first', '2015-02-24T11:35:00+00:00'],
      ['24FEB2015:11:35:00', 'day_first', '2015-02-24T11:35:00'],
      ['Tue, 24 Feb 2015 11:35:00 GMT', 'day_first', '2015-02-24T11:35:00Z'],
      ['24 de fevereiro de 2015', 'day_first', '2015-02-24'],
      ['Tue Feb 24 11:35:00 +0000 2015', 'month_first', '2015-02-24T11:35:00+00:00'],
      ['Tue Feb 24 11:35:00 CET 2015', 'month_first', '2015-02-24T11:35:00'],
      ['Tue Feb 24 11:35:00 2015 +0100', 'month_first', '2015-02-24T11:35:00'],
      [
        'Tue Feb 24 2015 11:35:00 GMT+0100 (Central European Standard Time)',
        'month_first',
        '2015-02-24T11:35:00+01:00',
      ],
      ['Feb 24, 2015 at 11:35 AM', 'month_first', '2015-02-24T11:35'],
      ['Feb 24 2015 11:35PM', 'month_first', '2015-02-24T23:35'],
      ['20150224113500', 'year_first', '2015-02-24T11:35:00'],
      ['20150224T113500Z', 'year_first', '2015-02-24T11:35:00Z'],
      ['2015-02-24 11:35:00,123', 'year_first', '2015-02-24T11:35:00'],
      ['2015-02-24 11:35:00 UTC', 'year_first', '2015-02-24T11:35:00Z'],
      ['2015-02-24 11:35:00+00', 'year_first', '2015-02-24T11:35:00+00:00'],
      ['2015. 02. 24.', 'year_first', '2015-02-24'],
    ] as const) {
      expect([text, readDate(text, order)]).toEqual([text, iso]);
      expect([iso, parseDate(iso) !== null]).toEqual([iso, true]);
    }
  });

  it('is none where there is no such day, or the text is something else [FIL-1]', () => {
    for (const text of [
      '31.02.2024',
      '29.02.2023',
      '1.2.3',
      '10.0.0.1',
      '12-34-56',
      '2024',
      '3.4.',
      'ab 3.4.2024',
      'May',
      '3 mayo',
      '1.234.567',
      '25:30',
      '03.04.024',
      '20151324113500',
      '20150224253500',
      '1.2.2024 10.000',
      '24.02.2015 11.75',
    ])
      for (const order of ['day_first', 'month_first', 'year_first'] as const)
        expect([text, readDate(text, order)]).toEqual([text, null]);
  });
});

describe('a column of dates', () => {
  it('has its order settled by all of its values [FIL-1]', () => {
    expect(kindOf(['03.04.2024', '05.06.2024', '13.04.2024'])).toMatchObject({
      kind: 'date_day_first',
      reason: 'day first, as “13.04.2024” shows',
      choices: [],
    });
    expect(kindOf(['03/04/2024', '04/13/2024']).kind).toBe('date_month_first');
    expect(kindOf(['2024/04/03', '2024/13/04']).kind).toBe('text');
    expect(kindOf(['2024-04-03', '2024-04-13']).kind).toBe('date_year_first');
    expect(kindOf(['20240403', '20240413']).kind).toBe('date_year_first');
    expect(kindOf(['3. März 2024', '17. Mai 2024']).kind).toBe('date_day_first');
    expect(kindOf(['03.03.2024', '04.04.2024']).choices).toEqual([]);
  });

  it('is asked about where no value tells day and month apart [FIL-2]', () => {
    expect(kindOf(['03.04.2024', '05.06.2024'])).toMatchObject({
      kind: 'text',
      reason: 'is “03.04.2024” 3 April 2024 or 4 March 2024? No value of the column tells',
      choices: ['date_day_first', 'date_month_first'],
      isDoubtful: true,
    });
  });
});

describe('a number', () => {
  it('is read back with point or comma, thousands apart, money or percent [FIL-1]', () => {
    const locale = fc.constantFrom(...(['en-US', 'de-DE', 'fr-FR', 'es-ES', 'it-IT', 'de-CH'] as const));
    const style = fc.constantFrom<Intl.NumberFormatOptions>(
      {},
      { minimumFractionDigits: 2 },
      { style: 'currency', currency: 'EUR' },
      { style: 'currency', currency: 'USD' },
    );
    fc.assert(
      fc.property(fc.integer({ min: -1e11, max: 1e11 }), locale, style, (hundredths, language, options) => {
        const value = hundredths / 100;
        const text = new Intl.NumberFormat(language, options).format(value);
        const decimal = language === 'en-US' || language === 'de-CH' ? '.' : ',';
        expect([text, readNumber(text, decimal)?.value]).toEqual([text, value]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has its sign where accounts put it, and thousands as India sets them apart [FIL-1]', () => {
    for (const [text, decimal, value, unit] of [
      ['($1,234.56)', '.', -1234.56, '$'],
      ['$ (1,234.56)', '.', -1234.56, '$'],
      ['(400)', '.', -400, ''],
      ['50.00-', '.', -50, ''],
      ['50,00- €', ',', -50, '€'],
      ['50,00 €-', ',', -50, '€'],
      ['-R$ 10,00', ',', -10, 'R$'],
      ['R$ -10,00', ',', -10, 'R$'],
      ['–5', '.', -5, ''],
      ['+15.5', '.', 15.5, ''],
      ['.5', '.', 0.5, ''],
      ['12,34,567.50', '.', 1234567.5, ''],
    ] as const)
      expect([text, readNumber(text, decimal)]).toEqual([text, { value, unit }]);
  });

  it('is none where digits would be lost or it is only built of digits [FIL-1]', () => {
    for (const text of [
      '007',
      '12345678901234567',
      '+491701234567',
      '1,2,3',
      '1 2',
      '€ 5 $',
      '--5',
      '1e999',
      'IV',
      '(-5)',
      '-5-',
      '(5',
      '(1) 5',
      '1,00,00',
      '12.34.56',
      '',
    ])
      expect([text, readNumber(text, '.')]).toEqual([text, null]);
  });

  it('has one unit in its column, and thousands as the rest of the file has them [FIL-1]', () => {
    expect(kindOf(['1.234,50 €', '7,00 €'])).toMatchObject({
      kind: 'number_decimal_comma',
      reason: 'decimal comma, in €',
    });
    expect(kindOf(['12 %', '7,5 %'])).toMatchObject({
      kind: 'number_decimal_comma',
      reason: 'decimal comma, 5 % becomes 5',
    });
    expect(kindOf(['$5', '€ 5'])).toMatchObject({
      kind: 'text',
      reason: '“$5” and “€ 5” have different units; the number alone can be read',
      isDoubtful: true,
    });
    expect(kindOf(['5', '5 %']).kind).toBe('text');
    expect(kindOf(['1.234', '5'])).toMatchObject({ kind: 'number', reason: '“1.234” is taken as 1.234' });
    expect(kindOf(['1.234', '5'], true)).toMatchObject({
      kind: 'number_decimal_comma',
      reason: '“1.234” is taken as 1234',
    });
    expect(kindOf(['0.123', '5'], true).kind).toBe('number');
  });
});

describe('texts that are nearly something else', () => {
  it('stay texts with a word [FIL-1]', () => {
    expect(kindOf(['1E5', '12E3'])).toMatchObject({
      kind: 'text',
      reason: 'codes like “1E5”; as a number it would be 100000',
    });
    expect(kindOf(['1E5', '7'])).toMatchObject({ kind: 'number', reason: '“1E5” is taken as 100000' });
    expect(kindOf(['1e-05', '2.5E+03'])).toMatchObject({ kind: 'number', reason: '' });
    expect(kindOf(['1.234,56 xyz', '7,00 xyz']).reason).toBe(
      '“1.234,56 xyz” looks like an amount, but in no known form',
    );
    expect(kindOf(['24 helmikuuta 2015', '3 maaliskuuta 2015']).reason).toBe(
      '“24 helmikuuta 2015” looks like a date, but in no known form',
    );
    for (const texts of [['A-12', 'B-13'], ['Room 12', 'Room 13'], ['12:30', '13:45'], ['+49 170 1234567']])
      expect([texts, kindOf(texts)]).toMatchObject([
        texts,
        { kind: 'text', reason: '', choices: [], isDoubtful: false },
      ]);
  });
});

describe('words', () => {
  it('for yes and no of the usual languages become booleans, and others stay [FIL-1]', () => {
    for (const [yes, no] of [
      ['ja', 'Nein'],
      ['oui', 'non'],
      ['Sí', 'No'],
      ['si', 'no'],
      ['YES', 'no'],
      ['y', 'n'],
      ['true', 'FALSE'],
      ['wahr', 'falsch'],
    ] as const) {
      expect([yes, kindOf([yes, no]).kind]).toEqual([yes, 'yes_no']);
      expect([readAs('yes_no', yes), readAs('yes_no', no)]).toEqual([true, false]);
    }
    for (const texts of [['ja', 'no'], ['yes', 'no', 'maybe'], ['n'], ['0', '1']])
      expect([texts, kindOf(texts).kind === 'yes_no']).toEqual([texts, false]);
  });

  it('that say there is no value are left empty, and None is a value [FIL-1]', () => {
    for (const text of ['', ' ', 'n/a', 'NA', 'null', '-', 'k.A.', '#N/A', '?'])
      expect([text, readAs('number', text)]).toEqual([text, null]);
    for (const text of ['none', 'NA', 'Null', 'nan']) expect(readAs('text', text)).toBe(text);
    for (const text of ['n/a', '-', '#N/A', '?']) expect(readAs('text', text)).toBeNull();
  });

  it('between numbers or dates are named [FIL-1]', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => String(index));
    expect(kindOf([...numbers, 'unbekannt'])).toMatchObject({
      kind: 'text',
      reason: '40 of 41 values are numbers, but not “unbekannt”',
      choices: [],
      isDoubtful: true,
    });
  });
});
