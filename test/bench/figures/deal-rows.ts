import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../../src/engine/random.ts';

/** A row of a data set, with its right decision. */
export type Row = { input: Record<string, unknown>; decision: string };

/** The rows of both sides of a data set (`NAME/{train,test}.jsonl`), in the order of one deal. */
export function dealRows(folder: string, name: string, deal: number): Row[] {
  const random = createRandom(deal + 1);
  return ['train', 'test']
    .flatMap((side) =>
      readFileSync(join(folder, name, `${side}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    .map((line) => ({ row: JSON.parse(line) as Row, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}
