/** Infers the fields of the inputs. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isPiiField } from '../pii.ts';
import { daysBetween } from '../rules/days.ts';
import { cutTurns, isConversation, readTurns } from './conversation.ts';
import { countDays, parseDate } from './dates.ts';
import { compileReader, countSlots, fitField } from './kinds.ts';
import type { FeaturePlan, Field, FieldKind } from './plan.ts';
import { areMarkup } from './readable-text.ts';
import { tellsPerson } from './tell-person.ts';
import { identifierPattern, isFiniteNumber, listLeaves, readPath, toCategory } from './values.ts';

/** The use of a field: a tabular kind, text, or none (with the reason as a sentence). */
type FieldUse = { use: FieldKind } | { use: 'text' | 'conversation' } | { use: null; reason: string };

type Column = {
  path: string[];
  /** One value per input; undefined where absent. */
  values: (Json | undefined)[];
  present: Json[];
  hint: SchemaHint;
};

type SchemaHint = { format: string | null; isEnum: boolean };

const textPattern =
  /(^|_)(text|message|body|narrative|description|subject|comment|comments|content|question|review|summary|note|notes|transcript|email_body|query|title|reason)$/i;
const areaPattern = /(^|_)(zip|zip_code|zipcode|postcode|postal_code|plz)$/i;
const maxIdentifierValues = 50;
/** From this many examples on, a single one that differs is an accident. */
const minForNearlyConstant = 50;

/** Finds what a JSON Schema says about the property at `path`: its format and whether its values are listed. */
function findSchemaHint(schema: JsonObject | null, path: readonly string[]): SchemaHint {
  const place = path.flatMap((segment) => ['properties', segment]);
  const node = schema === null ? null : readPath(schema, place);
  if (!isJsonObject(node)) return { format: null, isEnum: false };
  return { format: typeof node.format === 'string' ? node.format : null, isEnum: Array.isArray(node.enum) };
}

const countWords = (text: string) => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
const computeMean = (numbers: readonly number[]) =>
  numbers.reduce((sum, x) => sum + x, 0) / Math.max(1, numbers.length);

function inferStringUse(column: Column, texts: readonly string[]): FieldUse {
  const name = column.path.at(-1) ?? '';
  const distinct = new Set(texts).size;
  const perValue = texts.length / distinct;
  if (column.hint.isEnum) return { use: 'category' };
  const dates = texts.filter((text) => parseDate(text) !== null).length;
  if (dates >= 0.9 * texts.length || column.hint.format === 'date' || column.hint.format === 'date-time') {
    return { use: 'date' };
  }
  const words = computeMean(texts.map(countWords));
  if (textPattern.test(name) && (words >= 4 || perValue < 3)) return { use: 'text' };
  if (identifierPattern.test(name) && (perValue < 2 || distinct > maxIdentifierValues)) {
    return { use: null, reason: `It is an identifier: ${distinct} different values in ${texts.length} examples.` };
  }
  if (areaPattern.test(name) && distinct > maxIdentifierValues) {
    const reason = `It is an area code with ${distinct} different values in ${texts.length} examples, too many to learn from.`;
    return { use: null, reason };
  }
  if (perValue >= 4 || (distinct <= 10 && perValue >= 1.5)) return { use: 'category' };
  if (words >= 2) return { use: 'text' };
  const reason = `Its short values hardly repeat: ${distinct} different ones in ${texts.length} examples, too many to learn from.`;
  return { use: null, reason };
}

function inferListKind(lists: readonly Json[][]): FieldKind {
  const members = lists.flat();
  if (members.length === 0) return 'objects';
  if (members.filter(isFiniteNumber).length >= 0.9 * members.length) return 'numbers';
  if (members.filter((member) => typeof member === 'string').length >= 0.9 * members.length) return 'strings';
  return 'objects';
}

/** Counts the examples that have the most frequent value; being absent counts as a value. */
function countMode(values: readonly (Json | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const value of values) {
    const text = JSON.stringify(value ?? null);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

/** Whether a value is a conversation: a list of turns, or a text whose lines begin turns. */
const isTalk = (value: Json) => (typeof value === 'string' ? cutTurns(value) !== null : isConversation(value));

function inferUse(column: Column): FieldUse {
  const { present, values } = column;
  const known = present.filter((value) => value !== null);
  if (known.length === 0) return { use: null, reason: 'It is empty in every example.' };
  const same = countMode(values);
  if (values.length > 1 && same === values.length) {
    return { use: null, reason: 'It has the same value in every example.' };
  }
  if (values.length >= minForNearlyConstant && same === values.length - 1) {
    return { use: null, reason: `It has the same value in all but one of ${values.length} examples.` };
  }
  /** From this many values of one type on, the others count as missing. */
  const enough = 0.8 * known.length;
  const lists = known.filter((value) => Array.isArray(value));
  if (known.filter(isTalk).length >= enough) return { use: 'conversation' };
  if (lists.length >= enough) return { use: inferListKind(lists) };
  const numbers = known.filter(isFiniteNumber);
  if (numbers.length >= enough) {
    const distinct = new Set(numbers).size;
    const isNamed = identifierPattern.test(column.path.at(-1) ?? '') && numbers.every(Number.isInteger);
    if (isNamed && (distinct === numbers.length || distinct > maxIdentifierValues)) {
      return { use: null, reason: `It is an identifier: ${distinct} different values in ${numbers.length} examples.` };
    }
    return { use: 'number' };
  }
  if (known.filter((value) => typeof value === 'boolean').length >= enough) return { use: 'boolean' };
  const texts = known.map(toCategory).filter((text) => text !== null);
  if (texts.length >= enough) return inferStringUse(column, texts);
  return { use: null, reason: 'Its values are of different types in different examples.' };
}

function listColumns(inputs: readonly JsonObject[], schema: JsonObject | null): Column[] {
  const paths = new Map<string, string[]>();
  for (const input of inputs) for (const leaf of listLeaves(input)) paths.set(JSON.stringify(leaf.path), leaf.path);
  return [...paths.values()]
    .sort((a, b) => (a.join('.') < b.join('.') ? -1 : 1))
    .map((path) => {
      const values = inputs.map((input) => {
        const value = readPath(input, path);
        return isJsonObject(value) ? undefined : value;
      });
      const present = values.filter((value) => value !== undefined);
      return { path, values, present, hint: findSchemaHint(schema, path) };
    });
}

/** Fields of the days between two dates of the same examples, as “reported − damaged”, where they are not all alike. */
function fitDaysBetween(dates: readonly Column[]): Field[] {
  const { maxDates, maxPairs, minBoth } = daysBetween;
  const looked = dates.slice(0, maxDates);
  const pairs = looked.flatMap((first, at) =>
    looked.slice(at + 1).flatMap((second) => {
      const days = first.values.map((value, row) => countDays(value, second.values[row]));
      const known = days.filter((each) => each !== null);
      const isRising = known.reduce((sum, each) => sum + each, 0) < 0;
      const [until, since] = isRising ? [second, first] : [first, second];
      const field = fitField('number', until.path, isRising ? days.map((each) => each && -each) : days);
      const isUsed = known.length >= minBoth * days.length && new Set(known).size > 1;
      return isUsed && field.kind === 'number' ? [{ ...field, since: since.path }] : [];
    }),
  );
  return pairs.sort((a, b) => a.std - b.std).slice(0, maxPairs);
}

function findTextToRescue(columns: readonly Column[]): Column | undefined {
  return columns.find((column) => {
    const texts = column.present.filter((value) => typeof value === 'string');
    return (
      new Set(texts).size > 1 &&
      texts.some((text) => /\p{L}/u.test(text)) &&
      !identifierPattern.test(column.path.at(-1) ?? '')
    );
  });
}

function isMarkup(inputs: readonly JsonObject[], fields: readonly string[][]): boolean {
  return fields.some((path) => {
    const values = inputs.map((input) => readPath(input, path));
    const turns = values.filter(isConversation).flatMap(readTurns);
    return areMarkup([...values.filter((value) => typeof value === 'string'), ...turns.map(({ content }) => content)]);
  });
}

/** Says why a personal field is not learned: a policy would store its values, or learn who somebody is. */
function refusePersonal({ path, present }: Column, { use }: FieldUse): string | null {
  if (use === 'category' || use === 'strings')
    return 'It holds personal data, whose values must not be stored in a policy.';
  if (use !== 'text' && use !== 'number') return null;
  const texts = new Set(present.map(toCategory).filter((text) => text !== null));
  return tellsPerson(path.at(-1) ?? '', [...texts]) ? 'It tells who somebody is.' : null;
}

/**
 * Infers the plan of the fields: kinds, what is left out and why, text fields (vocabulary and encoder follow).
 * `personal` fields give no values, and tell nobody who somebody is. Fields are in the order of their names.
 */
export function inferPlan(
  inputs: readonly JsonObject[],
  inputSchema: JsonObject | null,
  personal: readonly string[] = [],
): FeaturePlan {
  const columns = listColumns(inputs, inputSchema);
  const plan: FeaturePlan = { format: 1, fields: [], tabular_size: 0, left_out: [], text: null };
  const textFields: string[][] = [];
  const conversations: string[][] = [];
  for (const column of columns) {
    const dotted = column.path.join('.');
    const found = inferUse(column);
    const refusal = isPiiField(column.path, personal) ? refusePersonal(column, found) : null;
    const fieldUse = refusal === null ? found : { use: null, reason: refusal };
    if (fieldUse.use === null) plan.left_out.push({ path: dotted, reason: fieldUse.reason });
    else if (fieldUse.use === 'text') textFields.push(column.path);
    else if (fieldUse.use === 'conversation') {
      textFields.push(column.path);
      conversations.push(column.path);
    } else plan.fields.push(fitField(fieldUse.use, column.path, column.values));
  }
  if (plan.fields.length === 0 && textFields.length === 0) {
    const rescued = findTextToRescue(columns);
    if (rescued !== undefined) {
      textFields.push(rescued.path);
      plan.left_out = plan.left_out.filter((field) => field.path !== rescued.path.join('.'));
    }
  }
  const dates = plan.fields.filter(({ kind }) => kind === 'date').map(({ path }) => path.join('.'));
  plan.fields.push(...fitDaysBetween(columns.filter(({ path }) => dates.includes(path.join('.')))));
  plan.tabular_size = plan.fields.reduce((size, field) => size + countSlots(field), 0);
  if (textFields.length > 0) {
    plan.text = {
      fields: textFields,
      ...(isMarkup(inputs, textFields) && { markup: true }),
      ...(conversations.length > 0 && { conversations }),
      ngrams: null,
      encoder: null,
    };
  }
  return plan;
}

/** The same fields with statistics and values learned again; kinds and text settings stay. */
export function refitPlan(plan: FeaturePlan, inputs: readonly JsonObject[]): FeaturePlan {
  const fields = plan.fields.map((field): Field => {
    const fitted = fitField(field.kind, field.path, inputs.map(compileReader(field)));
    const between = fitted.kind === 'number' && field.kind === 'number' && field.since !== undefined;
    return between ? { ...fitted, since: field.since } : fitted;
  });
  return { ...plan, fields, tabular_size: fields.reduce((size, field) => size + countSlots(field), 0) };
}
