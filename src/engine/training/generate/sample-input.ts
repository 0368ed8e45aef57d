/** Inputs for a decision type that has no examples yet, made from its schema, its rules and its words. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { Random } from '../../random.ts';
import { listChildren, type RuleNode } from '../../rules/tree.ts';
import { pick } from './recombine.ts';
import { isEnglish, joinSentences } from './sentences.ts';

/** Levels of nesting, and references in a row, that are followed. */
const maxDepth = 8;
/** Sentences that may stand before and behind any English text, and say nothing of the matter. */
export const openers = [
  '',
  'Hello.',
  'Hi.',
  'Good morning.',
  'Good afternoon.',
  'Good evening.',
  'Dear team.',
  'Hello everyone.',
] as const;
export const closers = [
  '',
  'Thank you.',
  'Many thanks.',
  'Kind regards.',
  'Best wishes.',
  'Thank you for your help.',
  'Thank you in advance.',
] as const;
/** Sentences that name an option, in the place of the dots. */
export const frames = [
  'This is about “…”.',
  'It concerns “…”.',
  'I am writing about “…”.',
  'The matter is “…”.',
  'My question is about “…”.',
  'Please see this as “…”.',
  'We would call it “…”.',
] as const;

/** Puts an English text between an opening and an ending that name no option; either may be empty. Else it is kept. */
export function frameText(text: string, random: Random): string {
  const opener = pick(openers, random);
  const closer = pick(closers, random);
  return isEnglish(text) ? joinSentences([opener, text, closer].filter((part) => part !== '')) : text;
}

/** Draws a text for an option, of at most this many characters where that is possible. */
type PhraseSampler = (random: Random, maxLength?: number) => string;

/** Makes a sampler of texts in whole sentences that name the option, so that they carry the label. */
export function createPhraseSampler(option: string): PhraseSampler {
  const name = option.replace(/[_-]+/g, ' ');
  return (random, maxLength = Number.POSITIVE_INFINITY) => {
    const sentence = pick(frames, random).replace('…', () => name);
    const whole = joinSentences([pick(openers, random), sentence, pick(closers, random)].filter((part) => part !== ''));
    return whole.length <= maxLength ? whole : sentence.length <= maxLength ? sentence : name;
  };
}

/** Samples a value for a JSON Schema. It may be invalid: patterns and conditions are left to the check that follows. */
export function sampleSchema(schema: JsonObject, samplePhrase: PhraseSampler, random: Random): Json {
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per keyword and type of a schema
  const visit = (child: Json | undefined, depth: number): Json => {
    const node = resolveReference(schema, child);
    if (node === null || depth > maxDepth) return null;
    if (Object.hasOwn(node, 'const')) return node.const as Json;
    if (Array.isArray(node.enum) && node.enum.length > 0) return pick(node.enum, random);
    for (const key of ['oneOf', 'anyOf']) {
      const choices = node[key];
      if (Array.isArray(choices) && choices.length > 0) return visit(pick(choices, random), depth + 1);
    }
    const types = (Array.isArray(node.type) ? node.type : [node.type]).filter((type) => type !== 'null');
    const type = types[0] ?? (isJsonObject(node.properties) ? 'object' : null);
    if (type === 'object') return sampleObject(node, depth);
    if (type === 'array') {
      const minItems = readNumber(node.minItems, 1);
      const length = Math.min(readNumber(node.maxItems, minItems + 2), minItems + Math.floor(random() * 3));
      return Array.from({ length }, () => visit(node.items, depth + 1));
    }
    if (type === 'integer' || type === 'number') return sampleNumber(node, type === 'integer', random);
    if (type === 'boolean') return random() < 0.5;
    if (type === 'string') return sampleString(node, samplePhrase, random);
    return null;
  };
  const sampleObject = (node: JsonObject, depth: number): JsonObject => {
    const required = Array.isArray(node.required) ? node.required : [];
    const properties = isJsonObject(node.properties) ? node.properties : {};
    const kept = Object.keys(properties)
      .sort()
      .filter((key) => required.includes(key) || random() < 0.8);
    return Object.fromEntries(kept.map((key) => [key, visit(properties[key], depth + 1)]));
  };
  return visit(schema, 0);
}

function sampleNumber(node: JsonObject, isInteger: boolean, random: Random): number {
  const low = readNumber(node.minimum ?? node.exclusiveMinimum, Math.min(0, readNumber(node.maximum, 0)));
  const high = readNumber(node.maximum ?? node.exclusiveMaximum, low + 100);
  const step = typeof node.multipleOf === 'number' && node.multipleOf > 0 ? node.multipleOf : null;
  const value = low + random() * (high - low);
  if (step !== null) return Number((Math.round(value / step) * step).toPrecision(12));
  return isInteger ? Math.round(value) : Math.round(value * 100) / 100;
}

function sampleString(node: JsonObject, samplePhrase: PhraseSampler, random: Random): string {
  const number = 1 + Math.floor(random() * 9_999);
  const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(random() * 730), Math.floor(random() * 24))).toISOString();
  const formats: Record<string, string> = {
    date: day.slice(0, 10),
    'date-time': day,
    time: day.slice(11),
    email: `person${number}@example.org`,
    uri: `https://example.org/${number}`,
  };
  const format = typeof node.format === 'string' ? formats[node.format] : undefined;
  if (format !== undefined) return format;
  return samplePhrase(random, readNumber(node.maxLength, 1_000));
}

/** Follows the `$ref` of a node within the schema; null where there is no such object. */
function resolveReference(root: JsonObject, node: Json | undefined): JsonObject | null {
  let found = node;
  for (let hops = 0; hops < maxDepth && isJsonObject(found) && typeof found.$ref === 'string'; hops += 1) {
    found = found.$ref
      .split('/')
      .slice(1)
      .reduce<Json | undefined>((value, key) => {
        const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
        return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      }, root);
  }
  return isJsonObject(found) ? found : null;
}

type ComparedField = { path: string[]; values: Json[] };

/** Lists the fields that rules compare with constants, by their dotted paths. */
export function listComparedFields(trees: readonly RuleNode[]): Map<string, ComparedField> {
  const found = new Map<string, ComparedField>();
  const walk = (node: RuleNode) => {
    if (node.k === 'op') {
      for (const [side, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const path = findContextPath(side);
        if (path === null || other.k !== 'lit') continue;
        const key = path.join('.');
        const field = found.get(key) ?? { path, values: [] };
        field.values.push(other.v);
        found.set(key, field);
      }
    }
    listChildren(node).forEach(walk);
  };
  trees.forEach(walk);
  return found;
}

/** Writes every compared field into an input: numbers from 0 to twice the limit, strings among those compared with. */
export function sampleComparedFields(
  fields: ReadonlyMap<string, ComparedField>,
  input: JsonObject,
  random: Random,
): JsonObject {
  for (const { path, values } of fields.values()) {
    const value = pick(values, random);
    const sampled =
      typeof value === 'number'
        ? Math.round(random() * 2 * value)
        : typeof value === 'boolean'
          ? random() < 0.5
          : value;
    let at = input;
    path.forEach((name, depth) => {
      if (depth === path.length - 1) {
        at[name] = sampled;
        return;
      }
      const next = Object.hasOwn(at, name) ? at[name] : undefined;
      const below: JsonObject = isJsonObject(next) ? next : {};
      at[name] = below;
      at = below;
    });
  }
  return input;
}

function findContextPath(node: RuleNode): string[] | null {
  if (node.k === 'var') return node.name === 'ctx' ? [] : null;
  if (node.k !== 'get' || node.field === '__proto__') return null;
  const above = findContextPath(node.of);
  return above === null ? null : [...above, node.field];
}

const readNumber = (value: Json | undefined, fallback: number): number =>
  typeof value === 'number' ? value : fallback;
