/** The rows that a first number is of, while all of them are learned. */
import { toReadingPlace, toRowContent, toRowNumber } from '../engine/drawn-rows.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Project } from './project.ts';

/** Learned in some seconds, also where there are 77 answers or the texts are long. */
const most = { rows: 600, characters: 200_000 };
const fewestRows = 100;

/** Takes rows with an answer at random, the same each time; null where these are not far fewer than all. */
export function takeFirstRows(project: Project): Project | null {
  const labelled = project.examples.filter(({ decision }) => decision !== null);
  let characters = 0;
  const examples = sortAtRandom(labelled).filter(({ input }, at) => {
    characters += JSON.stringify(input).length;
    return at < fewestRows || (at < most.rows && characters <= most.characters);
  });
  return 2 * examples.length > labelled.length ? null : { ...project, examples };
}

/** The number of rows with an answer. */
export const countLabelled = ({ examples }: Project): number =>
  examples.filter(({ decision }) => decision !== null).length;

/** Sorts rows by their permanent numbers, so that the first of them stand for all. */
export function sortAtRandom<Row extends { input: JsonObject }>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, place: toReadingPlace(toRowNumber(toRowContent(row.input, []))) }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}
