/** The input contract of a policy: one list of fields, of which manifest, model card and Python package speak. */
import { z } from 'zod';
import { countUtf8Bytes } from '../code-points.ts';
import { parseDate } from '../features/dates.ts';
import { type FeaturePlan, type FieldKind, isBetweenDates, listTextFields } from '../features/plan.ts';
import { isFiniteNumber, readPath, toCategory } from '../features/values.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isPiiField } from '../pii.ts';
import { findComparedKinds } from '../rules/compared-kinds.ts';
import type { RulesFile } from '../rules/rules-file.ts';
import { listChildren, type RuleNode } from '../rules/tree.ts';
import { toFieldPath } from '../rules/types.ts';

/** Field kinds of the plan, texts, and `any` for what only rules or the schema read and nothing says more of. */
export const inputFieldKinds = [
  'number',
  'boolean',
  'category',
  'date',
  'numbers',
  'strings',
  'objects',
  'text',
  'conversation',
  'any',
] as const satisfies readonly (FieldKind | 'text' | 'conversation' | 'any')[];
export type InputFieldKind = (typeof inputFieldKinds)[number];

const path = z.array(z.string()).min(1);

export const inputFieldSchema = z.strictObject({
  path,
  kind: z.enum(inputFieldKinds),
  /** Whether the input schema refuses an input without it, where the object around it is there. */
  required: z.boolean(),
  /** Share of the examples without it, or with a value of another kind; null where no examples were seen. */
  missing: z.number().min(0).max(1).nullable(),
  /** The categories or list members that the policy knows, or that the schema lists. */
  values: z.array(z.string()).nullable(),
  /** Lowest and highest number, or first and last date, of the examples. */
  range: z.union([z.tuple([z.number(), z.number()]), z.tuple([z.string(), z.string()])]).nullable(),
});
/** A field that the policy reads, or that its input schema names. */
export type InputField = z.infer<typeof inputFieldSchema>;

type Seen = Pick<InputField, 'missing' | 'range'>;
type FindSeen = (path: readonly string[], kind: InputFieldKind) => Seen;

export type ReadingParts = { plan: FeaturePlan; rules: RulesFile; inputSchema: JsonObject | null };

/** Bytes of the list as the manifest has it; beyond, first values and then the list itself are left out. */
const maxListBytes = 512 * 1024;

/** Whether a value counts as one of its kind; else it is missing. */
export const isKind: Readonly<Record<InputFieldKind, (value: Json | undefined) => boolean>> = {
  number: isFiniteNumber,
  boolean: (value) => typeof value === 'boolean',
  category: (value) => toCategory(value) !== null,
  date: (value) => parseDate(value) !== null,
  numbers: Array.isArray,
  strings: Array.isArray,
  objects: Array.isArray,
  text: (value) => typeof value === 'string',
  conversation: (value) => typeof value === 'string' || Array.isArray(value),
  any: (value) => value !== undefined && value !== null,
};

/** Reads what `inputs` say about a field. Of values under the dot paths `piiFields` only their absence is counted. */
export function seeInputs(inputs: readonly JsonObject[], piiFields: readonly string[]): FindSeen {
  return (path, kind) => {
    const present = inputs.map((input) => readPath(input, path)).filter(isKind[kind]);
    const missing = inputs.length === 0 ? null : (inputs.length - present.length) / inputs.length;
    return { missing, range: isPiiField(path, piiFields) ? null : findRange(kind, present) };
  };
}

/** Repeats what a list of fields says, for a list that is made again; ranges under `piiFields` are left out. */
export function recallFields(fields: readonly InputField[], piiFields: readonly string[]): FindSeen {
  const known = new Map(fields.map((field) => [toKey(field.path), field]));
  return (path, kind) => {
    const field = known.get(toKey(path));
    if (field?.kind !== kind) return { missing: null, range: null };
    return { missing: field.missing, range: isPiiField(path, piiFields) ? null : field.range };
  };
}

function findRange(kind: InputFieldKind, present: readonly (Json | undefined)[]): InputField['range'] {
  if (kind !== 'number' && kind !== 'date') return null;
  const toPlace = (value: Json | undefined) => (isFiniteNumber(value) ? value : (parseDate(value)?.epochDays ?? 0));
  const [first, ...others] = present;
  let [low, high] = [first, first];
  for (const value of others) {
    if (toPlace(value) < toPlace(low)) low = value;
    if (toPlace(value) > toPlace(high)) high = value;
  }
  if (typeof low === 'number' && typeof high === 'number') return [low, high];
  return typeof low === 'string' && typeof high === 'string' ? [low, high] : null;
}

/** Lists the fields that a policy reads or its schema names; a field within an object stands for it. */
export function listInputFields({ plan, rules, inputSchema }: ReadingParts, findSeen: FindSeen): InputField[] {
  const properties = listProperties(inputSchema);
  const isRequired = (path: readonly string[]) => properties.get(toKey(path))?.isRequired ?? false;
  const fields: InputField[] = [];
  const [leaves, objects] = [new Set<string>(), new Set<string>()];
  const add = (path: string[], kind: InputFieldKind, values: string[] | null) => {
    const above = path.map((_, depth) => toKey(path.slice(0, depth)));
    if (leaves.has(toKey(path)) || objects.has(toKey(path)) || above.some((key) => leaves.has(key))) return;
    leaves.add(toKey(path));
    for (const key of above) objects.add(key);
    fields.push({ path, kind, required: isRequired(path), values, ...findSeen(path, kind) });
  };
  for (const field of plan.fields.filter((each) => !isBetweenDates(each)))
    add(field.path, field.kind, 'values' in field ? field.values : null);
  for (const { path, kind } of listTextFields(plan)) add(path, kind, null);
  const ofPlan = fields.splice(0);
  const compared = findComparedKinds(rules.rules.map(({ ast }) => ast));
  for (const path of listOtherPaths({ rules, inputSchema })) {
    const { kind, values } = describeProperty(properties.get(toKey(path))?.schema);
    if (path.length > 0) add(path, kind === 'any' ? (compared.get(toKey(path)) ?? kind) : kind, values);
  }
  const byPath = fields.toSorted((a, b) => (toKey(a.path) < toKey(b.path) ? -1 : 1));
  return fitManifest([...ofPlan, ...byPath]);
}

/** The paths that the schema names or a rule reads, each once, the longest first; an empty one for whole inputs. */
export function listOtherPaths({ rules, inputSchema }: Omit<ReadingParts, 'plan'>): string[][] {
  const named = [...listProperties(inputSchema).values()].map((each) => each.path);
  const read = rules.rules.flatMap(({ ast }) => listPaths(ast));
  const byKey = new Map([...named, ...read].map((path) => [toKey(path), path]));
  return [...byKey.values()].toSorted((a, b) => b.length - a.length);
}

function fitManifest(fields: InputField[]): InputField[] {
  const countBytes = (list: readonly InputField[]) => countUtf8Bytes(JSON.stringify(list, null, 2));
  if (countBytes(fields) <= maxListBytes) return fields;
  const bare = fields.map((field) => ({ ...field, values: null }));
  return countBytes(bare) <= maxListBytes ? bare : [];
}

const toKey = (path: readonly string[]) => JSON.stringify(path);

function listPaths(node: RuleNode): string[][] {
  const above = node.k === 'has' ? toFieldPath(node.of) : null;
  const path = node.k === 'has' ? above && [...above, node.field] : toFieldPath(node);
  return path === null ? listChildren(node).flatMap(listPaths) : [path];
}

type Property = { path: string[]; schema: JsonObject; isRequired: boolean };

function listProperties(schema: JsonObject | null, above: readonly string[] = []): Map<string, Property> {
  if (!isJsonObject(schema?.properties)) return new Map();
  const names = Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(schema.properties).flatMap(([name, part]): [string, Property][] => {
    const path = [...above, name];
    const property = isJsonObject(part) ? part : {};
    if (isJsonObject(property.properties) && Object.keys(property.properties).length > 0) {
      return [...listProperties(property, path)];
    }
    return [[toKey(path), { path, schema: property, isRequired: names.includes(name) }]];
  });
  return new Map(entries);
}

const kindsByType = new Map<unknown, InputFieldKind>([
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['string', 'text'],
]);

function describeProperty(schema: JsonObject = {}): { kind: InputFieldKind; values: string[] | null } {
  const { type, enum: listed, format } = schema;
  const values = Array.isArray(listed) ? listed.filter((value) => typeof value === 'string') : [];
  if (values.length > 0 && values.length === (listed as Json[]).length) return { kind: 'category', values };
  if (type === 'string' && (format === 'date' || format === 'date-time')) return { kind: 'date', values: null };
  return { kind: kindsByType.get(type) ?? 'any', values: null };
}
