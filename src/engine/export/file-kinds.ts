/** The formats in which examples are exported. */

/** Formats with a column for each field: the fields of all examples must be known before the first is written. */
const tableFormats = ['csv', 'xlsx', 'parquet'] as const;
const labellingFormats = ['label_studio', 'argilla', 'prodigy', 'spacy'] as const;
/** A page on which somebody labels the examples elsewhere, and which saves their labels as JSON Lines. */
export const labellingPage = 'labelling_page';
export const exampleFormats = [...tableFormats, 'jsonl', ...labellingFormats, labellingPage] as const;
export type ExampleFormat = (typeof exampleFormats)[number];
export type TableFormat = (typeof tableFormats)[number];
export type LinesFormat = Exclude<ExampleFormat, TableFormat | typeof labellingPage>;
export type LabellingFormat = (typeof labellingFormats)[number];

/** Whether a format needs the table of all fields. */
export const isTableFormat = (format: ExampleFormat): format is TableFormat =>
  tableFormats.some((name) => name === format);

/** The name's ending and the media type of each format. */
export const fileKinds: Readonly<Record<ExampleFormat, { extension: string; contentType: string }>> = {
  csv: { extension: 'csv', contentType: 'text/csv; charset=utf-8' },
  xlsx: { extension: 'xlsx', contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  parquet: { extension: 'parquet', contentType: 'application/vnd.apache.parquet' },
  jsonl: { extension: 'jsonl', contentType: 'application/x-ndjson; charset=utf-8' },
  label_studio: { extension: 'label-studio.json', contentType: 'application/json; charset=utf-8' },
  argilla: { extension: 'argilla.jsonl', contentType: 'application/x-ndjson; charset=utf-8' },
  prodigy: { extension: 'prodigy.jsonl', contentType: 'application/x-ndjson; charset=utf-8' },
  spacy: { extension: 'spacy.jsonl', contentType: 'application/x-ndjson; charset=utf-8' },
  labelling_page: { extension: 'labelling.html', contentType: 'text/html; charset=utf-8' },
};
