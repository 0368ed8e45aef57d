/** The decision log: listed, exported, corrected; and the figures of its decisions. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { chainLine, type LineLink } from '../../../door/line-chain.ts';
import { createTurns, nextTurn } from '../../../door/turns.ts';
import { guardJson, writeCsvLine } from '../../../engine/export/csv.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { computePercentile } from '../../../engine/numeric.ts';
import type { Auth } from '../../auth/auth.ts';
import { toCallerId } from '../../auth/caller.ts';
import { logRecordSchema } from '../../contract/deciding/logs.ts';
import type { OutputOf } from '../../contract/operations.ts';
import { exportSliceSize } from '../../hot-path/export-slice-size.ts';
import { isoTime } from '../../process/clock.ts';
import { makeCase, writeCasePage } from '../../services/deciding/case-file.ts';
import { findDriftOfType } from '../../services/deciding/drift.ts';
import { importLog } from '../../services/deciding/edge-log.ts';
import { correctDecision, restoreRemoved, withdrawCorrection } from '../../services/deciding/logged-decisions.ts';
import { toDecidedFields, verifyLogged } from '../../services/deciding/verify-logged.ts';
import { nameCaller } from '../../services/releases.ts';
import type { LoggedDecision } from '../../store/deciding/logs.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { toAnalysisState } from '../analysis-state.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

const nothingCompared = {
  ...{ items: [], unfamiliar: null, languages: [], weeks: null },
  ...{ decisions: 0, examples: 0, comparable: false },
};

const digestText = (text: string) => hash('sha256', text);
const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const maxHourlyDays = 3;
const maxTimedDecisions = 1_000;

/** A type with its releases' digests, and how personal fields are redacted: records may be older than a declaration. */
type Shown = { type: DecisionTypeRecord; digests: ReadonlyMap<number, string>; redact: Auth['redact'] };

const showInput = ({ type, redact }: Pick<Shown, 'type' | 'redact'>, input: JsonObject): JsonObject =>
  type.piiFields.length === 0 ? input : redact(input, type.piiFields);
const showJsonInput = (shown: Shown, input: string): string =>
  shown.type.piiFields.length === 0 ? input : JSON.stringify(showInput(shown, JSON.parse(input)));

const toShown = ({ auth, store }: Pick<Deps, 'auth' | 'store'>, type: DecisionTypeRecord): Shown => ({
  type,
  digests: store.releases.listDigests(type.id),
  redact: auth.redact,
});

const toLogRecord = (shown: Shown, logged: LoggedDecision) =>
  writeRecord(shown, logged, showInput(shown, logged.input));

/** Returns a log record as the wire has it, with its input parsed or as a string of JSON. */
function writeRecord<Input extends JsonObject | string>(
  { type, digests }: Shown,
  logged: LoggedDecision<JsonObject | string>,
  input: Input,
) {
  const choice = logged.classifierChoice;
  return {
    id: logged.id,
    request_id: logged.requestId,
    decision_type_id: type.id,
    decision_type: type.name,
    input,
    ...toDecidedFields(logged),
    classifier_probability: choice === null ? null : Math.min(1, logged.classProbabilities[choice] ?? 0),
    release: logged.release,
    digest: logged.release === null ? null : (digests.get(logged.release) ?? null),
    latency_ms: logged.latencyMs,
    api_key_id: logged.apiKeyId,
    created_at: isoTime(logged.createdAt),
    corrected_decision: logged.correctedDecision,
    origin: logged.edgeId === null ? ('workbench' as const) : ('edge' as const),
    imported_by: logged.importedBy,
    imported_file: logged.importedFile,
  };
}

const csvColumns = logRecordSchema.keyof().options;

/** Yields one string for each slice of records and each turn of the event loop: a slow reader holds only its place. */
async function* writeCsv(
  shown: Shown,
  slices: Iterable<LoggedDecision<string>[]>,
  takeTurns: () => Promise<void>,
): AsyncGenerator<string> {
  yield writeCsvLine(csvColumns);
  for (const slice of slices) {
    const lines: string[] = [];
    for (const logged of slice) {
      lines.push(writeCsvLine(toCsvCells(shown, logged)));
      // One with an input of a megabyte takes milliseconds.
      await takeTurns();
    }
    yield lines.join('');
    await nextTurn();
  }
}

function toCsvCells(shown: Shown, logged: LoggedDecision<string>): unknown[] {
  const record = writeRecord(shown, logged, guardJson(showJsonInput(shown, logged.input)));
  return csvColumns.map((column) => record[column]);
}

/** As `writeCsv`, in JSON: one array of all records, a line each, chained behind the head of the log at this moment. */
async function* writeJson(
  shown: Shown,
  slices: Iterable<LoggedDecision[]>,
  takeTurns: () => Promise<void>,
  head: string,
): AsyncGenerator<string> {
  let opening = '[\n';
  let link: LineLink = { chain: head, isSaid: true };
  for (const slice of slices) {
    if (slice.length === 0) continue;
    const records: string[] = [];
    for (const logged of slice) {
      const next = chainLine(JSON.stringify(toLogRecord(shown, logged)), link, digestText);
      link = next.link;
      records.push(next.line);
      await takeTurns();
    }
    yield `${opening}${records.join(',\n')}`;
    opening = ',\n';
    await nextTurn();
  }
  yield opening === ',\n' ? '\n]\n' : '[]\n';
}

export const logHandlers = {
  'logs.list': async (deps, { type, query }) => {
    const { decisions, total } = query.review
      ? deps.store.logs.pageToReview(type.seq, query, query.page, query.page_size)
      : await deps.store.logs.page(type.seq, query, query.page, query.page_size);
    const shown = toShown(deps, type);
    return toPage(
      decisions.map((logged) => toLogRecord(shown, logged)),
      total,
      query,
    );
  },

  'logs.export': (deps, { type, query }) => {
    const { logs } = deps.store;
    const takeTurns = createTurns(deps.clock);
    const csv = query.format === 'csv';
    const pieces = csv
      ? writeCsv(toShown(deps, type), logs.slicesWithJsonInput(type.seq, query, exportSliceSize), takeTurns)
      : writeJson(
          toShown(deps, type),
          logs.slices(type.seq, query, exportSliceSize),
          takeTurns,
          logs.readHead().digest,
        );
    return {
      download: true,
      contentType: csv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      fileName: `${type.name}-log.${query.format}`,
      body: Readable.from(pieces, { highWaterMark: 1 }),
    };
  },

  'logs.verify': (deps, { type, query, caller }) =>
    deps.explanationTurns.take(toCallerId(caller), () => verifyLogged(deps, type, query)),

  'logs.case': (deps, { type, params, query, caller }) =>
    deps.explanationTurns.take(toCallerId(caller), async () => {
      const facts = await makeCase(deps, type, params.log_id, query.language);
      const fileName = `${type.name}-case-${facts.log_id}.${query.format}`;
      return query.format === 'json'
        ? {
            download: true,
            contentType: 'application/json; charset=utf-8',
            fileName,
            body: Buffer.from(`${JSON.stringify(facts)}\n`),
          }
        : {
            download: true,
            contentType: 'text/html; charset=utf-8',
            fileName,
            body: Buffer.from(writeCasePage(facts)),
          };
    }),

  'logs.correct': (deps, { type, caller, params, body }) => {
    const { decision, reason_codes: reasonCodes = [] } = body;
    const logged =
      decision === null
        ? withdrawCorrection(deps, type, params.log_id)
        : correctDecision(deps, type, params.log_id, { decision, reasonCodes }, nameCaller(deps.store, caller));
    return toLogRecord(toShown(deps, type), logged);
  },

  'logs.import': (deps, { caller, body }) => importLog(deps, caller, body, deps.trustedTime.now()),

  'logs.restore': async (deps, { type }) => ({
    restored: await restoreRemoved(deps, type),
  }),

  'metrics.type': (deps, { type }) => {
    const since = deps.clock.now() - dayMs;
    const metrics = deps.store.logs.computeMetrics(type.seq, since);
    const latenciesMs = deps.store.logs.listLatencies(type.seq, since, maxTimedDecisions);
    const toPercentile = (share: number) => (latenciesMs.length === 0 ? null : computePercentile(latenciesMs, share));
    return {
      total_decisions: metrics.total,
      avg_confidence: metrics.avgConfidence,
      avg_latency_ms: metrics.avgLatencyMs,
      latency_p50_ms: toPercentile(0.5),
      latency_p95_ms: toPercentile(0.95),
      escalation_rate: metrics.escalationRate,
      decision_distribution: metrics.distribution,
    };
  },

  'metrics.drift': async (deps, { type }) => {
    const state = await findDriftOfType(deps, type);
    return { ...(state.known?.result ?? nothingCompared), ...toAnalysisState(state) };
  },

  'metrics.days': async (deps, { type, query }) => {
    const now = deps.clock.now();
    const isHourly = query.step === 'hour';
    const days = query.days ?? (isHourly ? 1 : 14);
    if (isHourly && days > maxHourlyDays) {
      const problem = toInvalidValue(['query', 'days'], `must be at most ${maxHourlyDays} where step is hour`);
      throw toValidationError([problem]);
    }
    const stepMs = isHourly ? hourMs : dayMs;
    const firstMs = now - (now % dayMs) - (days - 1) * dayMs;
    const items = [];
    for (let startMs = firstMs; startMs <= now; startMs += stepMs) {
      const metrics = deps.store.logs.computeMetrics(type.seq, startMs, startMs + stepMs);
      const start = isoTime(startMs);
      items.push({
        day: start.slice(0, 10),
        hour: isHourly ? Number(start.slice(11, 13)) : null,
        total_decisions: metrics.total,
        avg_confidence: metrics.avgConfidence,
        escalation_rate: metrics.escalationRate,
        decision_distribution: metrics.distribution,
      });
      await nextTurn();
    }
    return { items };
  },

  async 'metrics.organisation'(deps, { caller }) {
    const takeTurns = createTurns(deps.clock);
    const now = deps.clock.now();
    const today = now - (now % dayMs);
    const types = deps.store.decisionTypes.list(caller.organisationId);
    let total = 0;
    let todayTotal = 0;
    let latency = 0;
    const rows: OutputOf<'metrics.organisation'>['decision_types'] = [];
    for (const type of types) {
      await takeTurns();
      const metrics = deps.store.logs.computeMetrics(type.seq, 0);
      total += metrics.total;
      todayTotal += deps.store.logs.computeMetrics(type.seq, today).total;
      latency += metrics.total * (metrics.avgLatencyMs ?? 0);
      rows.push({
        id: type.id,
        name: type.name,
        total_decisions: metrics.total,
        decisions_24h: deps.store.logs.computeMetrics(type.seq, now - dayMs).total,
        avg_confidence: metrics.avgConfidence,
        avg_latency_ms: metrics.avgLatencyMs,
        escalation_rate: metrics.escalationRate,
      });
    }
    return {
      total_decisions: total,
      decisions_today: todayTotal,
      avg_latency_ms: total === 0 ? null : latency / total,
      decision_types: rows,
    };
  },
} satisfies Handlers;
