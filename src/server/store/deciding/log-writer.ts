/** Writing of the decision log: records are added at its end, and a full block of them is summed up. */

import type { Stage } from '../../../engine/domain/decision.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { RuleFailure } from '../../../engine/rules/rules-file.ts';
import type { AuditSetting } from '../../contract/types/decision-types.ts';
import { blockRows, fillsBlock } from '../blocks.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { prepareDraw } from '../examples/audits.ts';
import { chainedColumns, createLogChain, makeLink } from '../log-chain.ts';

/** A decision as it is to be logged; personal fields are already redacted. */
export type NewLoggedDecision = {
  decisionTypeSeq: number;
  requestId: string;
  input: JsonObject;
  decision: string;
  /** Confidence of the decision; in records of earlier programs always that of the classifier in its own choice. */
  confidence: number;
  /** Option that the classifier chose, where it is not the decision; null in records of earlier programs. */
  classifierChoice?: string | null;
  stage: Stage;
  reasonCodes: string[];
  classProbabilities: Record<string, number>;
  rulesTriggered: string[];
  /** The rules that failed before one matched; may be left out where none did. */
  ruleErrors?: readonly RuleFailure[];
  escalated: boolean;
  fallbackUsed: boolean;
  unfamiliar: boolean;
  policyVersion: string;
  /** The version of the decision type whose input schema, rules and thresholds decided. */
  versionNumber: number;
  release: number;
  /** Why it was decided so, in a sentence without a value of the input. */
  explanation: string;
  latencyMs: number;
  apiKeyId: string | null;
  createdAt: number;
  /** The id in the log of the service that made it elsewhere; left out of what is decided here. */
  edgeId?: string;
  /** Who brought it, and out of which file, as they said. */
  importedBy?: string | null;
  importedFile?: string | null;
  /** How many of such decisions are drawn to be judged blind; may be left out where none is. */
  audit?: AuditSetting | null;
};

/** Prepares the insert of records in one transaction of the caller's; it returns the last one's row number. */
export function prepareLogInserts(db: WorkbenchDatabase): (decisions: readonly NewLoggedDecision[]) => number {
  const statement = db.prepare(
    `INSERT INTO decision_logs (${chainedColumns}, link) VALUES (${Array.from(chainedColumns.split(','), () => '?').join(', ')}, ?)`,
  );
  const chain = createLogChain(db);
  const draw = prepareDraw(db);
  const writeSummaries = prepareLogSummaries(db);
  return (decisions) => {
    let link = chain.readLink();
    let seq = 0;
    for (const decision of decisions) {
      const values = toValues(decision);
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

/** A record's values in the order of `chainedColumns`. */
function toValues(decision: NewLoggedDecision): (string | number | null)[] {
  const { ruleErrors = [] } = decision;
  return [
    decision.decisionTypeSeq,
    decision.requestId,
    JSON.stringify(decision.input),
    decision.decision,
    decision.confidence,
    decision.classifierChoice ?? null,
    decision.stage,
    toJsonList(decision.reasonCodes),
    JSON.stringify(decision.classProbabilities),
    toJsonList(decision.rulesTriggered),
    decision.escalated ? 1 : 0,
    decision.fallbackUsed ? 1 : 0,
    decision.unfamiliar ? 1 : 0,
    decision.policyVersion,
    decision.versionNumber,
    decision.release,
    decision.explanation,
    decision.latencyMs,
    decision.apiKeyId,
    decision.createdAt,
    ruleErrors.length === 0 ? null : JSON.stringify(ruleErrors),
    decision.edgeId ?? null,
    decision.importedBy ?? null,
    decision.importedFile ?? null,
  ];
}

const toJsonList = (list: readonly string[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));

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
