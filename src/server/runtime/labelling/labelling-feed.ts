/** Bringing a labelling model up to date with the examples of its type. */
import type { RowState } from '../../../engine/labelling/labelling-model.ts';
import { createStream, randomStreams, shuffle } from '../../../engine/random.ts';
import { nextTurn } from '../../process/turns.ts';
import type { ExampleState, LabellingStore } from '../../store/examples/labelling.ts';
import type { ModelRow, StatePair } from './labelling-messages.ts';
import type { LabellingProcess } from './labelling-process.ts';

const statesPerMessage = 2_000;
const rowsPerMessage = 200;

export type ExampleFeed = Pick<LabellingStore, 'readStates' | 'readInputs' | 'listIdentifyingFields'>;

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
  // Shuffled, so that the rows read first represent the rest; labels first, to learn from them.
  const random = createStream(randomStreams.labellingOrder);
  const wanted = [...shuffle(labelled, random), ...shuffle(open, random)];
  for (let from = 0; from < wanted.length; from += rowsPerMessage) {
    const rows = examples
      .readInputs(typeId, wanted.slice(from, from + rowsPerMessage))
      .map(({ inputJson, ...state }): ModelRow => ({ id: state.id, inputJson, state: toRowState(state, numbers) }));
    const last = from + rowsPerMessage >= wanted.length;
    if (!(await child.ask({ kind: 'rows', typeId, rows, last }))) return false;
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
