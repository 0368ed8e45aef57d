/** The subject of questions to a decision model as the input of a decision type. */
import type { InputField } from '../../engine/bundle/input-fields.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import { checkStrictness } from '../../engine/strict-json/json-body.ts';
import { parseJsonText } from '../../engine/strict-json/json-faults.ts';
import type { ReadField } from '../deciding/door.ts';
import { toValidationError } from '../errors/validation-error.ts';

export type State = { value: string | JsonObject; loc: ErrorDetail['loc'] };
type Fields = readonly ReadField[] | null;
/** The name of a type and the fields that it reads; null where they are not known. */
export type Reader = { name: string; listFields: () => Fields };

const readsText: ReadonlySet<InputField['kind']> = new Set(['text', 'conversation', 'category', 'any']);
const maxListedFields = 10;

/**
 * Returns the input of a type: an object as it is, a text that is an object with one of its fields, or any text as the
 * only field that it reads. Throws `validation_error` where a text could mean several.
 */
export function toInput({ value, loc }: State, { name, listFields }: Reader): JsonObject {
  if (typeof value !== 'string') return unwrap(value, loc, { name, listFields });
  const fields = listFields();
  const written = readObject(value);
  if (written !== null) {
    const input = unwrap(written, loc, { name, listFields: () => fields });
    if (fields === null || holdsAny(input, fields)) return input;
  }
  const [only, ...others] = fields ?? [];
  if (only !== undefined && others.length === 0 && readsText.has(only.kind)) {
    return nest(only.path, value);
  }
  const names = (fields ?? []).slice(0, maxListedFields).map(({ path }) => path.join('.'));
  const more = (fields?.length ?? 0) > names.length ? ' and more' : '';
  const needed = names.length === 0 ? '' : ` with ${names.join(', ')}${more}`;
  throw toValidationError([
    { type: 'input_not_known', loc, msg: `“${name}” takes no text alone: send an object${needed}` },
  ]);
}

function nest([key = '', ...rest]: readonly string[], value: string): JsonObject {
  return { [key]: rest.length === 0 ? value : nest(rest, value) };
}

function readObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith('{')) return null;
  const parsed = parseJsonText(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  checkStrictness(parsed.value, text);
  return parsed.value;
}

/** Whether an input has one of some fields, or the object around one. */
export const holdsAny = (input: JsonObject, fields: NonNullable<Fields>) =>
  fields.some(({ path }) => path[0] !== undefined && Object.hasOwn(input, path[0]));

const wrapperKeys = ['inputs', 'input_fields', 'instructions', 'demos'];

/**
 * The input in a wrapper of instructions, fields, inputs and labelled examples, which DSPy puts around it; one field
 * under a name of the caller's own is what is asked about.
 */
function unwrap(value: JsonObject, loc: State['loc'], { name, listFields }: Reader): JsonObject {
  const { inputs } = value;
  if (!isJsonObject(inputs) || !Object.keys(value).every((key) => wrapperKeys.includes(key))) return value;
  const fields = listFields() ?? [];
  if (fields.some(({ path }) => path[0] === 'inputs')) return value;
  const [only, ...others] = Object.values(inputs);
  if (fields.length === 0 || others.length > 0 || holdsAny(inputs, fields)) return inputs;
  if (typeof only === 'string') return toInput({ value: only, loc }, { name, listFields: () => fields });
  return isJsonObject(only) && holdsAny(only, fields) ? only : inputs;
}
