/** Bounds the work of a check by an input schema from the schema alone, before any input is seen. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { weighPattern } from '../patterns.ts';
import type { Part, ReadSchema } from './schema-parts.ts';

/** Levels of an input: no body has more. */
const maxInputDepth = 32;

// One unit of work took at most 7 ns for each character of the input on the machine on which these were measured.
/** An alternative makes a problem, also where another one fits. */
const workPerAlternative = 10;
const workPerReference = 5;
const enumValuesPerWork = 2;
/** To make new states of a pattern, and to go through the instructions where it has too many. */
const workPerPattern = 50;
const instructionsPerWork = 10;
const keyKeywords = [
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
] as const;
/** The work for each key that is looked at by itself, and for each item that must differ from the others. */
const workPerKey = 5;
const workPerUniqueItem = 15;
/** The work for each name that `unevaluatedProperties` has copied from part to part. */
const workPerNote = 1;
/** Higher costs are not distinguished. */
const maxWeight = 1e12;

/** The work of all parts for one value, with the values below it. */
type Below = {
  /** By the name of a property, beside `others`. */
  names: Map<string, number>;
  others: number;
  items: number;
};

/** The largest work per character of an input, over all parts of the schema; `findHeaviest` finds the part. */
export function weighParts({ parts }: ReadSchema): { weight: number; findHeaviest(limit: number): Part | undefined } {
  const here = new Map<Part, number>();
  const keys = new Map<Part, number>();
  const names = new Map<Part, number>();
  const isNoting = parts.some(({ schema }) => countGiven(schema, ['unevaluatedProperties', 'unevaluatedItems']) > 0);
  for (const part of parts) {
    // The names of what was looked at are copied from part to part.
    if (isNoting) names.set(part, Math.min(maxWeight, sum(part.applied, names) + count(part.schema.properties)));
    const noted = workPerNote * (names.get(part) ?? 0);
    here.set(part, Math.min(maxWeight, sum(part.applied, here) + weighKeywords(part) + noted));
    keys.set(part, Math.min(maxWeight, sum(part.applied, keys) + weighKeys(part)));
  }
  let weights = new Map(parts.map((part) => [part, Math.max(here.get(part) ?? 0, keys.get(part) ?? 0)]));
  for (let level = 1; level < maxInputDepth; level += 1) {
    const deeper = addLevel(parts, weights);
    if (parts.every((part) => deeper.get(part) === weights.get(part))) break;
    weights = deeper;
  }
  const findHeaviest = (limit: number) => {
    const heavy = parts.filter((part) => (weights.get(part) ?? 0) > limit);
    return heavy.find((part) => !listBelow(part).some((child) => heavy.includes(child))) ?? heavy[0];
  };
  return { weight: Math.max(0, ...weights.values()), findHeaviest };
}

function listBelow({ applied, properties, patternProperties, additionalProperties, items, contains }: Part): Part[] {
  return [...applied, ...properties.values(), ...patternProperties, ...additionalProperties, ...items, ...contains];
}

/** The weights of parts for values with one more level, from those without it. */
function addLevel(parts: readonly Part[], weights: ReadonlyMap<Part, number>): Map<Part, number> {
  const below = new Map<Part, Below>();
  return new Map(
    parts.map((part) => {
      const own = addBelow(part, below, weights);
      below.set(part, own);
      const ofNames = Math.max(0, ...own.names.values());
      const ofKeys = sum(part.propertyNames, weights);
      const largest = Math.max(weights.get(part) ?? 0, own.others + ofNames, own.items, ofKeys);
      return [part, Math.min(maxWeight, largest)];
    }),
  );
}

function addBelow(part: Part, below: ReadonlyMap<Part, Below>, weights: ReadonlyMap<Part, number>): Below {
  const ofPatterns = sum(part.patternProperties, weights);
  const ofOthers = ofPatterns + sum(part.additionalProperties, weights);
  const names = new Map<string, number>();
  for (const [name, child] of part.properties) names.set(name, ofPatterns + (weights.get(child) ?? 0) - ofOthers);
  const ofItems = Math.max(0, ...part.items.map((item) => weights.get(item) ?? 0)) + sum(part.contains, weights);
  const { contains, uniqueItems } = part.schema;
  const ofEach = (contains === undefined ? 0 : workPerAlternative) + (uniqueItems === true ? workPerUniqueItem : 0);
  const own = { names, others: ofOthers, items: ofItems + ofEach };
  for (const applied of part.applied) {
    const more = below.get(applied);
    if (more === undefined) continue;
    own.others += more.others;
    own.items += more.items;
    for (const [name, weight] of more.names) names.set(name, (names.get(name) ?? 0) + weight);
  }
  return own;
}

function sum(parts: readonly Part[], weights: ReadonlyMap<Part, number>): number {
  return parts.reduce((total, part) => total + (weights.get(part) ?? 0), 0);
}

function weighKeywords({ schema }: Part): number {
  const alternatives = count(schema.anyOf) + count(schema.oneOf) + countGiven(schema, ['not', 'if']);
  const needed = isJsonObject(schema.dependentRequired) ? Object.values(schema.dependentRequired).flat().length : 0;
  return (
    Object.keys(schema).length +
    count(schema.properties) +
    count(schema.required) +
    needed +
    Math.ceil(count(schema.enum) / enumValuesPerWork) +
    alternatives * workPerAlternative +
    countGiven(schema, ['$ref']) * workPerReference +
    (typeof schema.pattern === 'string' ? weighText(schema.pattern) : 0)
  );
}

function weighKeys({ schema }: Part): number {
  const patterns = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  // Each is asked again for "additionalProperties".
  const ofPatterns = patterns.reduce((total, pattern) => total + 2 * weighText(pattern), 0);
  return ofPatterns + countGiven(schema, keyKeywords) * workPerKey;
}

function weighText(pattern: string): number {
  return workPerPattern + Math.ceil(weighPattern(pattern) / instructionsPerWork);
}

function count(values: Json | undefined): number {
  return typeof values === 'object' && values !== null ? Object.keys(values).length : 0;
}

function countGiven(schema: JsonObject, keywords: readonly string[]): number {
  return keywords.filter((keyword) => schema[keyword] !== undefined).length;
}
