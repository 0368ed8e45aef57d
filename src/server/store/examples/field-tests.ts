/** Tests of the fields of an input as conditions of SQL on the JSON that is stored. */
import { foldCase } from '../../../engine/code-points.ts';
import type { FieldTest } from '../../contract/examples/examples.ts';

type Condition = { sql: string; values: (string | number)[] };

const comparisons = [
  ['min', '>='],
  ['max', '<='],
  ['above', '>'],
  ['below', '<'],
] as const;
const empty = ['null', '""', '[]'];

/** A field as JSON, null where it is missing: one that has the whole path as its name comes first. */
function readField(field: string): Condition {
  const paths = [[field], ...(field.includes('.') ? [field.split('.')] : [])];
  // JSON writes a name as a path of SQLite has it, whatever its characters.
  const values = paths.map((path) => `$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`);
  return { sql: paths.length === 1 ? 'input -> ?' : 'coalesce(input -> ?, input -> ?)', values };
}

/** Returns the conditions that an example meets where it passes a test: one for each part that the test has. */
export function toFieldConditions(test: FieldTest): Condition[] {
  const { sql: json, values: paths } = readField(test.field);
  const value = `(${json} ->> '$')`;
  const conditions: Condition[] = [];
  for (const [name, sign] of comparisons) {
    const bound = test[name];
    if (bound === undefined) continue;
    // In SQLite every number is less than every text: each is compared with its own kind.
    const kind = `json_type(${json}) IN (${typeof bound === 'string' ? "'text'" : "'integer', 'real'"})`;
    conditions.push({ sql: `${kind} AND ${value} ${sign} ?`, values: [...paths, ...paths, bound] });
  }
  const add = (sql: string, ...values: string[]) => conditions.push({ sql, values: [...paths, ...values] });
  const isOneOf = `coalesce(${json}, 'null') IN (SELECT value FROM json_each(?))`;
  if (test.one_of) add(isOneOf, JSON.stringify(test.one_of.map((each) => JSON.stringify(each))));
  if (test.contains !== undefined) add(`instr(fold_case${value}, ?) > 0`, foldCase(test.contains));
  if (test.empty !== undefined) add(test.empty ? isOneOf : `NOT ${isOneOf}`, JSON.stringify(empty));
  return conditions;
}
