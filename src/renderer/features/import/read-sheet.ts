/** Reads a file and surveys it; whatever goes wrong is a sentence. */

import type { Readings } from '../../../engine/domain/definition.ts';
import type { SurveyedSheet } from '../../../engine/import/plan-import.ts';
import { readFile, refuseSize } from '../../../engine/import/read-file.ts';
import type { SheetChoice } from '../../../engine/import/sheet.ts';
import { surveyColumns } from '../../../engine/import/survey.ts';
import { maxFileBytes } from '../../parts/text/accepted-files.ts';

/** `readings` are those of the decision type that the file is imported into. */
export type ReadOrder = { file: File; choice: SheetChoice; readings: Readings };
export type ReadAnswer = ({ ok: true } & SurveyedSheet) | { ok: false; message: string };

/** Reads a chosen file on the page; an unreadable one becomes a sentence, nothing is thrown. */
export async function readSheet({ file, choice, readings }: ReadOrder): Promise<ReadAnswer> {
  try {
    refuseSize(file.size, maxFileBytes);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const sheet = await readFile({ name: file.name, bytes }, choice, { maxBytes: maxFileBytes });
    return { ok: true, sheet, surveys: surveyColumns(sheet, readings) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
