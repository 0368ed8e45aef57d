/** Numbers as people write them: signs before and behind, thousands set apart, a decimal comma, money, percent. */

export type DecimalSign = '.' | ',';
/** `unit` is empty, `%`, or the money as it is written. */
type WrittenNumber = { value: number; unit: string };

const codes =
  'EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|CAD|AUD|NZD|SGD|HKD|TWD|INR|CNY|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|AED|SAR';
const unit = `(?:US|CA|AU|NZ|HK|NT|MX|R|A|C|S)?\\$(?:US|CA|AU)?|[€£¥₹₩₽₺₫฿₪₦₱₴]|${codes}|Fr\\.|kr\\.?|zł|Kč|Ft|lei|Rs\\.?|Rp\\.?|%`;

/** The patterns of a written number, which the Python package reads by as well. */
export const numberPatterns = {
  /** Most numbers are as plain as this under either sign. */
  plain: /^-?(?:0|[1-9]\d{0,14})$/,
  /** The amount in brackets of an account, which is negative: before, within, after. */
  bracketed: new RegExp(`^(${unit}|) ?\\( ?([^()+-]+?) ?\\) ?(${unit}|)$`),
  /** Sign, unit, sign, digits, sign, unit, sign. */
  signed: new RegExp(
    `^([+-]?) ?(${unit}|) ?([+-]?)([.,]?\\d(?:[\\d.,'’ ]*\\d)?(?:[eE][+-]?\\d+)?)(-?) ?(${unit}|)(-?)$`,
  ),
  /** Digits with a decimal point, and thousands (as in India as well) set apart. */
  point: /^(?:[1-9]\d{0,2}([, '’])\d{3}(?:\1\d{3})*|[1-9]\d?(?:,\d{2})+,\d{3}|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  comma: /^(?:[1-9]\d{0,2}([. '’])\d{3}(?:\1\d{3})*|\d+)?(?:,\d+)?(?:[eE][+-]?\d+)?$/,
  /** `007` and the like are names, not numbers: the zeros would be lost. */
  zeroFirst: /^0\d/,
  /** A plus before this many digits is a telephone number. */
  telephone: /^\+\d{10,}$/,
} as const;
/** A whole number of more digits loses some of them. */
export const maxNumberDigits = 15;
/** No longer text is a number. */
export const maxNumberLength = 40;

/** Reads a number whose decimals follow the given sign; null if the text is not one. */
export function readNumber(text: string, decimal: DecimalSign): WrittenNumber | null {
  const { plain, bracketed, signed, point, comma, zeroFirst, telephone } = numberPatterns;
  if (plain.test(text)) return { value: Number(text), unit: '' };
  if (text.length > maxNumberLength || telephone.test(text)) return null;
  const simple = text.replace(/[\u00a0\u2009\u202f]/g, ' ').replace(/[−–]/g, '-');
  const inBrackets = bracketed.exec(simple);
  const [, sign1 = '', before = '', sign2 = '', digits = '', sign3 = '', after = '', sign4 = ''] =
    signed.exec(inBrackets === null ? simple : `${inBrackets[1]}-${inBrackets[2]}${inBrackets[3]}`) ?? [];
  const sign = sign1 + sign2 + sign3 + sign4;
  if (digits === '' || sign.length > 1 || (before !== '' && after !== '')) return null;
  if (!(decimal === '.' ? point : comma).test(digits) || zeroFirst.test(digits)) return null;
  const joined = digits.replace(decimal === '.' ? /[, '’]/g : /[. '’]/g, '').replace(',', '.');
  if (/^\d+$/.test(joined) && joined.length > maxNumberDigits) return null;
  const value = Number(sign === '-' ? `-${joined}` : joined);
  return Number.isFinite(value) ? { value, unit: before + after } : null;
}
