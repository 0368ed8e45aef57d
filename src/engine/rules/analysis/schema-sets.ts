/** The values that an input schema allows each field. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { anyValue, type FieldSet, isLiteral, typesBySchemaName } from './field-set.ts';

const maxDepth = 8;
/** Listed values that are understood; every comparison of rules goes over all of them. */
const maxListedValues = 100;

/** Reads the named fields of a JSON Schema, each by its path as JSON. What it does not understand makes sets wider. */
export function readSchemaSets(schema: JsonObject | null, path: readonly string[] = []): Map<string, FieldSet> {
  const named = schema !== null && isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return new Map(
    named.flatMap(([name, field]) => {
      if (!isJsonObject(field) || path.length === maxDepth) return [];
      const inner = [...path, name];
      return [[JSON.stringify(inner), readFieldSet(field)] as const, ...readSchemaSets(field, inner)];
    }),
  );
}

function readFieldSet(node: JsonObject): FieldSet {
  const names = Array.isArray(node.type) ? node.type : node.type === undefined ? null : [node.type];
  const types = names && [...new Set(names.flatMap((name) => typesBySchemaName[String(name)] ?? []))];
  const set: FieldSet = { ...anyValue, types, whole: names?.includes('integer') === true && !names.includes('number') };
  const listed = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const ?? null] : null;
  if (listed !== null && listed.length <= maxListedValues && listed.every(isLiteral))
    return { ...set, only: new Set(listed) };
  // A bound says nothing about values other than numbers: it narrows the set only if there are none.
  if (types?.length !== 1 || types[0] !== 'number') return set;
  return {
    ...set,
    low: readBound(node.minimum, node.exclusiveMinimum, 1),
    high: readBound(node.maximum, node.exclusiveMaximum, -1),
  };
}

function readBound(closedAt: Json | undefined, openAt: Json | undefined, sign: 1 | -1): FieldSet['low'] {
  const closed = typeof closedAt === 'number' ? closedAt : null;
  const open = typeof openAt === 'number' ? openAt : null;
  if (open !== null && (closed === null || (open - closed) * sign >= 0)) return { value: open, open: true };
  return closed === null ? null : { value: closed, open: false };
}
