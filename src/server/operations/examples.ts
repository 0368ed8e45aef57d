import type { JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import type { Example, ExampleInput } from '../contract/examples.ts';
import { isoTime } from '../process/clock.ts';
import { mapInTurns, readImport } from '../services/example-import.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { BulkChange, ExampleRow } from '../store/examples.ts';
import type { Deps, Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';
import { toPage } from './pages.ts';

const maxPerType = 200_000;

/** An example as the wire tells it. */
export function toExample(row: ExampleRow): Example {
  return {
    id: row.id,
    decision_type_id: row.decisionTypeId,
    input_payload: row.input,
    expected_decision: row.decision,
    reason_codes: row.reasonCodes,
    source: row.source,
    reviewed: row.reviewed,
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
  };
}

type ReadExample = {
  input: JsonObject | undefined;
  decision: string | null | undefined;
  reasonCodes: string[] | undefined;
};

/** Resolves the aliases of one example and checks its labels against the type. */
function readExample(
  given: ExampleInput,
  type: DecisionTypeRow,
  at: readonly (string | number)[],
): { read: ReadExample; problems: ErrorDetail[] } {
  const problems: ErrorDetail[] = [];
  const both = (a: keyof ExampleInput, b: keyof ExampleInput) => {
    if (given[a] !== undefined && given[b] !== undefined) {
      problems.push({ type: 'invalid_value', loc: [...at, b], msg: `give either ${a} or ${b}` });
    }
  };
  both('input_payload', 'input');
  both('expected_decision', 'decision');
  both('reason_codes', 'reason_code');
  const decision = given.expected_decision === undefined ? given.decision : given.expected_decision;
  const single = given.reason_code;
  const reasonCodes = given.reason_codes ?? (single === undefined ? undefined : single === null ? [] : [single]);
  const { options, reason_codes } = type.activeVersion.definition;
  if (typeof decision === 'string' && !options.includes(decision)) {
    const field = given.expected_decision === undefined ? 'decision' : 'expected_decision';
    problems.push({ type: 'invalid_value', loc: [...at, field], msg: 'must be one of the options' });
  }
  for (const [index, code] of (reasonCodes ?? []).entries()) {
    if (reason_codes.includes(code)) continue;
    const place = given.reason_codes === undefined ? ['reason_code'] : ['reason_codes', index];
    problems.push({ type: 'invalid_value', loc: [...at, ...place], msg: 'not a reason code of the decision type' });
  }
  return { read: { input: given.input_payload ?? given.input, decision, reasonCodes }, problems };
}

function refuse(problems: unknown[]): void {
  if (problems.length > 0)
    throw new WorkbenchError('validation_error', 'Request validation failed', problems.slice(0, 100));
}

/** Throws `validation_error` at `loc` when the type would hold too many examples with `requested` more. */
function refuseTooMany(deps: Deps, type: DecisionTypeRow, requested: number, loc: ErrorDetail['loc']): void {
  const current = deps.store.examples.count(type.id);
  if (current + requested <= maxPerType) return;
  throw new WorkbenchError('validation_error', `A decision type holds at most ${maxPerType} examples.`, [
    {
      type: 'too_many',
      loc,
      msg: 'too many examples',
      current,
      requested,
      maximum: maxPerType,
      remaining: Math.max(0, maxPerType - current),
    },
  ]);
}

/** Inserts all rows or none; throws `validation_error` at `loc` when the type would hold too many examples. */
export function insertAll(
  deps: Deps,
  type: DecisionTypeRow,
  rows: readonly ExampleRow[],
  loc: ErrorDetail['loc'],
): void {
  deps.store.transaction(() => {
    refuseTooMany(deps, type, rows.length, loc);
    for (const row of rows) deps.store.examples.insert(row);
  });
}

function newRow(deps: Deps, type: DecisionTypeRow, read: ReadExample, at: number): ExampleRow {
  return {
    id: deps.newId(),
    decisionTypeId: type.id,
    input: read.input ?? {},
    decision: read.decision ?? null,
    reasonCodes: read.reasonCodes ?? [],
    source: 'user',
    reviewed: false,
    logId: null,
    createdAt: at,
    updatedAt: at,
  };
}

export const exampleHandlers = {
  'examples.create': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const problems: ErrorDetail[] = [];
    const now = deps.clock.now();
    const rows = body.examples.map((given, index) => {
      const at = ['body', 'examples', index];
      const { read, problems: found } = readExample(given, type, at);
      problems.push(...found);
      if (read.input === undefined) {
        problems.push({ type: 'missing', loc: [...at, 'input_payload'], msg: 'input_payload is required' });
      }
      return newRow(deps, type, read, now);
    });
    refuse(problems);
    insertAll(deps, type, rows, ['body', 'examples']);
    return rows.map(toExample);
  },
  'examples.list': (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { page, page_size, ...filter } = query;
    const { rows, total } = deps.store.examples.page(type.id, filter, page, page_size);
    return toPage(rows.map(toExample), total, query);
  },
  'examples.stats': (deps, { caller, params }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { total, labelled, reviewed, synthetic, byOption: counts } = deps.store.examples.totals(type.id);
    const byOption = Object.fromEntries(type.activeVersion.definition.options.map((option) => [option, 0]));
    return {
      total,
      labelled,
      unlabelled: total - labelled,
      reviewed,
      by_source: { user: total - synthetic, synthetic },
      by_option: { ...byOption, ...Object.fromEntries(counts) },
    };
  },
  'examples.update': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { reviewed, ...given } = body;
    const { read, problems } = readExample(given, type, ['body']);
    refuse(problems);
    return deps.store.transaction(() => {
      const row = deps.store.examples.get(type.id, params.example_id);
      if (row === null) throw new WorkbenchError('not_found', 'The example does not exist.');
      const changed: ExampleRow = {
        ...row,
        input: read.input ?? row.input,
        decision: read.decision === undefined ? row.decision : read.decision,
        reasonCodes: read.reasonCodes ?? row.reasonCodes,
        reviewed: reviewed ?? row.reviewed,
        updatedAt: deps.clock.now(),
      };
      deps.store.examples.update(changed);
      return toExample(changed);
    });
  },
  'examples.delete': (deps, { caller, params }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    if (!deps.store.examples.remove(type.id, params.example_id)) {
      throw new WorkbenchError('not_found', 'The example does not exist.');
    }
  },
  'examples.bulk': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { action, decision, reviewed } = body;
    if (action === 'set_decision' && decision != null && !type.activeVersion.definition.options.includes(decision)) {
      refuse([{ type: 'invalid_value', loc: ['body', 'decision'], msg: 'must be one of the options' }]);
    }
    const choice = body.ids === undefined ? { filter: body.filter ?? {} } : { ids: body.ids };
    const change: BulkChange =
      action === 'delete'
        ? 'delete'
        : action === 'set_decision'
          ? { set: 'decision', to: decision ?? null }
          : { set: 'reviewed', to: reviewed ?? false };
    const token = deps.newId();
    return deps.store.transaction(() => ({
      affected: deps.store.examples.changeMany(type.id, choice, change, token, deps.clock.now()),
      undo_token: token,
    }));
  },
  'examples.undo': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    return deps.store.transaction(() => {
      const affected = deps.store.examples.undo(body.undo_token, type.id);
      if (affected === null) throw new WorkbenchError('conflict', 'This change cannot be undone any more.');
      refuseTooMany(deps, type, 0, ['body', 'undo_token']);
      return { affected };
    });
  },
  'examples.import': async (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { definition } = type.activeVersion;
    const table = await readImport(body);
    const unknown = new Map<string, { value: string; count: number; line: number }>();
    const byOption = new Map<string, number>();
    for (const { line, decision } of table.rows) {
      if (decision === null) continue;
      if (definition.options.includes(decision)) byOption.set(decision, (byOption.get(decision) ?? 0) + 1);
      else {
        const entry = unknown.get(decision) ?? { value: decision, count: 0, line };
        entry.count += 1;
        unknown.set(decision, entry);
      }
    }
    if (body.commit) {
      const problems: ErrorDetail[] = [];
      for (const row of table.rows) {
        if (row.decision !== null && !definition.options.includes(row.decision)) {
          problems.push({
            type: 'invalid_value',
            loc: ['body', 'content', row.line, table.mapping.decision ?? 'decision'],
            msg: `line ${row.line}: "${row.decision.slice(0, 80)}" is not an option`,
          });
        }
        for (const code of row.reasonCodes) {
          if (definition.reason_codes.includes(code)) continue;
          problems.push({
            type: 'invalid_value',
            loc: ['body', 'content', row.line, table.mapping.reason_codes ?? 'reason_codes'],
            msg: `line ${row.line}: "${code.slice(0, 80)}" is not a reason code`,
          });
        }
      }
      refuse(problems);
      const now = deps.clock.now();
      const rows = await mapInTurns(table.rows, (row) => newRow(deps, type, row, now));
      insertAll(deps, type, rows, ['body', 'content']);
    }
    return {
      committed: body.commit,
      mapping: table.mapping,
      columns: table.columns,
      total: table.rows.length,
      labelled: table.rows.filter((row) => row.decision !== null).length,
      by_option: Object.fromEntries(byOption),
      unknown_decisions: [...unknown.values()].slice(0, 100),
      preview: table.rows.slice(0, 20).map((row) => ({
        line: row.line,
        input_payload: row.input,
        expected_decision: row.decision,
        reason_codes: row.reasonCodes,
      })),
    };
  },
} satisfies Handlers<
  | 'examples.create'
  | 'examples.list'
  | 'examples.stats'
  | 'examples.update'
  | 'examples.delete'
  | 'examples.bulk'
  | 'examples.undo'
  | 'examples.import'
>;
