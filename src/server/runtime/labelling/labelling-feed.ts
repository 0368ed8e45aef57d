/** Bringing a labelling model up to date with the examples of its type. */

import { nextTurn } from '../../../door/turns.ts';
import { toReadingPlace } from '../../../engine/drawn-rows.ts';
import type { RowState } from '../../../engine/labelling/labelling-model.ts';
import type { GiveOrder } from '../../process/orders.ts';
import type { ExampleState, LabellingStore } from '../../store/examples/labelling.ts';
import type { LabellingOrders } from './labelling-child.ts';
import type { ModelRow, StatePair } from './labelling-messages.ts';

const statesPerMessage = 2_000;
const rowsPerMessage = 200;

export type ExampleFeed = Pick<LabellingStore, 'readStates' | 'readInputs' | 'listIdentifyingFields'>;

/**
 * Sends the child the examples that it lacks, first to be numbered, then to be read; resolves with false where the
 * encoder could not be asked. `note` hears how many there are, and when all are numbered.
 */
export async function feedExamples(
  give: GiveOrder<LabellingOrders>,
  examples: ExampleFeed,
  type: { id: string; options: readonly string[] },
  note: { count(rows: number): void; numbered(): void },
): Promise<boolean> {
  const typeId = type.id;
  const numbers = toOptionNumbers(type.options);
  const labelled: string[] = [];
  const open: string[] = [];
  let count = 0;
  for (let before = Number.MAX_SAFE_INTEGER, first = true, last = false; !last; first = false) {
    const states = examples.readStates(typeId, before, statesPerMessage);
    last = states.length < statesPerMessage;
    before = states.at(-1)?.seq ?? before;
    count += states.length;
    const pairs = states.map((state): StatePair => [state.id, toRowState(state, numbers)]);
    const missing = new Set(await give('states', { typeId, pairs, first, last }));
    for (const { id, decision } of states) if (missing.has(id)) (decision === null ? open : labelled).push(id);
    await nextTurn();
  }
  note.count(count);
  function* listRows(ids: readonly string[]): Generator<{ rows: ModelRow[]; last: boolean }> {
    for (let from = 0; from < ids.length; from += rowsPerMessage) {
      const found = new Map(
        examples
          .readInputs(typeId, ids.slice(from, from + rowsPerMessage))
          .map(({ inputJson, ...state }) => [state.id, { id: state.id, inputJson, state: toRowState(state, numbers) }]),
      );
      const rows = ids.slice(from, from + rowsPerMessage).flatMap((id) => found.get(id) ?? []);
      yield { rows, last: from + rowsPerMessage >= ids.length };
    }
  }
  // Labels first, to learn from them.
  const places = new Map<number, string[]>();
  for (const { rows } of listRows([...labelled, ...open])) {
    const found = await give('number', { typeId, rows });
    for (const [at, { id, state }] of rows.entries()) {
      const place = toReadingPlace(found[at] ?? 0) + Number(state === 'open');
      const alike = places.get(place);
      if (alike === undefined) places.set(place, [id]);
      else alike.push(id);
    }
    await nextTurn();
  }
  note.numbered();
  // Numbers alone are sorted in a tenth of the time that a comparison of 200,000 rows took.
  const wanted = [...Float64Array.from(places.keys()).sort()].flatMap((place) => places.get(place) ?? []);
  for (const { rows, last } of listRows(wanted)) {
    if (!(await give('rows', { typeId, rows, last }))) return false;
    await nextTurn();
  }
  return true;
}

/** The number of each option, in the order of the definition. */
export function toOptionNumbers(options: readonly string[]): ReadonlyMap<string, number> {
  return new Map(options.map((option, number) => [option, number]));
}

/** Neither learned nor asked for: a label that is not an option any more, one put aside, and a teacher's. */
export function toRowState(
  { decision, mark, isUnconfirmed }: Omit<ExampleState, 'seq' | 'id'>,
  numbers: ReadonlyMap<string, number>,
): RowState {
  if (decision !== null) return isUnconfirmed ? 'aside' : (numbers.get(decision) ?? 'aside');
  return mark === null ? 'open' : 'aside';
}
