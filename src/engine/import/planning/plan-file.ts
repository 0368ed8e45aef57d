/** The plan of a file by what was chosen, behind every door: its columns, its rows, and what is to be asked. */
import type { Definition } from '../../domain/definition.ts';
import type { ErrorDetail } from '../../errors.ts';
import { forbiddenSegment, splitName } from '../../readings/inputs.ts';
import { isMissing } from '../kinds.ts';
import { guessTargets, type LabelUse, listLabels } from '../labels.ts';
import {
  type ColumnRole,
  type ColumnsPlan,
  type Proposal,
  planImport,
  proposeImport,
  type SurveyedSheet,
  toExampleColumns,
} from '../plan-import.ts';
import { planRows, type RowsPlan } from '../plan-rows.ts';
import type { PlannedExample } from '../row-reader.ts';
import { readCell, type Sheet, type SheetRow } from '../sheet.ts';
import { addChoice, checkTargets, type FileChoice, type ImportChoices } from './import-choices.ts';
import { refuseFile, toFileProblem } from './import-file.ts';

/** The limit of a body, too: a deeper input could not be sent back. */
const maxSegments = 28;

export type ImportedExample = PlannedExample & { must: boolean };
/** The type that gains the examples, as far as an import needs to know it. */
export type GainingType = { definition: Pick<Definition, 'options' | 'reason_codes' | 'readings'> };
type UseImported = (example: ImportedExample, row: SheetRow) => void;
export type PlannedColumns = {
  proposal: Proposal;
  roles: ReadonlyMap<string, ColumnRole>;
  read: ColumnsPlan;
  labels: LabelUse[];
  /** The meaning of each label: as chosen, else as it is written. */
  targets: ImportChoices['targets'];
  /** Labels that may be a variant spelling of an option; `is_open`: nothing was said about it yet. */
  near: { label: string; option: string; is_open: boolean }[];
};

/** Plans the columns of a file and its labels. Throws `validation_error` for names that no input can have. */
export function planColumns(file: SurveyedSheet, options: readonly string[], choices: ImportChoices): PlannedColumns {
  const { columns: names } = file.sheet;
  const proposal = proposeImport(file, options, choices.answer);
  const roles = new Map([...proposal.roles, ...Object.entries(choices.roles)]);
  if (choices.must !== null) roles.set(choices.must, 'ignore');
  const columns = choices.columns ?? toExampleColumns(names, roles);
  checkInputColumns(columns.inputs);
  const { kinds, piiFields } = choices;
  const settled = Object.keys(choices.roles);
  const read = planImport(file, proposal, { columns, kinds, settled, piiFields });
  const labels = columns.decision === null ? [] : listLabels(file.sheet, columns.decision, columns.second);
  const { targets: guessed, near } = guessTargets(labels, options);
  const { targets } = choices;
  return {
    ...{ proposal, roles, read, labels, targets: { ...guessed, ...targets } },
    near: near.map(({ label: { value: label }, option }) => ({
      ...{ label, option, is_open: !Object.hasOwn(targets, label) },
    })),
  };
}

export type FilePlan = PlannedColumns & { rows: RowsPlan };

/**
 * Adds a choice to those about a file and plans it by all of them: its columns, its labels, its rows, of which `use`
 * gets each example. `type` is null where the import makes one. Throws `validation_error` for names that nothing has.
 */
export function planChoice(
  file: SurveyedSheet,
  type: GainingType | null,
  { former, choice }: { former: ImportChoices; choice: FileChoice },
  use?: UseImported,
): { choices: ImportChoices; plan: FilePlan } {
  const options = type?.definition.options ?? [];
  const choices = addChoice(former, choice, file, options);
  const planned = planColumns(file, options, choices);
  checkTargets(choice.targets ?? {}, planned.labels, options);
  return { choices, plan: planExamples(file.sheet, type, choices, planned, use) };
}

/** Goes on with a plan of columns to the rows of its file. */
export function planExamples(
  sheet: Sheet,
  type: GainingType | null,
  choices: ImportChoices,
  planned: PlannedColumns,
  use?: UseImported,
): FilePlan {
  const { options = [], reason_codes = [], readings = {} } = type?.definition ?? {};
  const rows = planRows(
    sheet,
    planned.read,
    planned.targets,
    { options, reason_codes, readings },
    {
      repeated: choices.repeated,
      use: use && ((example, row) => use({ ...example, must: isPinned(row, sheet, choices.must) }, row)),
    },
  );
  // Without labels the options of a new type are those that were typed.
  const newOptions = type === null && planned.read.columns.decision === null ? [...choices.options] : rows.newOptions;
  return { ...planned, rows: { ...rows, newOptions } };
}

/** Cells that say no; an empty one does as well. */
const noes = new Set(['false', 'no', '0', '-']);

function isPinned(row: SheetRow, { columns }: Sheet, must: string | null | undefined): boolean {
  const pinned = must == null ? null : readCell(row, columns, columns.indexOf(must));
  return pinned != null && !isMissing(String(pinned)) && !noes.has(String(pinned).trim().toLowerCase());
}

/** Refuses names that no input can have, and two names of which one would overwrite the other's value. */
function checkInputColumns(names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const known = new Set(names);
  for (const name of names) {
    const segments = splitName(name);
    if (segments.includes(forbiddenSegment)) problems.push(toFileProblem(1, name, 'this column name is not allowed'));
    if (segments.length > maxSegments) {
      problems.push(
        toFileProblem(1, name.slice(0, 80), `a column name has at most ${maxSegments} parts between its dots`),
      );
      continue;
    }
    const outers = segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join('.'));
    const above = outers.find((outer) => known.has(outer));
    if (above === undefined) continue;
    problems.push(
      toFileProblem(1, name, `the columns "${above}" and "${name}" name the same place; rename or leave out one`),
    );
  }
  if (problems.length > 0) refuseFile(problems);
}
