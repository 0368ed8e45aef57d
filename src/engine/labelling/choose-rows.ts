/** Rows to label next: of each five one drawn at random, to measure by; the others those the model doubts most. */
import { isDrawn, minDrawnRows } from '../drawn-rows.ts';

/** A row that is open, given out, or labelled; `number` is its random number, `doubt` null while unrated. */
export type QueueRow = {
  id: string;
  number: number;
  state: 'open' | 'out' | 'labelled';
  /** Whether the model has read it: until then nothing is suggested for it. */
  isRead: boolean;
  doubt: number | null;
  /** Whether it seems to have an option of which hardly any label is known. */
  isRare: boolean;
};

/** By which rows are chosen: their use for the model, one in five drawn, or their random numbers alone. */
export type QueueOrder = 'useful' | 'random';

/** `measure`: to measure by; `random`: there is no model yet. */
export type Reason = 'measure' | 'random' | 'doubt' | 'rare_option';
export type Choice = { id: string; reason: Reason };

const drawnEvery = 5;
/** How much more a row counts that seems to have an option with hardly any labels. */
const rareUse = 2;
/** Doubtful rows that are looked at, and for each one wanted: some of them repeat those chosen already. */
const minSeen = 300;
const seenPerWanted = 10;

/**
 * Chooses up to `count` open rows. In the useful order every fifth is the drawn one of lowest number, and any other
 * while fewer are measured, or out to be, than a fifth of all that are labelled or out: however fast, and wherever, the
 * others were labelled. `isRepeat` says whether a row nearly repeats one of those chosen in this call.
 */
export function chooseRows(
  rows: readonly QueueRow[],
  count: number,
  order: QueueOrder,
  isRepeat: (id: string, chosen: readonly QueueRow[]) => boolean,
): Choice[] {
  const open = rows.filter(({ state }) => state === 'open');
  if (order === 'random') {
    return pickBest(open, count, ({ number }) => -number).map(({ id }) => ({ id, reason: 'measure' }));
  }
  const done = rows.filter(({ state }) => state !== 'open').map(({ number }) => number);
  const drawnDone = done.filter(isDrawn);
  const drawn = pickBest(
    open.filter(({ number }) => isDrawn(number)),
    count,
    ({ number }) => -number,
  );
  const useful = listUseful(
    open.filter(({ number }) => !isDrawn(number)),
    count,
    isRepeat,
  );
  const choices: Choice[] = [];
  for (let at = done.length + 1, given = 0; choices.length < count; at++) {
    const lowest = drawn[0]?.number ?? 1;
    const measured = given + drawnDone.filter((number) => number <= lowest).length;
    const isDue = at % drawnEvery === 0 || measured < Math.min(minDrawnRows.promise, Math.floor(at / drawnEvery));
    const [first, second] = isDue ? [drawn, useful] : [useful, drawn];
    const row = first.shift() ?? second.shift();
    if (row === undefined) break;
    given += Number(isDrawn(row.number));
    choices.push({ id: row.id, reason: explain(row) });
  }
  return choices;
}

/** The rows the model doubts most, no two alike; then those it has not rated, at random, and what repeats others. */
function listUseful(
  rows: readonly QueueRow[],
  count: number,
  isRepeat: (id: string, chosen: readonly QueueRow[]) => boolean,
): QueueRow[] {
  const random = pickBest(
    rows.filter(({ doubt }) => doubt === null),
    count,
    ({ number, isRead }) => Number(isRead) - number,
  );
  const doubtful = pickBest(
    rows.filter(({ doubt }) => doubt !== null),
    Math.max(minSeen, count * seenPerWanted),
    ({ doubt, isRare }) => (doubt ?? 0) * (isRare ? rareUse : 1),
  );
  const distinct: QueueRow[] = [];
  const repeats: QueueRow[] = [];
  for (const row of doubtful) {
    if (distinct.length === count) break;
    (isRepeat(row.id, distinct) ? repeats : distinct).push(row);
  }
  return [...distinct, ...random, ...repeats];
}

/** The `count` rows with the highest rates, the highest first. */
function pickBest(rows: readonly QueueRow[], count: number, rate: (row: QueueRow) => number): QueueRow[] {
  const rates = Float64Array.from(rows, rate);
  const limit = rates.toSorted().at(-count) ?? Number.NEGATIVE_INFINITY;
  return rows
    .filter((_, at) => rates[at] >= limit)
    .sort((a, b) => rate(b) - rate(a))
    .slice(0, count);
}

function explain({ number, doubt, isRare }: QueueRow): Reason {
  if (isDrawn(number)) return 'measure';
  if (doubt === null) return 'random';
  return isRare ? 'rare_option' : 'doubt';
}
