/** The values that an input schema allows each field. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { always, type Conjunct, intersectConjuncts, isImpossible } from './conjuncts.ts';
import { anyValue, type FieldSet, isLiteral, typesBySchemaName } from './field-set.ts';

export type SchemaSets = {
  /** Narrows a conjunction to inputs that follow the schema; null where none of them makes it true. */
  narrow(conjunct: Conjunct): Conjunct | null;
  /** True if everything that the schema says about these fields is understood here. */
  isExact(conjunct: Conjunct): boolean;
};

const understoodKeywords = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum properties required additionalProperties items
   minItems maxItems uniqueItems title description default examples deprecated readOnly writeOnly $schema $id $comment`
    .trim()
    .split(/\s+/),
);
/** Keywords that limit their own value and no other field. */
const valueKeywords = new Set(['pattern', 'format', 'minLength', 'maxLength', 'multipleOf']);
const maxDepth = 8;
/** Listed values that are understood; every comparison of rules goes over all of them. */
const maxListedValues = 100;
/** The key of the input itself. */
const wholeInput = '[]';

type Known = { set: FieldSet; required: boolean; exact: boolean };

/** Reads a JSON Schema. A keyword that it does not understand makes the sets wider, and `isExact` false. */
export function readSchemaSets(schema: JsonObject | null): SchemaSets {
  const fields = new Map<string, Known>();
  /** Objects that have no fields but those named. */
  const closed = new Set<string>();
  let isWholeExact = true;
  const walk = (node: JsonObject, path: string[], required: boolean) => {
    const keywords = Object.keys(node);
    if (keywords.some((keyword) => !understoodKeywords.has(keyword) && !valueKeywords.has(keyword)))
      isWholeExact = false;
    const key = JSON.stringify(path);
    fields.set(key, { ...readFieldSet(node), required });
    const named = isJsonObject(node.properties) ? node.properties : {};
    if (node.additionalProperties === false && !('patternProperties' in node)) closed.add(key);
    else if (isJsonObject(node.additionalProperties)) isWholeExact = false;
    const needed = Array.isArray(node.required) ? node.required : [];
    if (needed.some((name) => typeof name === 'string' && !Object.hasOwn(named, name))) isWholeExact = false;
    for (const [name, child] of Object.entries(named)) {
      if (isJsonObject(child) && path.length < maxDepth) walk(child, [...path, name], needed.includes(name));
      else isWholeExact = false;
    }
  };
  if (schema) walk(schema, [], true);

  /** The fields on the way to a field that was asked for, itself included, each by its key. */
  const ways = new Map<string, string[]>();
  const listWay = (key: string): string[] => {
    const known = ways.get(key);
    if (known) return known;
    const path = JSON.parse(key) as string[];
    const way = path.map((_, index) => JSON.stringify(path.slice(0, index + 1)));
    ways.set(key, way);
    return way;
  };

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each field on the way can rule the conjunct out
  const narrow = (conjunct: Conjunct): Conjunct | null => {
    const allowed = new Map<string, FieldSet>();
    for (const [key, set] of conjunct.fields) {
      let above = wholeInput;
      for (const here of listWay(key)) {
        const known = fields.get(here);
        const missing = here === key && !set.present;
        if (missing && known?.required) return null;
        if (missing) break;
        if (!known && closed.has(above)) return null;
        if (known) allowed.set(here, known.set);
        above = here;
      }
    }
    const narrowed = intersectConjuncts(conjunct, { ...always, fields: allowed });
    return isImpossible(narrowed) ? null : narrowed;
  };
  const isExact = (conjunct: Conjunct) =>
    isWholeExact && [...conjunct.fields.keys()].every((key) => fields.get(key)?.exact !== false);
  return { narrow, isExact };
}

function readFieldSet(node: JsonObject): { set: FieldSet; exact: boolean } {
  const names = Array.isArray(node.type) ? node.type : node.type === undefined ? null : [node.type];
  const types = names && [...new Set(names.flatMap((name) => typesBySchemaName[String(name)] ?? []))];
  const set: FieldSet = { ...anyValue, types, whole: names?.includes('integer') === true && !names.includes('number') };
  const listed = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const ?? null] : null;
  const literals = listed?.filter(isLiteral) ?? null;
  const hasOnlyLiterals = literals?.length === listed?.length && (listed?.length ?? 0) <= maxListedValues;
  if (literals && hasOnlyLiterals)
    return { set: { ...set, only: new Set(literals) }, exact: !hasValueKeyword(node) && !hasBounds(node) };
  // A bound says nothing about values other than numbers: it narrows the set only if there are none.
  if (types?.length !== 1 || types[0] !== 'number')
    return { set, exact: hasOnlyLiterals && !hasValueKeyword(node) && !hasBounds(node) };
  return {
    set: {
      ...set,
      low: readBound(node.minimum, node.exclusiveMinimum, 1),
      high: readBound(node.maximum, node.exclusiveMaximum, -1),
    },
    exact: hasOnlyLiterals && !hasValueKeyword(node),
  };
}

function readBound(closedAt: Json | undefined, openAt: Json | undefined, sign: 1 | -1): FieldSet['low'] {
  const closed = typeof closedAt === 'number' ? closedAt : null;
  const open = typeof openAt === 'number' ? openAt : null;
  if (open !== null && (closed === null || (open - closed) * sign >= 0)) return { value: open, open: true };
  return closed === null ? null : { value: closed, open: false };
}

function hasValueKeyword(node: JsonObject): boolean {
  return Object.keys(node).some((keyword) => valueKeywords.has(keyword));
}

function hasBounds(node: JsonObject): boolean {
  return ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some((word) => Object.hasOwn(node, word));
}
