import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import type { LogRecord } from '../contract/logs.ts';
import { exportSliceSize } from '../hot-path/export-slice-size.ts';
import { writeNumber } from '../hot-path/write-number.ts';
import { isoTime } from '../process/clock.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { ExampleRow } from '../store/examples.ts';
import type { LogRow } from '../store/logs.ts';
import type { Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';
import { insertAll } from './examples.ts';
import { toPage } from './pages.ts';

const dayMs = 24 * 3600 * 1000;
function recordOf(type: DecisionTypeRow, row: LogRow): LogRecord {
  return recordWith(type, row, JSON.parse(row.inputJson) as LogRecord['input']);
}

/** The record with its input in any form. */
function recordWith<Input>(type: DecisionTypeRow, row: LogRow, input: Input) {
  return {
    id: row.id,
    request_id: row.requestId,
    decision_type_id: type.id,
    decision_type: type.name,
    input,
    decision: row.decision,
    confidence: row.confidence,
    stage: row.stage,
    reason_codes: row.reasonCodes,
    class_probabilities: row.classProbabilities,
    rules_triggered: row.rulesTriggered,
    rule_errors: [...row.ruleErrors],
    escalated: row.escalated,
    fallback_used: row.fallbackUsed,
    unfamiliar: row.unfamiliar,
    policy_version: row.policyVersion,
    latency_ms: row.latencyMs,
    api_key_id: row.apiKeyId,
    created_at: isoTime(row.createdAt),
    corrected_decision: row.correctedDecision,
  };
}

const csvColumns = [
  'id',
  'request_id',
  'decision_type_id',
  'decision_type',
  'input',
  'decision',
  'confidence',
  'stage',
  'reason_codes',
  'class_probabilities',
  'rules_triggered',
  'rule_errors',
  'escalated',
  'fallback_used',
  'unfamiliar',
  'policy_version',
  'latency_ms',
  'api_key_id',
  'created_at',
  'corrected_decision',
] as const satisfies readonly (keyof LogRecord)[];

/** One RFC 4180 cell; what a spreadsheet would run as a formula (full-width signs, too) gets a leading apostrophe. */
export function csvCell(value: unknown): string {
  const text =
    value === null
      ? ''
      : typeof value === 'string'
        ? value
        : typeof value === 'number'
          ? writeNumber(value)
          : JSON.stringify(value);
  const safe = typeof value !== 'number' && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One piece of text for each slice of records and each turn of the event loop: a slow reader holds only its place. */
async function* csvText(type: DecisionTypeRow, slices: Iterable<LogRow[]>): AsyncGenerator<string> {
  yield `${csvColumns.join(',')}\r\n`;
  for (const rows of slices) {
    yield rows.map((row) => `${csvCells(type, row)}\r\n`).join('');
    await nextTurn();
  }
}

function csvCells(type: DecisionTypeRow, row: LogRow): string {
  // the input is a cell of JSON, as it is stored
  const record = recordWith(type, row, row.inputJson);
  return csvColumns.map((column) => csvCell(record[column])).join(',');
}

async function* jsonText(type: DecisionTypeRow, slices: Iterable<LogRow[]>): AsyncGenerator<string> {
  let before = '[\n';
  for (const rows of slices) {
    if (rows.length === 0) continue;
    yield `${before}${rows.map((row) => JSON.stringify(recordOf(type, row))).join(',\n')}`;
    before = ',\n';
    await nextTurn();
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

export const logHandlers = {
  'logs.list': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { rows, total } = query.review
      ? deps.store.logs.toReview(type.seq, query, query.page, query.page_size)
      : await deps.store.logs.page(type.seq, query, query.page, query.page_size);
    return toPage(
      rows.map((row) => recordOf(type, row)),
      total,
      query,
    );
  },
  'logs.export': (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const slices = deps.store.logs.slices(type.seq, query, exportSliceSize);
    const csv = query.format === 'csv';
    return {
      download: true,
      contentType: csv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      fileName: `${type.name}-log.${query.format}`,
      body: Readable.from(csv ? csvText(type, slices) : jsonText(type, slices), { highWaterMark: 1 }),
    };
  },
  'logs.correct': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { options, reason_codes } = type.activeVersion.definition;
    const problems = [];
    if (!options.includes(body.decision)) {
      problems.push({ type: 'invalid_value', loc: ['body', 'decision'], msg: 'must be one of the options' });
    }
    for (const [index, code] of (body.reason_codes ?? []).entries()) {
      if (!reason_codes.includes(code)) {
        problems.push({
          type: 'invalid_value',
          loc: ['body', 'reason_codes', index],
          msg: 'not a reason code of the type',
        });
      }
    }
    if (problems.length > 0) throw new WorkbenchError('validation_error', 'Request validation failed', problems);
    return deps.store.transaction(() => {
      const row = deps.store.logs.get(type.seq, params.log_id);
      if (row === null) throw new WorkbenchError('not_found', 'The log record does not exist.');
      deps.store.logs.correct(row.seq, body.decision);
      const now = deps.clock.now();
      const known = deps.store.examples.byLog(row.id);
      const labels = { decision: body.decision, reasonCodes: body.reason_codes ?? [], reviewed: true, updatedAt: now };
      if (known !== null) deps.store.examples.update({ ...known, ...labels });
      else {
        const example: ExampleRow = {
          id: deps.newId(),
          decisionTypeId: type.id,
          input: JSON.parse(row.inputJson),
          source: 'user',
          logId: row.id,
          createdAt: now,
          ...labels,
        };
        insertAll(deps, type, [example], ['path', 'log_id']);
      }
      return recordOf(type, { ...row, correctedDecision: body.decision });
    });
  },
  'metrics.type': (deps, { caller, params }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const metrics = deps.store.logs.metrics(type.seq, deps.clock.now() - dayMs);
    return {
      total_decisions: metrics.total,
      avg_confidence: metrics.avgConfidence,
      avg_latency_ms: metrics.avgLatencyMs,
      escalation_rate: metrics.escalationRate,
      decision_distribution: metrics.distribution,
    };
  },
  'metrics.organisation': (deps, { caller }) => {
    const now = deps.clock.now();
    const today = now - (now % dayMs);
    const types = deps.store.decisionTypes.ofOrganisation(caller.organisationId);
    let total = 0;
    let todayTotal = 0;
    let latency = 0;
    const rows = types.map((type) => {
      const metrics = deps.store.logs.metrics(type.seq, 0);
      total += metrics.total;
      todayTotal += deps.store.logs.metrics(type.seq, today).total;
      latency += metrics.total * (metrics.avgLatencyMs ?? 0);
      return {
        id: type.id,
        name: type.name,
        total_decisions: metrics.total,
        avg_confidence: metrics.avgConfidence,
        avg_latency_ms: metrics.avgLatencyMs,
        escalation_rate: metrics.escalationRate,
      };
    });
    return {
      total_decisions: total,
      decisions_today: todayTotal,
      avg_latency_ms: total === 0 ? null : latency / total,
      decision_types: rows,
    };
  },
} satisfies Handlers<'logs.list' | 'logs.export' | 'logs.correct' | 'metrics.type' | 'metrics.organisation'>;
