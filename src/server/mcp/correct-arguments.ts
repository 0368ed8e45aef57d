/** Corrects arguments as some clients send them: null for omitted ones, and objects as JSON texts. */
import type { z } from 'zod';
import { readJsonBody } from '../hot-path/json-body.ts';

type ToolArguments = Record<string, unknown>;

/** Levels of arguments that may need it: a list as text, whose objects have nulls, one of them in an object. */
const maxRounds = 3;

/** Leaves out refused nulls and reads JSON texts where objects or lists are due. Throws as `readJsonBody`. */
export function correctArguments(schema: z.ZodObject, given: ToolArguments): ToolArguments {
  let corrected = given;
  for (let round = 0; round < maxRounds; round += 1) {
    const issues = schema.safeParse(corrected, { reportInput: false }).error?.issues ?? [];
    const next = structuredClone(corrected);
    if (!issues.map(({ code, path }) => correctValue(next, path, code === 'invalid_type')).includes(true)) break;
    corrected = next;
  }
  return corrected;
}

/** Leaves out a null at a path, or reads a JSON text where another type is due; false where neither stands there. */
function correctValue(root: object, path: readonly PropertyKey[], isOfOtherType: boolean): boolean {
  const [last, ...above] = path.toReversed();
  const parent: unknown = above.reduceRight<unknown>((value, key) => Reflect.get(Object(value), key), root);
  if (last === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return false;
  const value: unknown = Reflect.get(parent, last);
  if (value === null && !Array.isArray(parent)) return Reflect.deleteProperty(parent, last);
  const read =
    isOfOtherType && typeof value === 'string' && /^\s*[[{]/.test(value) ? readJsonBody(Buffer.from(value)) : null;
  return typeof read === 'object' && read !== null && Reflect.set(parent, last, read);
}
