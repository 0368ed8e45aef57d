/** Writing of the decision log: records are added at its end, and a full block of them is summed up. */

import type { AuditSetting } from '../../contract/types/decision-types.ts';
import { blockRows, fillsBlock } from '../blocks.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { prepareDraw } from '../examples/audits.ts';
import { chainedColumns, createLogChain, makeLink } from '../log-chain.ts';
import { type loggedColumns, loggedTable } from '../log-record.ts';
import type { RecordOf } from '../record.ts';

type Chained = RecordOf<typeof loggedColumns>;
type Optional = 'classifierChoice' | 'ruleErrors' | 'edgeId' | 'importedBy' | 'importedFile';
/** A decision as it is to be logged; personal fields are already redacted. */
export type NewLoggedDecision = Omit<Chained, Optional> &
  Partial<Pick<Chained, Optional>> & {
    versionNumber: number;
    release: number;
    explanation: string;
    /** How many of such decisions are drawn to be judged blind; may be left out where none is. */
    audit?: AuditSetting | null;
  };

/** Prepares the insert of records in one transaction of the caller's; it returns the last one's row number. */
export function prepareLogInserts(db: WorkbenchDatabase): (decisions: readonly NewLoggedDecision[]) => number {
  const statement = db.prepare(
    `INSERT INTO decision_logs (${chainedColumns}, link) VALUES (${loggedTable.names.map(() => '?').join(', ')}, ?)`,
  );
  const chain = createLogChain(db);
  const draw = prepareDraw(db);
  const writeSummaries = prepareLogSummaries(db);
  return (decisions) => {
    let link = chain.readLink();
    let seq = 0;
    for (const decision of decisions) {
      const values = loggedTable.toValues(decision);
      link = makeLink(link, values);
      seq = Number(statement.run(...values, link).lastInsertRowid);
      const { audit = null } = decision;
      if (audit !== null) {
        const isAutomatic = !decision.escalated && decision.stage !== 'escalation';
        draw({ ...decision, logSeq: seq, isAutomatic }, audit);
      }
      if (fillsBlock(seq)) writeSummaries(seq - blockRows + 1, seq);
    }
    return seq;
  };
}

/** As `prepareLogInserts`, of one record. */
export function prepareLogInsert(db: WorkbenchDatabase): (decision: NewLoggedDecision) => number {
  const insert = prepareLogInserts(db);
  return (decision) => insert([decision]);
}

/** Prepares the summaries of the full blocks between two row numbers, of all types without `typeSeq`. */
export function prepareLogSummaries(db: WorkbenchDatabase): (first: number, last: number, typeSeq?: number) => void {
  const statement = db.prepare<[number, number, number | null, number | null]>(
    `INSERT OR REPLACE INTO log_blocks
     SELECT decision_type_seq, seq / ${blockRows}, decision, escalated, ifnull(release, 0), count(*), sum(confidence), sum(latency_ms),
       min(confidence), max(confidence), min(created_at), max(created_at), min(seq), max(seq), sorted_numbers(confidence)
     FROM decision_logs WHERE seq BETWEEN ? AND ? AND removed_at IS NULL AND (? IS NULL OR decision_type_seq = ?)
     GROUP BY 1, 2, 3, 4, 5`,
  );
  return (first, last, typeSeq) => {
    statement.run(first, last, typeSeq ?? null, typeSeq ?? null);
  };
}
