/** Bringing a labelling model up to date with the examples of its type. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowState } from '../../../engine/labelling/labelling-model.ts';
import type { ExampleState, LabellingStore } from '../../store/examples/labelling.ts';
import type { ModelRow, StatePair } from './labelling-messages.ts';
import type { LabellingProcess } from './labelling-process.ts';

const statesPerMessage = 2_000;
const rowsPerMessage = 200;

export type ExampleFeed = Pick<LabellingStore, 'readStates' | 'readInputs'>;

/** Sends the child the examples that it lacks; resolves with false where the encoder could not be asked. */
export async function feedExamples(
  child: Pick<LabellingProcess, 'ask'>,
  examples: ExampleFeed,
  type: { id: string; options: readonly string[] },
  noteCount: (count: number) => void,
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
    const missing = new Set(await child.ask({ kind: 'states', typeId, pairs, first, last }));
    for (const { id, decision } of states) if (missing.has(id)) (decision === null ? open : labelled).push(id);
    await nextTurn();
  }
  noteCount(count);
  // Spread over all of them, so that whatever was read first stands for the rest; labels first, to learn from them.
  let sent = 0;
  for (const wanted of inParts(rowsPerMessage, spread(labelled), spread(open))) {
    sent += wanted.length;
    const rows = examples
      .readInputs(typeId, wanted)
      .map(({ inputJson, ...state }): ModelRow => ({ id: state.id, inputJson, state: toRowState(state, numbers) }));
    const last = sent === labelled.length + open.length;
    if (!(await child.ask({ kind: 'rows', typeId, rows, last }))) return false;
    await nextTurn();
  }
  return true;
}

export function toOptionNumbers(options: readonly string[]): ReadonlyMap<string, number> {
  return new Map(options.map((option, number) => [option, number]));
}

/** Neither learned nor asked for: a label that is no option any more, one put aside, and a teacher's. */
export function toRowState(
  { decision, mark, isUnconfirmed }: Omit<ExampleState, 'seq' | 'id'>,
  numbers: ReadonlyMap<string, number>,
): RowState {
  if (decision !== null) return isUnconfirmed ? 'aside' : (numbers.get(decision) ?? 'aside');
  return mark === null ? 'open' : 'aside';
}

/** Every item once, in steps of the golden section of their number: any first part of them is spread over all. */
function* spread<T>(items: readonly T[]): Generator<T> {
  const count = items.length;
  let step = Math.max(1, Math.round(count * 0.618_034));
  while (findCommonDivisor(step, count) > 1) step += 1;
  for (let at = 0, done = 0; done < count; done++, at = (at + step) % count) yield items[at] as T;
}

function findCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : findCommonDivisor(b, a % b);
}

/** All items of some lists, one list after the other, in parts of a size. */
function* inParts<T>(size: number, ...lists: Iterable<T>[]): Generator<T[]> {
  let part: T[] = [];
  for (const list of lists) {
    for (const item of list) {
      part.push(item);
      if (part.length < size) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}
