/** Making an input and its reason codes of a row. */
import { toName } from '../domain/names.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Names of a column that holds whole inputs. */
export const inputNames: readonly string[] = ['input_payload', 'input'];
/** Whether a name can be a part of a dotted one. */
export const isFieldName = (name: string): boolean => /^[^0-9\s.][^\s.]*$/.test(name);
/** A part of a column's name that no input can have. */
export const forbiddenSegment = '__proto__';

/** A name made of field names: `stay.adults`, not `No. of rooms`, `Sr.` or the `Amount.1` of pandas. */
const dottedName = /^[^0-9\s.][^\s.]*(?:\.[^0-9\s.][^\s.]*)+$/;

/** The path of the field that a column becomes. */
export const splitName = (name: string): string[] => (dottedName.test(name) ? name.split('.') : [name]);

/** Makes an input of named values, dotted names opened; leaves out what is empty or has a forbidden name. */
export function toInput(values: readonly (readonly [name: string, value: Json | undefined])[]): JsonObject {
  const [only] = values;
  if (values.length === 1 && only !== undefined && isJsonObject(only[1])) return only[1];
  const input: JsonObject = {};
  for (const [name, value] of values) {
    const segments = splitName(name);
    if (value === undefined || segments.includes(forbiddenSegment)) continue;
    const last = segments.pop() ?? name;
    let place = input;
    for (const segment of segments) {
      const found = Object.hasOwn(place, segment) ? place[segment] : undefined;
      const inner: JsonObject = isJsonObject(found) ? found : {};
      place[segment] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return input;
}

/** The reason codes of a cell: a list, or a text with semicolons or bars between them. */
export function readReasonCodes(cell: Json | undefined): string[] {
  if (cell === undefined || cell === null) return [];
  if (Array.isArray(cell)) return cell.map(String);
  return String(cell)
    .split(/[;|]/)
    .map(toName)
    .filter((code) => code !== '');
}
