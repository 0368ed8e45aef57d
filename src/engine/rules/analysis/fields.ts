/** What is known about the fields of an input: from its schema and from inputs that were seen. */
import type { Json, JsonObject } from '../../domain.ts';
import type { StaticType } from '../functions.ts';
import { printPath } from '../print.ts';
import { findNearest } from '../suggest.ts';
import type { FieldTypes } from '../types.ts';
import { typesBySchemaName } from './field-set.ts';

/** One field: its path from ctx, its type ('any' when mixed), and the values it may have, where the schema lists them. */
export type KnownField = {
  path: string[];
  type: StaticType;
  values: Json[] | null;
  help: string;
};

const deepest = 8;
const maxFields = 2000;

/** The fields that a JSON Schema names under `properties`. */
export function listSchemaFields(schema: JsonObject | null): KnownField[] {
  const fields: KnownField[] = [];
  const walk = (node: Json | undefined, path: string[]) => {
    if (!isObject(node) || path.length > deepest) return;
    if (path.length > 0 && fields.length < maxFields) {
      const type = typeof node.type === 'string' ? (typesBySchemaName[node.type] ?? 'any') : 'any';
      fields.push({
        path,
        type,
        values: Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const as Json] : null,
        help: typeof node.description === 'string' ? node.description : '',
      });
    }
    if (isObject(node.properties))
      for (const [name, child] of Object.entries(node.properties)) walk(child, [...path, name]);
  };
  walk(schema ?? undefined, []);
  return fields;
}

/** Types for the static check; an unknown field is reported with the known one that was likely meant. */
export function createFieldTypes(known: readonly KnownField[]): FieldTypes {
  const byPath = new Map(known.map((field) => [JSON.stringify(field.path), field]));
  return (path, at, report) => {
    const field = byPath.get(JSON.stringify(path));
    if (field) return field.type;
    const above = path.slice(0, -1);
    const parent = byPath.get(JSON.stringify(above));
    const siblings = known.filter(
      (one) => one.path.length === path.length && above.every((name, i) => one.path[i] === name),
    );
    if (siblings.length > 0 && (above.length === 0 || parent?.type === 'map')) {
      const meant = findNearest(
        path.at(-1) ?? '',
        siblings.map((one) => one.path.at(-1) ?? ''),
      );
      report({
        at,
        message: `Unknown field: ${printPath(path)}.`,
        suggestion: meant ? `Did you mean ${printPath([...above, meant])}?` : null,
      });
    }
    return 'any';
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
