/** A dropped table: read and planned as an import does it, with its answer to be chosen. */
import {
  type Definition,
  defaultThresholds,
  definitionSchema,
  escalationPolicySchema,
} from '../engine/domain/definition.ts';
import { type ErrorDetail, WorkbenchError } from '../engine/errors.ts';
import { proposeImport, type SurveyedSheet } from '../engine/import/plan-import.ts';
import { startChoices } from '../engine/import/planning/import-choices.ts';
import { openSheet } from '../engine/import/planning/import-file.ts';
import { type ImportedExample, planChoice } from '../engine/import/planning/plan-file.ts';
import { describeFile } from '../engine/import/report.ts';
import { readCell } from '../engine/import/sheet.ts';
import { surveyColumns } from '../engine/import/survey.ts';
import type { OpenedTable } from './messages.ts';
import type { Example, Project } from './project.ts';

export type Table = SurveyedSheet & { name: string };

const maxCandidates = 12;
const maxShownValues = 4;
/** Different values up to which a column can be an answer although nothing else speaks for it. */
const maxValues = 20;

/** Reads a file. Throws `validation_error` with what is wrong. */
export async function readTable(name: string, bytes: Uint8Array): Promise<Table> {
  const sheet = await openSheet({ name, bytes }, {});
  return { name, sheet, surveys: surveyColumns(sheet, new Date().getUTCFullYear()) };
}

/** Describes a table with the columns that may be its answer: those that look so, then others with few values. */
export function describeTable(table: Table): OpenedTable {
  const { answers, answer } = proposeImport(table, []);
  const likely = answers.candidates.map(({ column, why }) => ({ column, why }));
  const known = new Set(likely.map(({ column }) => column));
  const others = table.surveys
    .filter(({ name, distinct }) => !known.has(name) && distinct >= 2 && distinct <= maxValues)
    .map(({ name }) => ({ column: name, why: '' }));
  const candidates = [...likely, ...others]
    .slice(0, maxCandidates)
    .map(({ column, why }) => ({ column, why, values: countValues(table, column) }));
  return {
    name: table.name,
    sentences: describeFile(table.sheet),
    certain: answer ?? null,
    candidates,
  };
}

function countValues({ sheet }: Table, column: string): [string, number][] {
  const at = sheet.columns.indexOf(column);
  const counts = new Map<string, number>();
  for (const row of sheet.rows) {
    const cell = readCell(row, sheet.columns, at);
    if (cell == null || cell === '') continue;
    const text = String(cell);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, maxShownValues);
}

/** Makes a project of a table whose answer is said; ids are new. Throws `validation_error` where it cannot be one. */
export function planProject(table: Table, answer: string, newId: () => string, nowMs: number): Project {
  const chosen = { former: startChoices({}), choice: { answer, settle: true } };
  const examples: Example[] = [];
  const { plan } = planChoice(table, null, chosen, (example) => examples.push(toExample(example, newId(), nowMs)));
  const { rows, read } = plan;
  const definition = toDefinition({
    options: rows.newOptions,
    reason_codes: rows.newReasons,
    readings: rows.newReadings,
  });
  return {
    id: newId(),
    versionId: newId(),
    name: table.name.replace(/\.[^.]*$/, ''),
    definition,
    piiFields: [...(read.piiFields ?? [])],
    examples,
    createdMs: nowMs,
    policy: null,
  };
}

const toExample = ({ input, decision, reasonCodes }: ImportedExample, id: string, addedMs: number): Example => ({
  id,
  input,
  decision,
  reasonCodes: [...reasonCodes],
  test: false,
  later: false,
  addedMs,
});

/** A definition as that of a new type, but for what the file tells. */
function toDefinition(known: Pick<Definition, 'options' | 'reason_codes' | 'readings'>): Definition {
  const made = definitionSchema.safeParse({
    ...known,
    hard_rules: [],
    lists: {},
    input_schema: null,
    confidence_thresholds: defaultThresholds,
    escalation_policy: escalationPolicySchema.parse({}),
  });
  if (made.success) return made.data;
  const details = made.error.issues.map(
    (issue): ErrorDetail => ({ type: issue.code, loc: issue.path.map(String), msg: issue.message }),
  );
  const [first] = details;
  throw new WorkbenchError('validation_error', `This column cannot be the answer: ${first?.msg}.`, details);
}
