/** Import of an example file: read whole, mapped, summed up and, when it is committed, added all or none. */
import type { ErrorDetail } from '../../engine/errors.ts';
import type { ImportMapping } from '../contract/examples.ts';
import { refuseProblems, toInvalidValue } from '../errors/validation-error.ts';
import type { Clock } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';
import { addExamples, newExample } from './examples.ts';
import { type ImportFormat, mapInTurns, readRecords, type SourceRecord } from './import-file.ts';
import {
  applyMapping,
  checkInputColumns,
  checkMapping,
  guessMapping,
  type ImportedExample,
  listInputColumns,
} from './import-mapping.ts';

type Deps = { store: Pick<Store, 'examples' | 'transaction' | 'writeLock'>; clock: Clock; newId(): string };

export type ImportRequest = {
  format: ImportFormat;
  content: string;
  /** Guessed from the names of the columns where it is undefined. */
  mapping?: ImportMapping | undefined;
  /** Whether the examples are stored; without it the file is only looked at. */
  commit: boolean;
};
export type ImportedColumn = { name: string; kind: string; samples: string[] };
/** A label of the file that is no option of the type, how often it stands there, and where first. */
export type UnknownDecision = { value: string; count: number; line: number };
export type ImportSummary = {
  mapping: ImportMapping;
  columns: ImportedColumn[];
  examples: ImportedExample[];
  byOption: Map<string, number>;
  unknownDecisions: UnknownDecision[];
};

const maxListedColumns = 500;
const maxSamples = 3;
const maxSampleLength = 200;
const maxReportedProblems = 100;

/**
 * Reads an example file and says what is in it. With `commit` all of its examples are added, or none, and `alongside`
 * writes into the same transaction: throws `validation_error` with line and column of what cannot be read, of labels that the type does not have, or when the
 * type would hold too many.
 */
export async function importExamples(
  deps: Deps,
  type: DecisionTypeRecord,
  request: ImportRequest,
  alongside?: (summary: ImportSummary) => void,
): Promise<ImportSummary> {
  const records = await readRecords(request.format, request.content);
  const columns = await surveyColumns(records);
  const names = [...columns.keys()];
  const mapping = request.mapping ?? guessMapping(names);
  checkMapping(mapping, names);
  checkInputColumns(listInputColumns(names, mapping));
  const examples = await mapInTurns(records, (record) => applyMapping(record, mapping));
  const summary: ImportSummary = {
    mapping,
    columns: [...columns].slice(0, maxListedColumns).map(([name, { kinds, samples }]) => {
      const [kind = 'empty'] = kinds;
      return { name, kind: kinds.size > 1 ? 'mixed' : kind, samples };
    }),
    examples,
    ...countDecisions(type, examples),
  };
  if (request.commit) {
    refuseProblems(listUnknownLabels(type, examples, mapping).slice(0, maxReportedProblems));
    const now = deps.clock.now();
    const added = await mapInTurns(examples, (example) => newExample(deps, type, example, now));
    await deps.store.writeLock.whenFree();
    addExamples(deps, type, added, ['body', 'content'], () => alongside?.(summary));
  }
  return summary;
}

type Column = { kinds: Set<string>; samples: string[] };

async function surveyColumns(records: readonly SourceRecord[]): Promise<Map<string, Column>> {
  const columns = new Map<string, Column>();
  await mapInTurns(records, ({ values }) => {
    for (const [name, value] of Object.entries(values)) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { kinds: new Set(), samples: [] };
        columns.set(name, column);
      }
      if (value === null) continue;
      column.kinds.add(Array.isArray(value) ? 'array' : typeof value);
      if (column.samples.length < maxSamples) {
        column.samples.push((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxSampleLength));
      }
    }
  });
  return columns;
}

function countDecisions(
  type: DecisionTypeRecord,
  examples: readonly ImportedExample[],
): Pick<ImportSummary, 'byOption' | 'unknownDecisions'> {
  const options = new Set(type.activeVersion.definition.options);
  const byOption = new Map<string, number>();
  const unknown = new Map<string, UnknownDecision>();
  for (const { line, decision } of examples) {
    if (decision === null) continue;
    if (options.has(decision)) {
      byOption.set(decision, (byOption.get(decision) ?? 0) + 1);
      continue;
    }
    const entry = unknown.get(decision) ?? { value: decision, count: 0, line };
    entry.count += 1;
    unknown.set(decision, entry);
  }
  return { byOption, unknownDecisions: [...unknown.values()] };
}

function listUnknownLabels(
  type: DecisionTypeRecord,
  examples: readonly ImportedExample[],
  mapping: ImportMapping,
): ErrorDetail[] {
  const { options, reason_codes } = type.activeVersion.definition;
  const problems: ErrorDetail[] = [];
  const report = (line: number, column: string, value: string, problem: string) =>
    problems.push(
      toInvalidValue(['body', 'content', line, column], `line ${line}: "${value.slice(0, 80)}" ${problem}`),
    );
  for (const { line, decision, reasonCodes } of examples) {
    if (decision !== null && !options.includes(decision)) {
      report(line, mapping.decision ?? 'decision', decision, 'is not an option');
    }
    for (const code of reasonCodes) {
      if (!reason_codes.includes(code))
        report(line, mapping.reason_codes ?? 'reason_codes', code, 'is not a reason code');
    }
  }
  return problems;
}
