/** Durations of Parquet files: only the Arrow schema added by writers says which columns hold them, in what unit. */

import { strFromU8 } from 'fflate';

/** Every platform of the engine has it, the language's own library does not name it. */
declare const atob: (text: string) => string;

/** How many of each unit of Arrow make a millisecond: seconds, milliseconds, micro- and nanoseconds. */
const unitsPerMs = [0.001, 1, 1_000, 1_000_000];
/** The type `Duration`, and the places of fields in the tables of Arrow's `Message.fbs` and `Schema.fbs`. */
const durationType = 18;
const places = { header: 2, fields: 1, name: 0, typeOfType: 2, type: 3, unit: 0 };
/** The prefix of a message: a mark and its length. */
const messageStart = 8;

/** Lists the columns of durations with the units in a millisecond. Throws RangeError where it is not a schema. */
export function findDurations(arrowSchema: string): Map<string, number> {
  const bytes = Uint8Array.from(atob(arrowSchema), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const follow = (place: number) => place + view.getUint32(place, true);
  /** The place of a field in a table of FlatBuffers, whose own table has the offset of each; null for one left out. */
  const find = (table: number, field: number): number | null => {
    const offsets = table - view.getInt32(table, true);
    const at = 4 + 2 * field;
    const offset = at < view.getUint16(offsets, true) ? view.getUint16(offsets + at, true) : 0;
    return offset === 0 ? null : table + offset;
  };
  const findInner = (table: number | null, field: number) => {
    const place = table === null ? null : find(table, field);
    return place === null ? null : follow(place);
  };
  const durations = new Map<string, number>();
  const fields = findInner(findInner(follow(messageStart), places.header), places.fields);
  const count = fields === null ? 0 : view.getUint32(fields, true);
  for (let index = 0; index < count; index += 1) {
    const field = follow((fields ?? 0) + 4 + 4 * index);
    const type = find(field, places.typeOfType);
    if (type === null || view.getUint8(type) !== durationType) continue;
    const name = findInner(field, places.name);
    const inner = findInner(field, places.type);
    if (name === null || inner === null) continue;
    const unit = find(inner, places.unit);
    const letters = bytes.subarray(name + 4, name + 4 + view.getUint32(name, true));
    durations.set(strFromU8(letters), unitsPerMs[unit === null ? 1 : view.getInt16(unit, true)] ?? 1);
  }
  return durations;
}
