/** Reads a file and surveys it; whatever goes wrong is a sentence. */

import type { Readings } from '../../../engine/domain/definition.ts';
import { describeColumnLanguages } from '../../../engine/findings/column-languages.ts';
import type { SurveyedSheet } from '../../../engine/import/plan-import.ts';
import { readFile, refuseSize } from '../../../engine/import/read-file.ts';
import type { SheetChoice } from '../../../engine/import/sheet.ts';
import { surveyColumns } from '../../../engine/import/survey.ts';
import type { LanguageDetector } from '../../../engine/ports.ts';
import { maxFileBytes } from '../../parts/text/accepted-files.ts';

/** `readings` are those of the decision type that the file is imported into. */
export type ReadOrder = { file: File; choice: SheetChoice; readings: Readings };
/** A surveyed sheet with the languages of its columns of texts, in words. */
export type ReadSheet = SurveyedSheet & { languages: ReadonlyMap<string, string> };
export type ReadAnswer = ({ ok: true } & ReadSheet) | { ok: false; message: string };

/** Reads a chosen file on the page; an unreadable one becomes a sentence, nothing is thrown. */
export async function readSheet({ file, choice, readings }: ReadOrder): Promise<ReadAnswer> {
  try {
    refuseSize(file.size, maxFileBytes);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const sheet = await readFile({ name: file.name, bytes }, choice, { maxBytes: maxFileBytes });
    const surveys = surveyColumns(sheet, readings);
    return { ok: true, sheet, surveys, languages: await describeColumnLanguages(sheet, surveys, openLanguageDetector) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** A megabyte that only a file with texts asks for. */
async function openLanguageDetector(): Promise<LanguageDetector> {
  const { eld } = await import('eld/extrasmall');
  return (text) => eld.detect(text).language || null;
}
