/** The labelling page: examples that leave without their labels, and the labels that come home. */
import type { JsonObject } from '../json.ts';
import { escapeHtml } from './html.ts';

/** Examples that one page holds at most: an evening's work. */
export const maxLabelledByPage = 500;

/** A page's examples without labels, suggestions and personal fields, so that nothing leads their reader. */
export type LabellingBatch = {
  /** By which the browser keeps the place: one batch is one file. */
  id: string;
  name: string;
  guideline: string;
  options: readonly string[];
  rows: readonly { id: string; input: JsonObject }[];
};

/** Puts a batch into the built page. */
export function fillLabellingPage(page: string, batch: LabellingBatch): string {
  // In a script element nothing but an end tag or a comment is read as HTML.
  const json = JSON.stringify(batch).replaceAll('<', '\\u003c');
  return page.replaceAll('%TITLE%', () => escapeHtml(batch.name)).replace('%BATCH%', () => json);
}

/**
 * Writes the labels of a reader as JSON Lines, which an import merges: a label where the example has none, a second
 * reading beside that of somebody else. `labels` follow the rows of the batch; null leaves a row out.
 */
export function writeGivenLabels(
  { rows }: LabellingBatch,
  labels: readonly (string | null)[],
  { reader, at }: { reader: string; at: string },
): string {
  return rows
    .flatMap(({ id }, row) => {
      const label = labels[row] ?? null;
      if (label === null) return [];
      const given = { expected_decision: label, reviewed: true, reader, labelled_at: at, given_blind: true };
      return [`${JSON.stringify({ id, input_payload: {}, ...given, status: 'done', updated_at: at, side: null })}\n`];
    })
    .join('');
}
