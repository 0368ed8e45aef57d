/** The content of the rows of a training as texts, whose digest names the snapshot and seeds the run. */
import type { RowSource } from '../domain/training.ts';
import type { OpenRows } from '../drawn-rows.ts';

/** A row of a snapshot; input and reason codes are JSON as they are stored. */
export type DigestedRow = {
  inputJson: string;
  decision: string;
  /** The label that it is measured by, where that is another one. */
  firstDecision: string | null;
  reasonCodesJson: string;
  source: RowSource;
  test: boolean;
  /** Whether it came without its label, which a person gave it later; not of live decisions that were drawn. */
  later: boolean;
};

/** Lists what is digested of rows, whatever their order and ids: the same rows imported again have the same digest. */
export function listDigested({
  rows,
  open,
  hinted,
}: {
  rows: readonly DigestedRow[];
  open: OpenRows;
  hinted: readonly { inputJson: string; decision: string }[];
}): string[] {
  const isPart = open.rows > 0 || open.putAside !== undefined;
  const texts = rows
    .map(({ inputJson, decision, firstDecision, reasonCodesJson, source, test, later }) =>
      JSON.stringify([
        ...[inputJson, decision, reasonCodesJson, source],
        ...(test ? ['test'] : []),
        ...(later && isPart ? ['later'] : []),
        ...(firstDecision === null ? [] : [{ firstDecision }]),
      ]),
    )
    .sort();
  if (isPart) texts.push(JSON.stringify(open));
  for (const { inputJson, decision } of hinted) texts.push(JSON.stringify({ hint: decision, inputJson }));
  return texts;
}

/** The seed of a run for which none is given: it follows from the data. */
export const toSeed = (snapshotSha256: string): number => Number.parseInt(snapshotSha256.slice(0, 8), 16) >>> 1;
