/** Inputs as people read them. */
import { number } from './figures.ts';
import { isolate, showUnseen } from './names.ts';

type Input = Readonly<Record<string, unknown>>;

/** A value in one line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return showUnseen(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return number(value);
  return showUnseen(JSON.stringify(value));
}

/** A text of at most `maxLength` UTF-16 units, with a sign where it was cut; no character is cut in half. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The fields of an input by dotted path, objects opened. */
export function flattenInput(input: Input, above = ''): { path: string; value: unknown }[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? flattenInput(value as Input, path) : [{ path, value }];
  });
}

const minTextLength = 40;

/** The field that is most likely the text to read: the longest string with spaces; null where there is none. */
export function findMainText(input: Input): { path: string; value: string } | null {
  const texts = flattenInput(input).filter(
    (field): field is { path: string; value: string } =>
      typeof field.value === 'string' && (field.value.length >= minTextLength || field.value.includes(' ')),
  );
  return texts.sort((a, b) => b.value.length - a.value.length)[0] ?? null;
}

/** An input in one line: its only text or its longest as it is, then its other fields by name. */
export function summariseInput(input: Input): string {
  const main = findMainText(input);
  const all = flattenInput(input);
  const [only] = all;
  if (all.length === 1 && typeof only?.value === 'string') return showUnseen(only.value);
  const others = all.filter(({ path }) => path !== main?.path);
  const fields = others.map(({ path, value }) => `${isolate(path)}: ${isolate(valueText(value))}`);
  return [...(main === null ? [] : [isolate(main.value)]), ...fields].join(' · ');
}
