/** The page on which somebody labels examples elsewhere, without a connection, and the file that they send home. */
import { countOf } from '../../engine/numeric.ts';
import { type LabellingBatch, writeGivenLabels } from '../../engine/report/labelling-page.ts';
import { find, saveFile } from './elements.ts';
import { RowLabels } from './row-labels.ts';

const batch: LabellingBatch = JSON.parse(find('batch', HTMLScriptElement).text);
const reader = find('reader', HTMLInputElement);
const saved = find('saved', HTMLParagraphElement);
/** Where this browser keeps what was given, so that the page can be closed. */
const place = `labelling ${batch.id}`;

function readKept(): { given: (string | null)[]; reader: string } {
  const nothing = { given: [], reader: '' };
  try {
    return { ...nothing, ...JSON.parse(localStorage.getItem(place) ?? '{}') };
  } catch {
    // Some browsers keep nothing for a page that was opened from a file, which the first label says.
    return nothing;
  }
}

function keep(given: readonly (string | null)[]): void {
  let state = 'Kept in this browser: you may close the page and go on later.';
  try {
    localStorage.setItem(place, JSON.stringify({ given, reader: reader.value }));
  } catch {
    state = 'This browser keeps nothing: save your labels before you close the page.';
  }
  find('kept', HTMLParagraphElement).textContent = state;
}

function save(): void {
  const name = reader.value.trim();
  if (name === '') {
    saved.textContent = 'Type your name first: the labels come home under it.';
    reader.focus();
    return;
  }
  keep(labels.given);
  const lines = writeGivenLabels(batch, labels.given, { reader: name, at: new Date().toISOString() });
  const file = `${batch.name}-labels-${name}.jsonl`.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_');
  saveFile(file, new Blob([lines], { type: 'application/x-ndjson' }));
  const left = batch.rows.length - labels.given.length;
  saved.textContent = `${countOf(labels.count, 'label')} saved in ${file}.${left > 0 ? ` ${countOf(left, 'row')} to go: save again later.` : ''}`;
}

const kept = readKept();
reader.value = kept.reader;
find('guideline', HTMLParagraphElement).textContent = batch.guideline;
const labels = new RowLabels({
  options: batch.options,
  rows: batch.rows,
  given: kept.given.filter((label) => label === null || batch.options.includes(label)),
  finish: { name: 'Save my labels', take: save },
  onChange: keep,
});
if (kept.given.length > 0) keep(labels.given);
reader.addEventListener('change', () => keep(labels.given));
document.addEventListener('keydown', (event) => labels.take(event));
