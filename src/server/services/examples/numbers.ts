/** How the numbers of a type's inputs are spread. */

import { isJsonObject, type JsonObject } from '../../../engine/json.ts';
import { isPiiField } from '../../../engine/pii.ts';
import { compileReadings } from '../../../engine/readings/readings.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

const maxInputs = 1_000;
const maxInputBytes = 8_000;
/** Numbers from which on a place among them says something. */
const minNumbers = 20;
const steps = 100;

/** Finds the numbers at each hundredth of every field in the newest examples, lowest first; none of PII fields. */
export function describeNumbers({ store }: Foundation, type: DecisionTypeRecord): { field: string; cuts: number[] }[] {
  const found = new Map<string, number[]>();
  const collect = (object: JsonObject, above: readonly string[]) => {
    for (const [name, value] of Object.entries(object)) {
      const path = [...above, name];
      const field = path.join('.');
      if (isJsonObject(value)) collect(value, path);
      if (typeof value !== 'number') continue;
      const numbers = found.get(field);
      if (numbers) numbers.push(value);
      else found.set(field, [value]);
    }
  };
  const read = compileReadings(type.activeVersion.definition.readings);
  for (const stored of store.labelling.readNewestInputs(type.id, maxInputs, maxInputBytes))
    collect(read(stored).input, []);
  return [...found].flatMap(([field, numbers]) => {
    if (numbers.length < minNumbers || isPiiField(field.split('.'), type.piiFields)) return [];
    const sorted = Float64Array.from(numbers).sort();
    const cuts = Array.from(
      { length: steps + 1 },
      (_, step) => sorted[Math.ceil((step * (sorted.length - 1)) / steps)] ?? 0,
    );
    return [{ field, cuts }];
  });
}
