/**
 * Which rows to label next: of each five one that is drawn at random, to measure by; the others those the model doubts
 * most, and at random while there is no model.
 */

/** An open row. `number` is its permanent random number; `doubt` is null where no model has rated it. */
export type OpenRow = {
  id: string;
  number: number;
  isDrawn: boolean;
  doubt: number | null;
  /** Whether it seems to have an option of which hardly any label is known. */
  isRare: boolean;
};

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
 * Chooses up to `count` rows. `given` is how many were chosen before, so that the share of drawn rows does not depend
 * on how many are asked for at once; `isRepeat` says whether a row nearly repeats one of those chosen in this call.
 */
export function chooseRows(
  rows: readonly OpenRow[],
  count: number,
  given: number,
  isRepeat: (id: string, chosen: readonly OpenRow[]) => boolean,
): Choice[] {
  const drawn = pickBest(
    rows.filter(({ isDrawn }) => isDrawn),
    count,
    ({ number }) => -number,
  );
  const others = rows.filter(({ isDrawn }) => !isDrawn);
  const random = pickBest(
    others.filter(({ doubt }) => doubt === null),
    count,
    ({ number }) => -number,
  );
  const doubtful = pickBest(
    others.filter(({ doubt }) => doubt !== null),
    Math.max(minSeen, count * seenPerWanted),
    ({ doubt, isRare }) => (doubt ?? 0) * (isRare ? rareUse : 1),
  );
  const distinct: OpenRow[] = [];
  const repeats: OpenRow[] = [];
  for (const row of doubtful) {
    if (distinct.length === count) break;
    (isRepeat(row.id, distinct) ? repeats : distinct).push(row);
  }
  const useful = [...distinct, ...random, ...repeats];
  const choices: Choice[] = [];
  for (let at = given + 1; choices.length < count; at++) {
    const [first, second] = at % drawnEvery === 0 ? [drawn, useful] : [useful, drawn];
    const row = first.shift() ?? second.shift();
    if (row === undefined) break;
    choices.push({ id: row.id, reason: explain(row) });
  }
  return choices;
}

/** The `count` rows with the highest rates, the highest first. */
function pickBest(rows: readonly OpenRow[], count: number, rate: (row: OpenRow) => number): OpenRow[] {
  const rates = Float64Array.from(rows, rate);
  const limit = rates.toSorted().at(-count) ?? Number.NEGATIVE_INFINITY;
  return rows
    .filter((_, at) => rates[at] >= limit)
    .sort((a, b) => rate(b) - rate(a))
    .slice(0, count);
}

function explain({ isDrawn, doubt, isRare }: OpenRow): Reason {
  if (isDrawn) return 'measure';
  if (doubt === null) return 'random';
  return isRare ? 'rare_option' : 'doubt';
}
