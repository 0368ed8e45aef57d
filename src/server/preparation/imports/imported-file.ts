/** The file of an import, whichever door it comes by: read, and said with its plan in one and the same answer. */

import type { SurveyedSheet } from '../../../engine/import/plan-import.ts';
import { describeReadings, type RowsPlan } from '../../../engine/import/plan-rows.ts';
import {
  type ImportFile,
  openSheet,
  type SheetFields,
  toSheetChoice,
} from '../../../engine/import/planning/import-file.ts';
import type { FilePlan, ImportedExample } from '../../../engine/import/planning/plan-file.ts';
import { describeFile, describePersonal } from '../../../engine/import/report.ts';
import { describePairs } from '../../../engine/import/row-reader.ts';
import { readCell, type SheetRow } from '../../../engine/import/sheet.ts';
import { countSpreads } from '../../../engine/import/spreads.ts';
import { surveyColumns, toText } from '../../../engine/import/survey.ts';
import { isPiiField } from '../../../engine/pii.ts';
import type { ImportPlan } from '../../contract/examples/import-plan.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import type { KnownLabels, OwnOrder } from './merge-export.ts';

export type ImportedFile = SurveyedSheet & {
  name: string;
  spreads: number[][];
  /** By the name of their column. */
  languages: ReadonlyMap<string, string>;
  /** The labels of the type's newest examples; null where the file is not compared with them. */
  known: KnownLabels | null;
};
/** `type` is null where the import makes one. */
export type ImportTarget = { type: ExampleType | null; merge: OwnOrder['merge'] };

/** Rows of a file that are compared with the examples that are there. */
const maxComparedRows = 20_000;
const maxLabels = 2_000;
const maxPreviewed = 20;
const maxPreviewedCells = 2_000;
const maxCellLength = 200;
const maxCandidateValues = 5;
const maxRefused = 8;

/** Reads a file; with `compares`, also the labels of the examples that are there. Throws `validation_error`. */
export async function readImportedFile(
  file: ImportFile,
  reading: SheetFields,
  { type, merge }: ImportTarget,
  compares: boolean,
): Promise<ImportedFile> {
  const sheet = await openSheet(file, toSheetChoice(reading));
  const surveys = surveyColumns(sheet, new Date().getUTCFullYear(), type?.definition.readings);
  const isCompared = compares && type !== null && !sheet.isOwnExport && sheet.rows.length <= maxComparedRows;
  return {
    name: 'name' in file ? file.name : '',
    sheet,
    surveys,
    spreads: countSpreads(surveys, sheet),
    languages: new Map(),
    // The database is opened where it is asked alone.
    known: isCompared ? (await import('./merge-export.ts')).readKnownLabels({ type, merge }) : null,
  };
}

/** Says of the examples of a file, as they are planned, which are examples of the type already. */
export function compareExamples({ known }: ImportedFile) {
  const compared: ImportedExample[] = [];
  return {
    add(example: ImportedExample): void {
      if (known !== null && known.size > 0) compared.push(example);
    },
    describe: async (): Promise<string | null> =>
      known === null ? null : (await import('./merge-export.ts')).describeKnown(compared, known),
  };
}

/** Lists the cells of a row as texts. */
export function listCells(row: SheetRow, columns: readonly string[]) {
  const cells = columns.map((_, column) => {
    const cell = readCell(row, columns, column) ?? '';
    return toText(cell).slice(0, maxCellLength);
  });
  return { line: row.line, cells };
}

const toCounted = (kind: Parameters<typeof describePairs>[0], pairs: RowsPlan['repeated']) => ({
  count: pairs.length,
  sentence: describePairs(kind, pairs)[0] ?? null,
});

function describeReading({ name, sheet }: ImportedFile, known: readonly string[]): ImportPlan['file'] {
  const { rows, detected, workbook, header, refused, encoding, delimiter, quote, skipped, notes } = sheet;
  const first = refused.slice(0, maxRefused).map(({ line, message }) => ({ line, message }));
  return {
    ...{ name, rows: rows.length, detected, workbook, header, refused: { count: refused.length, first } },
    report: {
      encoding: encoding?.name ?? null,
      encodings: encoding?.choices ?? [],
      delimiter: delimiter ?? null,
      quote: quote ?? null,
      account: [...describeFile(sheet), ...known],
      skipped,
      notes,
    },
  };
}

/** Says of each column what is in it, how it is read and why, and what becomes of it. */
function describeColumns(
  { surveys, spreads, languages }: ImportedFile,
  { proposal, roles, read }: FilePlan,
): ImportPlan['columns'] {
  const { asked, leaks, leftOut, second } = proposal;
  return surveys.map(({ name, type, samples, kind, reason, choices, isDoubtful, filled, distinct }, place) => {
    const leak = leaks.get(name);
    const isAsked = asked.includes(name);
    const role = roles.get(name) ?? 'input';
    return {
      ...{ name, kind: type, samples: samples.map((sample) => sample.slice(0, maxCellLength)) },
      ...{ read_as: read.kinds.get(name) ?? kind, reason, choices },
      left_out: role === 'ignore' ? (leftOut.get(name) ?? null) : null,
      explains: leak?.explains ?? null,
      doubt: read.columns.inputs.includes(name) ? (leak?.sentence ?? null) : null,
      role,
      asked: isAsked ? (leak?.sentence ?? '') : name === second ? (leftOut.get(name) ?? null) : null,
      ...{ is_doubtful: isDoubtful, filled, distinct, spread: spreads[place] ?? [] },
      language: languages.get(name) ?? null,
    };
  });
}

/** Says how a file was read and what becomes of it; `beside` is known of the type that gains its examples. */
export function describePlan(
  file: ImportedFile,
  plan: FilePlan,
  { piiFields, ...beside }: Pick<ImportPlan, 'known' | 'merge'> & { piiFields: readonly string[] },
): ImportPlan {
  const { proposal, read, labels, targets, rows } = plan;
  const { sheet, surveys } = file;
  const { answers, answer, otherAnswers, second } = proposal;
  const personal = read.personal.filter((name) => !isPiiField([name], piiFields));
  const previewed = Math.min(maxPreviewed, Math.ceil(maxPreviewedCells / Math.max(1, surveys.length)));
  return {
    file: describeReading(file, describePersonal(personal, read.piiFields)),
    columns: describeColumns(file, plan),
    ...{ personal, pii_fields: read.piiFields, answer: answer ?? null },
    answer_candidates: answers.candidates.map(({ column, why }) => {
      const uses = surveys.find(({ name }) => name === column)?.uses ?? new Map<string, number>();
      return { column, why, values: Object.fromEntries([...uses].slice(0, maxCandidateValues)) };
    }),
    answer_is_certain: answers.isCertain,
    answers_are_several: answers.areSeveral,
    other_answers: [...otherAnswers],
    questions: read.questions,
    labels: labels.slice(0, maxLabels).map((label) => ({ ...label, target: targets[label.value] ?? { kind: 'none' } })),
    labels_total: labels.length,
    near: plan.near,
    ...{ examples: rows.examples, labelled: rows.labelled },
    ...{ new_options: rows.newOptions, new_reason_codes: rows.newReasons, readings: rows.newReadings },
    second_reader: second,
    read_twice: { count: rows.readTwice, sentence: describeReadings(rows) },
    repeated: toCounted('repeated', rows.repeated),
    alike: toCounted('alike', rows.alike),
    conflicts: toCounted('conflicts', rows.conflicts),
    misfits: [...rows.misfits].map(
      ([
        column,
        {
          refusal: { line, message },
          count,
        },
      ]) => ({ column, count, line, message }),
    ),
    preview: sheet.rows.slice(0, previewed).map((row) => listCells(row, sheet.columns.slice(0, surveys.length))),
    ...beside,
  };
}
