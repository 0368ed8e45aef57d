/** Values that tools write into JSON in a form of their own: numbers and dates under the name of their type. */
import { isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import { toInstant, toIsoDate } from '../number-formats.ts';
import type { Records } from './json-records.ts';

/** Records that show whether all values are written so. */
const sampled = 20;

const toNumber = (value: Json): Json => {
  const number = Number(value);
  return value === '' ||
    value === null ||
    !Number.isFinite(number) ||
    (Number.isInteger(number) && !Number.isSafeInteger(number))
    ? value
    : number;
};
const isTime = (ms: number) => Math.abs(ms) < 253_402_300_800_000;

/** Reads the value that an object is around, by its key; `inner` reads what stands within. */
type ReadTagged = (value: Json, inner: (value: Json) => Json) => Json;
const asWritten: ReadTagged = (value) => value;
const readEach: ReadTagged = (value, inner) => (Array.isArray(value) ? value.map(inner) : value);
const readFields: ReadTagged = (value, inner) =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)])) : value;

/** MongoDB's extended JSON: each value says itself what it is. */
const mongo: Readonly<Record<string, ReadTagged>> = {
  $oid: asWritten,
  $numberInt: toNumber,
  $numberLong: toNumber,
  $numberDouble: toNumber,
  $numberDecimal: toNumber,
  $date: (value, inner) => {
    const read = inner(value);
    return typeof read === 'number' && isTime(read) ? toInstant(toIsoDate(read)) : read;
  },
};
/** Types of DynamoDB and of Firestore, which stand around each value of a record. */
const typed: Readonly<Record<string, ReadTagged>> = {
  S: asWritten,
  N: toNumber,
  BOOL: asWritten,
  NULL: () => null,
  M: readFields,
  L: readEach,
  SS: asWritten,
  NS: (value) => (Array.isArray(value) ? value.map(toNumber) : value),
  stringValue: asWritten,
  integerValue: toNumber,
  doubleValue: toNumber,
  booleanValue: asWritten,
  nullValue: () => null,
  timestampValue: asWritten,
  referenceValue: asWritten,
  mapValue: (value, inner) => readFields(isJsonObject(value) ? (value['fields'] ?? null) : value, inner),
  arrayValue: (value, inner) => readEach(isJsonObject(value) ? (value['values'] ?? []) : value, inner),
};

/** Dates as texts that call JavaScript: `/Date(1388534400000+0100)/` of OData, `Date(2024,0,5)` of Google. */
const odataDate = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/;
const calledDate = /^Date\((\d{4}),(\d{1,2}),(\d{1,2})(?:,(\d{1,2}),(\d{1,2}),(\d{1,2}))?\)$/;

function readCalled(text: string): Json {
  const odata = odataDate.exec(text);
  if (odata) return isTime(Number(odata[1])) ? toInstant(toIsoDate(Number(odata[1]))) : text;
  const [, year, month, day, hour = 0, minute = 0, second = 0] = (calledDate.exec(text) ?? []).map(Number);
  return year === undefined || month === undefined
    ? text
    : toIsoDate(Date.UTC(year, month, day, hour || 0, minute || 0, second || 0));
}

/** Forms of values, each with the sentence that says that it was read. */
const forms = [
  { tags: mongo, said: 'Values in MongoDB’s extended JSON are read as what they are' },
  { tags: typed, said: 'Values that stand under the name of their type are read as what they are' },
] as const;

const findTag = (value: Json, tags: Readonly<Record<string, ReadTagged>>) => {
  if (!isJsonObject(value)) return null;
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && Object.hasOwn(tags, key) ? key : null;
};

function readValue(value: Json, tags: Readonly<Record<string, ReadTagged>>): Json {
  const inner = (each: Json) => readValue(each, tags);
  const tag = findTag(value, tags);
  if (tag !== null) return tags[tag]?.((value as JsonObject)[tag] ?? null, inner) ?? null;
  return Array.isArray(value) ? value.map(inner) : readFields(value, inner);
}

/** Reads values in forms of their own as what they are, and says so. */
export function readPlainValues(records: Records): Records {
  const sample = records.list.slice(0, sampled).filter(isJsonObject);
  const values = sample.flatMap((record) => Object.values(record));
  let { list, notes } = records;
  const form = forms.find(({ tags }) =>
    tags === mongo
      ? values.some((value) => findTag(value, tags) !== null)
      : values.length > 0 && values.every((value) => findTag(value, tags) !== null),
  );
  if (form !== undefined) {
    list = list.map((record) =>
      isJsonObject(record) ? readFields(record, (value) => readValue(value, form.tags)) : record,
    );
    notes = [...notes, form.said];
  }
  const called = values.some((value) => typeof value === 'string' && readCalled(value) !== value);
  if (!called) return { ...records, list, notes };
  const readText = (value: Json) => (typeof value === 'string' ? readCalled(value) : value);
  list = list.map((record) => (isJsonObject(record) ? readFields(record, readText) : record));
  return { ...records, list, notes: [...notes, 'Dates as in “Date(…)” are read as days and times'] };
}
