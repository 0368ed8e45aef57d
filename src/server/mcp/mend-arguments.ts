/** Arguments as some clients send them: null for what they leave out, and objects as JSON texts. */
import type { z } from 'zod';
import { readJsonBody } from '../hot-path/json-body.ts';

type ToolArguments = Record<string, unknown>;

/** Levels of arguments that may need it: a list as text, whose objects have nulls, one of them in an object. */
const maxMends = 3;

/** Leaves out null where it is refused, and reads a text with JSON where an object or a list is wanted. Throws as `readJsonBody`. */
export function mendArguments(schema: z.ZodObject, given: ToolArguments): ToolArguments {
  let mended = given;
  for (let round = 0; round < maxMends; round += 1) {
    const issues = schema.safeParse(mended, { reportInput: false }).error?.issues ?? [];
    const next = structuredClone(mended);
    if (!issues.map(({ code, path }) => code === 'invalid_type' && mendValue(next, path)).includes(true)) break;
    mended = next;
  }
  return mended;
}

/** Leaves out a null, or reads a JSON text, at a path; false where neither stands there. */
function mendValue(root: object, path: readonly PropertyKey[]): boolean {
  const [last, ...above] = path.toReversed();
  const parent: unknown = above.reduceRight<unknown>((value, key) => Reflect.get(Object(value), key), root);
  if (last === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return false;
  const value: unknown = Reflect.get(parent, last);
  if (value === null && !Array.isArray(parent)) return Reflect.deleteProperty(parent, last);
  const read = typeof value === 'string' && /^\s*[[{]/.test(value) ? readJsonBody(Buffer.from(value)) : null;
  return typeof read === 'object' && read !== null && Reflect.set(parent, last, read);
}
