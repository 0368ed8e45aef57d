/** Writes into a schema what the check of each of its parts costs. */
import type { Json, JsonObject } from '../domain.ts';
import { isJsonObject } from '../json.ts';
import { listReferencedParts } from './schema-expansion.ts';

/** The keyword of a charge; what a schema says under this name itself is left out. */
export const chargeKeyword = '$charge';
/**
 * Steps for any value, and how many keywords of the part read a text from end to end, or all keys
 * of an object.
 */
export type Charge = { steps: number; textReaders: number; keyReaders: number };

/** Ajv calls a whole resource for a dynamic reference, and copies all problems known so far. */
const stepsOfDynamicCall = 1_000;

const keywords = {
  /** Keywords whose value is a schema, a list of schemas, or a map of them. */
  schema: [
    ...['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'],
    ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
  ],
  list: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  map: ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
  /** Keywords with values that are compared, however deep they are. */
  compared: ['enum', 'const'],
  textReaders: ['minLength', 'maxLength', 'format'],
  keyReaders: [...['additionalProperties', 'propertyNames', 'unevaluatedProperties', 'minProperties', 'maxProperties']],
} as const;

/** Lists the parts of a schema that are schemas themselves, those that only references lead to included. */
function collectParts(schema: JsonObject): Set<JsonObject> {
  const referenced = listReferencedParts(schema);
  const parts = new Set<JsonObject>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (!isJsonObject(part) || parts.has(part)) continue;
    parts.add(part);
    waiting.push(...listChildren(part), ...referenced(part));
  }
  return parts;
}

function listChildren(part: JsonObject): Json[] {
  const read = (keyword: string): Json => (Object.hasOwn(part, keyword) ? (part[keyword] ?? null) : null);
  const lists = keywords.list.map(read).filter((value) => Array.isArray(value));
  const maps = keywords.map.map(read).filter(isJsonObject);
  return [...keywords.schema.map(read), ...lists.flat(), ...maps.flatMap((value) => Object.values(value))];
}

function computeCharge(part: JsonObject): Charge {
  const has = (keyword: string) => Object.hasOwn(part, keyword);
  let steps = 1;
  for (const [keyword, value] of Object.entries(part)) {
    if (keywords.compared.some((compared) => compared === keyword)) steps += 2 * countValues(value);
    else if (Array.isArray(value)) steps += value.length;
    else if (isJsonObject(value)) steps += Object.keys(value).length;
  }
  const patterns = isJsonObject(part.patternProperties) ? Object.keys(part.patternProperties).length : 0;
  if (has('$dynamicRef')) steps += stepsOfDynamicCall;
  return {
    steps,
    textReaders: keywords.textReaders.filter(has).length,
    keyReaders: keywords.keyReaders.filter(has).length + patterns,
  };
}

function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + countValues(child), 1);
}

/**
 * Finds a part that a reference leads to although it is a value to compare with. A charge in it would change the value,
 * and JSON Schema gives such a reference no meaning.
 */
export function findComparedPart(schema: JsonObject): JsonObject | null {
  const parts = collectParts(schema);
  const find = (value: Json): JsonObject | null => {
    if (isJsonObject(value) && parts.has(value)) return value;
    if (typeof value !== 'object' || value === null) return null;
    for (const child of Object.values(value)) {
      const found = find(child);
      if (found !== null) return found;
    }
    return null;
  };
  for (const part of parts) {
    for (const keyword of keywords.compared) {
      const found = Object.hasOwn(part, keyword) ? find(part[keyword] ?? null) : null;
      if (found !== null) return found;
    }
  }
  return null;
}

/** Counts the references whose target depends on the way to them. */
export function countDynamicReferences(schema: JsonObject): number {
  return [...collectParts(schema)].filter((part) => Object.hasOwn(part, '$dynamicRef')).length;
}

/** Returns a copy of the schema in which every part has its charge. A part that accepts everything has none. */
export function addCharges(schema: JsonObject): JsonObject {
  const parts = collectParts(schema);
  const copy = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isJsonObject(value)) return value;
    const isPart = parts.has(value) && Object.keys(value).length > 0;
    const entries = Object.entries(value)
      .filter(([key]) => !(isPart && key === chargeKeyword))
      .map(([key, child]): [string, Json] => [key, copy(child)]);
    if (isPart) entries.push([chargeKeyword, computeCharge(value)]);
    return Object.fromEntries(entries);
  };
  return copy(schema) as JsonObject;
}
