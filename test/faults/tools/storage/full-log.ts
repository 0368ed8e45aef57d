/** A decision log with many records, written by the store itself without deciding. */
import path from 'node:path';
import type { JsonObject } from '../../../../src/engine/json.ts';
import { createRandom } from '../../../../src/engine/random.ts';
import { createIdSource, systemClock } from '../../../../src/server/process/clock.ts';
import { prepareDecisionCharge } from '../../../../src/server/store/account/credits.ts';
import { openDatabase, readMigrations } from '../../../../src/server/store/database.ts';
import { prepareLogInsert } from '../../../../src/server/store/deciding/log-writer.ts';
import { usualDecision } from '../../../server/usual-decision.ts';

const migrations = path.resolve(import.meta.dirname, '../../../../src/server/store/migrations');
/** The records are of so many days. */
export const logDays = 60;
const dayMs = 24 * 3_600_000;
const perTransaction = 20_000;

export type LogOrder = {
  count: number;
  /** The type of the record that is written at a place. */
  typeSeqAt(index: number): number;
  inputs: readonly JsonObject[];
  options: readonly [string, string];
};

/** Fills log and ledger of a folder that no program has open; the records' times go from 60 days ago to now. */
export function fillLog(dataDir: string, { count, typeSeqAt, inputs, options: [usual, rare] }: LogOrder): void {
  const file = path.join(dataDir, 'workbench.db');
  const db = openDatabase(file, { synchronous: 'NORMAL', migrations: readMigrations(migrations) });
  const insertLog = prepareLogInsert(db);
  const charge = prepareDecisionCharge(db);
  const random = createRandom(7);
  const newId = createIdSource(systemClock.now);
  const now = Date.now();
  for (let from = 0; from < count; from += perTransaction) {
    const end = Math.min(count, from + perTransaction);
    db.transaction(() => {
      let last = 0;
      for (let index = from; index < end; index += 1) {
        const confidence = 1 - random() ** 2 / 2;
        last = insertLog({
          ...usualDecision,
          decisionTypeSeq: typeSeqAt(index),
          requestId: newId(),
          input: inputs[index % inputs.length] ?? {},
          decision: random() < 0.3 ? rare : usual,
          confidence,
          classProbabilities: { [usual]: confidence, [rare]: 1 - confidence },
          escalated: confidence < 0.75,
          unfamiliar: random() < 0.02,
          latencyMs: random(),
          createdAt: Math.round(now - logDays * dayMs * (1 - index / count)),
        });
      }
      charge(last - (end - from) + 1, last, 1);
    })();
  }
  db.close();
}
