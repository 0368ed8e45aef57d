/** The values that an input schema lets each field have. */
import type { Json, JsonObject } from '../../domain.ts';
import { type Conjunct, intersectConjuncts, isImpossible } from './conjuncts.ts';
import { anyValue, type FieldSet, type Literal, typesBySchemaName } from './field-set.ts';

export type SchemaSets = {
  /** A conjunction on inputs that follow the schema; null where none of them can make it true. */
  narrow(conjunct: Conjunct): Conjunct | null;
  /** True if the schema says nothing about these fields that is not understood here. */
  isExact(conjunct: Conjunct): boolean;
};

const understoodKeywords = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum properties required additionalProperties items
   minItems maxItems uniqueItems title description default examples deprecated readOnly writeOnly $schema $id $comment`
    .trim()
    .split(/\s+/),
);
/** Keywords that limit the one value they stand at, and no other field. */
const valueKeywords = new Set(['pattern', 'format', 'minLength', 'maxLength', 'multipleOf']);
const deepest = 8;

type Known = { set: FieldSet; required: boolean; exact: boolean };

/** Reads a JSON Schema. What it does not understand only makes the sets wider, and `isExact` false. */
export function readSchemaSets(schema: JsonObject | null): SchemaSets {
  const fields = new Map<string, Known>();
  /** Objects that have no fields but those named. */
  const closed = new Set<string>();
  let exact = true;
  const walk = (node: JsonObject, path: string[], required: boolean) => {
    const words = Object.keys(node);
    if (words.some((word) => !understoodKeywords.has(word) && !valueKeywords.has(word))) exact = false;
    const key = JSON.stringify(path);
    fields.set(key, { ...readFieldSet(node), required });
    const named = isObject(node.properties) ? node.properties : {};
    if (node.additionalProperties === false && !('patternProperties' in node)) closed.add(key);
    else if (isObject(node.additionalProperties)) exact = false;
    const needed = Array.isArray(node.required) ? node.required : [];
    if (needed.some((name) => typeof name === 'string' && !Object.hasOwn(named, name))) exact = false;
    for (const [name, child] of Object.entries(named)) {
      if (isObject(child) && path.length < deepest) walk(child, [...path, name], needed.includes(name));
      else exact = false;
    }
  };
  if (schema) walk(schema, [], true);

  const narrow = (conjunct: Conjunct): Conjunct | null => {
    const allowed = new Map<string, FieldSet>();
    for (const [key, set] of conjunct.fields) {
      const path = JSON.parse(key) as string[];
      for (let length = 0; length <= path.length; length++) {
        const here = JSON.stringify(path.slice(0, length));
        const known = fields.get(here);
        const missing = length === path.length && !set.present;
        if (missing && known?.required) return null;
        if (missing) break;
        if (!known && length > 0 && closed.has(JSON.stringify(path.slice(0, length - 1)))) return null;
        if (known && length > 0) allowed.set(here, known.set);
      }
    }
    const narrowed = intersectConjuncts(conjunct, { fields: allowed, opaque: new Set() });
    return isImpossible(narrowed) ? null : narrowed;
  };
  const isExact = (conjunct: Conjunct) =>
    exact && [...conjunct.fields.keys()].every((key) => fields.get(key)?.exact !== false);
  return { narrow, isExact };
}

function readFieldSet(node: JsonObject): { set: FieldSet; exact: boolean } {
  const given = Array.isArray(node.type) ? node.type : node.type === undefined ? null : [node.type];
  const types = given && [...new Set(given.flatMap((name) => typesBySchemaName[String(name)] ?? []))];
  const set: FieldSet = {
    ...anyValue,
    types,
    whole: given?.includes('integer') === true && !given.includes('number'),
  };
  const listed = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const ?? null] : null;
  const literals = listed?.filter((value): value is Literal => value === null || typeof value !== 'object') ?? null;
  const whole = literals?.length === listed?.length;
  if (literals && whole) return { set: { ...set, only: literals }, exact: !hasValueKeyword(node) && !hasBounds(node) };
  // A bound says nothing about values that are no numbers: it narrows the set only where there are none.
  if (types?.length !== 1 || types[0] !== 'number')
    return { set, exact: whole && !hasValueKeyword(node) && !hasBounds(node) };
  return {
    set: {
      ...set,
      low: readBound(node.minimum, node.exclusiveMinimum, 1),
      high: readBound(node.maximum, node.exclusiveMaximum, -1),
    },
    exact: whole && !hasValueKeyword(node),
  };
}

function readBound(closedAt: Json | undefined, openAt: Json | undefined, sign: 1 | -1): FieldSet['low'] {
  const closed = typeof closedAt === 'number' ? closedAt : null;
  const open = typeof openAt === 'number' ? openAt : null;
  if (open !== null && (closed === null || (open - closed) * sign >= 0)) return { value: open, open: true };
  return closed === null ? null : { value: closed, open: false };
}

function hasValueKeyword(node: JsonObject): boolean {
  return Object.keys(node).some((word) => valueKeywords.has(word));
}

function hasBounds(node: JsonObject): boolean {
  return ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some((word) => Object.hasOwn(node, word));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
