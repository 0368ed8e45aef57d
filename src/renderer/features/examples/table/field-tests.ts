/** The filters of the table as the address has them, and in words. */
import type { FieldTest } from '../../../../server/contract/examples/examples.ts';
import { number } from '../../../parts/text/figures.ts';
import { valueText } from '../../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../../parts/text/names.ts';

const maxNamedValues = 3;

/** The tests that an address names; none where it cannot be read, of which the server says what is wrong. */
export function readTests(text = ''): FieldTest[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.filter((test) => typeof test?.field === 'string') : [];
  } catch {
    return [];
  }
}

/** The tests with another one of a field, which has none where nothing is asked of it. */
export function putTest(tests: readonly FieldTest[], test: FieldTest): string {
  const isAsked = Object.entries(test).some(([name, value]) => name !== 'field' && value !== undefined);
  const others = tests.filter(({ field }) => field !== test.field);
  const put = isAsked ? [...others, test] : others;
  return put.length === 0 ? '' : JSON.stringify(put);
}

/** A filter as bulk changes take it; throws where its tests cannot be read, so that it never stands for more rows. */
export function toBulkFilter<F extends { fields?: string | undefined }>({ fields, ...filter }: F) {
  return fields === undefined ? filter : { ...filter, fields: JSON.parse(fields) as FieldTest[] };
}

/** Says what a test asks of its field. */
export function describeTest({ field, min, max, above, below, one_of, contains, empty }: FieldTest): string {
  const bound = (value: number | string) => (typeof value === 'number' ? number(value) : showUnseen(value));
  const parts: string[] = [];
  if (min !== undefined && max !== undefined) parts.push(`${bound(min)} to ${bound(max)}`);
  else if (min !== undefined) parts.push(`at least ${bound(min)}`);
  else if (max !== undefined) parts.push(`at most ${bound(max)}`);
  if (above !== undefined) parts.push(`over ${bound(above)}`);
  if (below !== undefined) parts.push(`under ${bound(below)}`);
  if (one_of) {
    const named = one_of.slice(0, maxNamedValues).map((value) => (value === null ? 'empty' : valueText(value)));
    parts.push(
      [...named, ...(one_of.length > named.length ? [`${one_of.length - named.length} more`] : [])].join(', '),
    );
  }
  if (contains !== undefined) parts.push(`contains “${showUnseen(contains)}”`);
  if (empty !== undefined) parts.push(empty ? 'is empty' : 'is not empty');
  return `${isolate(field)}: ${parts.join(' and ')}`;
}
