/** The values of the condition table as they are typed: without quotation marks wherever that is clear. */
import type { TableRow } from '../../../engine/rules/analysis/table.ts';

type Literal = string | number | boolean | null;

export const tests: readonly { test: TableRow['test']; text: string }[] = [
  { test: '==', text: 'is' },
  { test: '!=', text: 'is not' },
  { test: '<', text: 'is less than' },
  { test: '<=', text: 'is at most' },
  { test: '>', text: 'is more than' },
  { test: '>=', text: 'is at least' },
  { test: 'in', text: 'is one of' },
  { test: 'contains', text: 'contains' },
  { test: 'startsWith', text: 'starts with' },
  { test: 'endsWith', text: 'ends with' },
  { test: 'present', text: 'is given' },
  { test: 'absent', text: 'is not given' },
];

/** Reads one value: a number, true, false, null or a JSON text where it is one, else the text itself. */
export function readValue(text: string, textField: boolean): Literal {
  const trimmed = text.trim();
  if (/^"(?:[^"\\]|\\.)*"$/.test(trimmed)) {
    try {
      return JSON.parse(trimmed) as string;
    } catch {
      // Not a JSON text after all: what was typed is the value.
      return text;
    }
  }
  if (textField) return text;
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  if (trimmed === 'null') return null;
  const number = /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** The shortest text that `readValue` reads as this value. */
export function valueText(value: Literal, textField: boolean): string {
  if (typeof value !== 'string') return String(value);
  return readValue(value, textField) === value ? value : JSON.stringify(value);
}

/** Reads values between commas; a value in quotation marks may hold commas. */
export function readList(text: string, textField: boolean): Literal[] {
  return [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"|[^,]*)\s*(?:,|$)/g)]
    .map((match) => (match[1] ?? '').trim())
    .filter((part) => part !== '')
    .map((part) => readValue(part, textField));
}

/** The text that `readList` reads as these values. */
export function listText(values: readonly Literal[], textField: boolean): string {
  return values
    .map((value) =>
      typeof value === 'string' && (value.trim() !== value || value === '' || /[",]/.test(value))
        ? JSON.stringify(value)
        : valueText(value, textField),
    )
    .join(', ');
}

/** The row with another comparison; its value is kept as far as the new one can have it. */
export function changeTest(row: TableRow, test: TableRow['test']): TableRow {
  const { path } = row;
  const values: Literal[] = 'value' in row ? (Array.isArray(row.value) ? row.value : [row.value]) : [];
  const [value = ''] = values;
  if (test === 'present' || test === 'absent') return { path, test };
  if (test === 'in') return { path, test, value: values };
  if (test === 'contains' || test === 'startsWith' || test === 'endsWith') return { path, test, value: String(value) };
  return { path, test, value };
}
