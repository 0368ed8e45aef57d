/** Directions in an input schema: what a number that rises must never do to the probability of an option. */
import type { ErrorDetail } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { type Path, readSchema } from './schema-parts.ts';

const keywords = ['never_lowers', 'never_raises'] as const;

/** A number of the inputs that never lowers, or never raises, the probability of an option as it rises. */
export type Direction = { path: string[]; keyword: (typeof keywords)[number]; option: string };

type Found = { schema: JsonObject; loc: Path; keyword: Direction['keyword']; option: Json };

function findDirections(schema: JsonObject, base: Path): Found[] {
  return readSchema(schema, base).parts.flatMap((part) =>
    keywords.flatMap((keyword) => {
      const option = part.schema[keyword];
      return option === undefined ? [] : [{ schema: part.schema, loc: part.loc, keyword, option }];
    }),
  );
}

/** The names that lead to a field, from the place of its schema; null for other places, as within a list. */
function toFieldPath(loc: Path): string[] | null {
  const isField = loc.length > 0 && loc.length % 2 === 0 && loc.every((key, i) => i % 2 === 1 || key === 'properties');
  return isField ? loc.filter((_, i) => i % 2 === 1).map(String) : null;
}

const mayBeNumber = ({ type, properties }: JsonObject) =>
  properties === undefined &&
  (type === undefined || [type].flat().some((each) => each === 'number' || each === 'integer'));

/** Returns the problems of a schema's directions; `loc` starts with ['body', 'input_schema']. */
export function checkDirections(schema: JsonObject, options: readonly string[]): ErrorDetail[] {
  const base = ['body', 'input_schema'];
  return findDirections(schema, base).flatMap(({ schema: part, loc, keyword, option }) => {
    const refuse = (msg: string): ErrorDetail[] => [{ type: 'schema_direction', loc: [...loc, keyword], msg }];
    if (toFieldPath(loc.slice(base.length)) === null) return refuse('must stand at a field, under "properties"');
    if (!mayBeNumber(part)) return refuse('must stand at a field of type "number" or "integer"');
    if (keywords.every((each) => each in part))
      return refuse(`stands beside the other one; name one option for one of ${keywords.join(' and ')}`);
    if (typeof option !== 'string' || !options.includes(option)) return refuse('must be one of the options');
    return [];
  });
}

/** Lists the directions of a checked schema. */
export function listDirections(schema: JsonObject | null): Direction[] {
  if (schema === null) return [];
  return findDirections(schema, []).flatMap(({ loc, keyword, option }) => {
    const path = toFieldPath(loc);
    return path === null || typeof option !== 'string' ? [] : [{ path, keyword, option }];
  });
}

/** Carries directions along where an option is renamed or merged `into` another, or goes. */
export function replaceDirectionOption(schema: JsonObject, from: string, into: string | null): JsonObject {
  const replaced: JsonObject = JSON.parse(JSON.stringify(schema));
  for (const { schema: part, keyword, option } of findDirections(replaced, [])) {
    if (option !== from) continue;
    if (into === null) delete part[keyword];
    else part[keyword] = into;
  }
  return replaced;
}
