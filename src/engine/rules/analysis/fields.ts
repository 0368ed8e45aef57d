/** Knowledge of the fields of an input: from its schema and from inputs that were seen. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { StaticType } from '../functions.ts';
import { printPath } from '../parsing/print.ts';
import { findNearest, HintBudget } from '../suggest.ts';
import type { FieldTypes } from '../types.ts';
import { typesBySchemaName } from './field-set.ts';

/** A field: its path from ctx, its type ('any' where mixed), and its values, where schema or inputs list them. */
export type KnownField = {
  path: string[];
  type: StaticType;
  values: Json[] | null;
  /** Whether texts that were seen are days with a time. */
  hasTimes?: boolean;
  help: string;
};

const maxDepth = 8;
const maxFields = 2000;

/** Lists the fields that a JSON Schema names under `properties`, at most 2,000 and 8 levels deep. */
export function listSchemaFields(schema: JsonObject | null): KnownField[] {
  const fields: KnownField[] = [];
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per keyword of a schema
  const walk = (node: Json | undefined, path: string[]) => {
    if (!isJsonObject(node) || path.length > maxDepth) return;
    if (path.length > 0 && fields.length < maxFields) {
      const type = typeof node.type === 'string' ? (typesBySchemaName[node.type] ?? 'any') : 'any';
      fields.push({
        path,
        type,
        values: Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const ?? null] : null,
        help: typeof node.description === 'string' ? node.description : '',
      });
    }
    if (isJsonObject(node.properties))
      for (const [name, child] of Object.entries(node.properties)) walk(child, [...path, name]);
  };
  walk(schema ?? undefined, []);
  return fields;
}

/** Types for the static check; an unknown field is reported with the known one of the nearest name. */
export function createFieldTypes(known: readonly KnownField[]): FieldTypes {
  const byPath = new Map(known.map((field) => [JSON.stringify(field.path), field]));
  const namesByParent = new Map<string, string[]>();
  for (const { path } of known) {
    const parent = JSON.stringify(path.slice(0, -1));
    const names = namesByParent.get(parent) ?? [];
    names.push(path.at(-1) ?? '');
    namesByParent.set(parent, names);
  }
  const budget = new HintBudget();
  return (path, at, report) => {
    const field = byPath.get(JSON.stringify(path));
    if (field) return field.type;
    const above = path.slice(0, -1);
    const parent = byPath.get(JSON.stringify(above));
    const siblings = namesByParent.get(JSON.stringify(above)) ?? [];
    if (siblings.length > 0 && (above.length === 0 || parent?.type === 'map')) {
      const nearest = findNearest(path.at(-1) ?? '', siblings, budget);
      report({
        at,
        message: `Unknown field: ${printPath(path)}.`,
        suggestion: nearest ? `Did you mean ${printPath([...above, nearest])}?` : null,
      });
    }
    return 'any';
  };
}
