/** Finding out what the fields of the inputs are. */
import type { Json, JsonObject } from '../domain.ts';
import { parseDate } from './dates.ts';
import { fieldSize, fitField } from './kinds.ts';
import type { FeaturePlan, FieldKind } from './plan.ts';
import { categoryText, identifierName, isFiniteNumber, listLeaves, valueAt } from './values.ts';

/** What a field turned out to be: a tabular kind, text, or nothing useful (with the reason as a sentence). */
type Verdict = { use: FieldKind } | { use: 'text' } | { use: null; reason: string };

type Column = {
  path: string[];
  /** One value per input; undefined where absent. */
  values: (Json | undefined)[];
  present: Json[];
  hint: SchemaHint;
};

type SchemaHint = { format: string | null; isEnum: boolean };

const textName =
  /(^|_)(text|message|body|narrative|description|subject|comment|comments|content|question|review|summary|note|notes|transcript|email_body|query|title|reason)$/i;
const areaName = /(^|_)(zip|zip_code|zipcode|postcode|postal_code|plz)$/i;
const manyValues = 50;
/** From so many examples on, a single one that differs is an accident. */
const minForNearlyConstant = 50;

/** What a JSON Schema says of the property at `path`: its format and whether its values are listed. */
function schemaHint(schema: JsonObject | null, path: readonly string[]): SchemaHint {
  let node: Json | undefined = schema;
  for (const segment of path) {
    if (node === null || node === undefined || typeof node !== 'object' || Array.isArray(node)) break;
    const properties: Json | undefined = Object.hasOwn(node, 'properties') ? node['properties'] : undefined;
    node =
      properties !== null &&
      typeof properties === 'object' &&
      !Array.isArray(properties) &&
      Object.hasOwn(properties, segment)
        ? properties[segment]
        : undefined;
  }
  if (node === null || node === undefined || typeof node !== 'object' || Array.isArray(node)) {
    return { format: null, isEnum: false };
  }
  return { format: typeof node['format'] === 'string' ? node['format'] : null, isEnum: Array.isArray(node['enum']) };
}

const wordCount = (text: string) => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / Math.max(1, numbers.length);

function judgeStrings(column: Column, texts: readonly string[]): Verdict {
  const name = column.path.at(-1) ?? '';
  const distinct = new Set(texts).size;
  const perValue = texts.length / distinct;
  if (column.hint.isEnum) return { use: 'category' };
  const dates = texts.filter((text) => parseDate(text) !== null).length;
  if (dates >= 0.9 * texts.length || column.hint.format === 'date' || column.hint.format === 'date-time') {
    return { use: 'date' };
  }
  const words = mean(texts.map(wordCount));
  if (textName.test(name) && (words >= 4 || perValue < 3)) return { use: 'text' };
  if (identifierName.test(name) && (perValue < 2 || distinct > manyValues)) {
    return { use: null, reason: `It is an identifier: ${distinct} different values in ${texts.length} examples.` };
  }
  if (areaName.test(name) && distinct > manyValues) {
    return {
      use: null,
      reason: `It is an area code with ${distinct} different values in ${texts.length} examples, too many to learn from.`,
    };
  }
  if (perValue >= 4 || (distinct <= 10 && perValue >= 1.5)) return { use: 'category' };
  if (words >= 2) return { use: 'text' };
  return {
    use: null,
    reason: `Its short values hardly repeat: ${distinct} different ones in ${texts.length} examples, too many to learn from.`,
  };
}

function judgeLists(lists: readonly Json[][]): FieldKind {
  const members = lists.flat();
  if (members.length === 0) return 'objects';
  if (members.filter(isFiniteNumber).length >= 0.9 * members.length) return 'numbers';
  if (members.filter((member) => typeof member === 'string').length >= 0.9 * members.length) return 'strings';
  return 'objects';
}

/** How many examples have the most frequent value; being absent counts as a value. */
function modeCount(values: readonly (Json | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const value of values) {
    const text = JSON.stringify(value ?? null);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

function judge(column: Column): Verdict {
  const { present, values } = column;
  const known = present.filter((value) => value !== null);
  if (known.length === 0) return { use: null, reason: 'It is empty in every example.' };
  const same = modeCount(values);
  if (values.length > 1 && same === values.length) {
    return { use: null, reason: 'It has the same value in every example.' };
  }
  if (values.length >= minForNearlyConstant && same === values.length - 1) {
    return { use: null, reason: `It has the same value in all but one of ${values.length} examples.` };
  }
  const most = 0.8 * known.length;
  const lists = known.filter((value) => Array.isArray(value));
  if (lists.length >= most) return { use: judgeLists(lists) };
  const numbers = known.filter(isFiniteNumber);
  if (numbers.length >= most) {
    const distinct = new Set(numbers).size;
    const whole = numbers.every((value) => Number.isInteger(value));
    if (
      identifierName.test(column.path.at(-1) ?? '') &&
      whole &&
      (distinct === numbers.length || distinct > manyValues)
    ) {
      return { use: null, reason: `It is an identifier: ${distinct} different values in ${numbers.length} examples.` };
    }
    return { use: 'number' };
  }
  if (known.filter((value) => typeof value === 'boolean').length >= most) return { use: 'boolean' };
  const texts = known.map(categoryText).filter((text) => text !== null);
  if (texts.length >= most) return judgeStrings(column, texts);
  return { use: null, reason: 'Its values are of different types in different examples.' };
}

function columnsOf(inputs: readonly JsonObject[], schema: JsonObject | null): Column[] {
  const paths = new Map<string, string[]>();
  for (const input of inputs) for (const leaf of listLeaves(input)) paths.set(JSON.stringify(leaf.path), leaf.path);
  return [...paths.values()]
    .sort((a, b) => (a.join('.') < b.join('.') ? -1 : 1))
    .map((path) => {
      const values = inputs.map((input) => {
        const value = valueAt(input, path);
        return value !== null && typeof value === 'object' && !Array.isArray(value) ? undefined : value;
      });
      return { path, values, present: values.filter((value) => value !== undefined), hint: schemaHint(schema, path) };
    });
}

function rescuedText(columns: readonly Column[]): Column | undefined {
  return columns.find((column) => {
    const texts = column.present.filter((value) => typeof value === 'string');
    return (
      new Set(texts).size > 1 &&
      texts.some((text) => /\p{L}/u.test(text)) &&
      !identifierName.test(column.path.at(-1) ?? '')
    );
  });
}

/**
 * Infers the plan of the fields from training inputs: the kind of every dotted field, what is left out and why, and which
 * fields are text (without vocabulary or encoder yet: those are chosen in training). `personal` names dotted fields whose
 * values must not be written into the plan. Fields are in the order of their names, so the order of examples is irrelevant.
 */
export function inferPlan(
  inputs: readonly JsonObject[],
  inputSchema: JsonObject | null,
  personal: readonly string[] = [],
): FeaturePlan {
  const columns = columnsOf(inputs, inputSchema);
  const plan: FeaturePlan = { format: 1, fields: [], tabular_size: 0, left_out: [], text: null };
  const textFields: string[][] = [];
  for (const column of columns) {
    const verdict = judge(column);
    const dotted = column.path.join('.');
    if (verdict.use === null) plan.left_out.push({ path: dotted, reason: verdict.reason });
    else if (verdict.use === 'text') textFields.push(column.path);
    else if (personal.includes(dotted) && (verdict.use === 'category' || verdict.use === 'strings')) {
      plan.left_out.push({
        path: dotted,
        reason: 'It holds personal data, whose values must not be stored in a policy.',
      });
    } else plan.fields.push(fitField(verdict.use, column.path, column.values));
  }
  if (plan.fields.length === 0 && textFields.length === 0) {
    const rescued = rescuedText(columns);
    if (rescued !== undefined) {
      textFields.push(rescued.path);
      plan.left_out = plan.left_out.filter((field) => field.path !== rescued.path.join('.'));
    }
  }
  plan.tabular_size = plan.fields.reduce((size, field) => size + fieldSize(field), 0);
  if (textFields.length > 0) plan.text = { fields: textFields, ngrams: null, encoder: null };
  return plan;
}

/** The same fields learned anew from other inputs: kinds and text settings stay, statistics and values follow the inputs. */
export function refitPlan(plan: FeaturePlan, inputs: readonly JsonObject[]): FeaturePlan {
  const fields = plan.fields.map((field) =>
    fitField(
      field.kind,
      field.path,
      inputs.map((input) => valueAt(input, field.path)),
    ),
  );
  return { ...plan, fields, tabular_size: fields.reduce((size, field) => size + fieldSize(field), 0) };
}
