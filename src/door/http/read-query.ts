/** Queries of addresses, whose strings become the JSON types that a schema declares. */
import type { ZodType } from 'zod';
import type { ErrorDetail, Result } from '../../engine/errors.ts';
import { parsePart } from '../errors/parse-part.ts';

type QueryReader<Query> = (query: unknown, problems: ErrorDetail[]) => Query | undefined;

/** Returns what was read, or adds its problems. */
export function takeValue<Value>(parsed: Result<Value, ErrorDetail>, problems: ErrorDetail[]): Value | undefined {
  if (parsed.ok) return parsed.value;
  problems.push(...parsed.problems);
  return undefined;
}

/** Makes the reader of an operation's query; without a schema it takes none. */
export function createQueryPartReader<Query>(schema: ZodType<Query> | undefined): QueryReader<Query> {
  if (schema === undefined) {
    return (query, problems) => {
      for (const key of Object.keys(Object(query))) {
        problems.push({ type: 'unrecognized_keys', loc: ['query', key], msg: `unknown parameter: ${key}` });
      }
      return undefined;
    };
  }
  const readQuery = createQueryReader(schema);
  // Most calls have no query: what the schema makes of an empty one is known before.
  const empty = schema.safeParse({});
  return (query, problems) => {
    const given: Record<string, unknown> = Object(query);
    if (empty.success && Object.keys(given).length === 0) return empty.data;
    return takeValue(parsePart(schema, readQuery(given), 'query'), problems);
  };
}

type Kind = 'integer' | 'number' | 'boolean' | 'string';
const integer = /^-?(?:0|[1-9]\d{0,15})$/;
/** A number as JSON writes it, so that what a client's language prints for a float can be read. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

type ZodDef = { type: string; format?: string; innerType?: ZodType; shape?: Record<string, ZodType> };
const readDefinition = (schema: ZodType): ZodDef => schema._zod.def as unknown as ZodDef;

function inferKind(schema: ZodType): Kind {
  const def = readDefinition(schema);
  if (def.innerType !== undefined) return inferKind(def.innerType);
  if (def.type === 'boolean') return 'boolean';
  if (def.type === 'number') return def.format === 'safeint' ? 'integer' : 'number';
  return 'string';
}

/**
 * Makes the reader of an address's query: its strings become the JSON types that the schema declares, and only in their
 * plain form (`page=0x10`, `page=1e2` and `page=01` are errors). Anything else stays a string and fails the schema.
 */
function createQueryReader(schema: ZodType): (query: Record<string, unknown>) => Record<string, unknown> {
  const kinds = new Map(
    Object.entries(readDefinition(schema).shape ?? {}).map(([name, field]) => [name, inferKind(field)]),
  );
  return (query) => {
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(query)) read[name] = readQueryValue(value, kinds.get(name) ?? 'string');
    return read;
  };
}

function readQueryValue(value: unknown, kind: Kind): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'integer' && integer.test(value)) return Number(value);
  if (kind === 'number' && decimal.test(value)) return Number(value);
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
