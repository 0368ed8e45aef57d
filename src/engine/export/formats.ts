/** Writing examples in each format: tables, JSON Lines, and what labelling tools read. */
import { writeCsvLine } from './csv.ts';
import type { ExampleTable, ExportedExample } from './example-columns.ts';
import type { LinesFormat, TableFormat } from './file-kinds.ts';
import { labellingRecords } from './labelling-records.ts';
import { type Examples, joinPieces, type Pieces } from './pieces.ts';

/** Writes examples as a table of all their fields. */
export async function* writeTable(format: TableFormat, name: string, table: ExampleTable, examples: Examples): Pieces {
  switch (format) {
    case 'csv':
      yield* joinPieces(writeCsvLines(table, examples));
      return;
    case 'xlsx': {
      const { writeExampleWorkbook } = await import('./example-workbook.ts');
      yield* writeExampleWorkbook(name, table, examples);
      return;
    }
    case 'parquet': {
      const { writeExampleParquet } = await import('./example-parquet.ts');
      yield* writeExampleParquet(table, examples);
    }
  }
}

async function* writeCsvLines(table: ExampleTable, examples: Examples): AsyncGenerator<string> {
  yield writeCsvLine(table.headers);
  for await (const example of examples) yield writeCsvLine(table.toCells(example));
}

/** Writes examples one by one; a labelling tool's format names the options of the type. */
export function writeRecords(format: LinesFormat, options: readonly string[], examples: Examples): Pieces {
  const toRecord = format === 'jsonl' ? (example: ExportedExample) => example : labellingRecords[format](options);
  return joinPieces(format === 'label_studio' ? writeList(toRecord, examples) : writeLines(toRecord, examples));
}

type ToRecord = (example: ExportedExample) => object | null;

/** One record a line; an example that a format cannot hold is left out. */
async function* writeLines(toRecord: ToRecord, examples: Examples): AsyncGenerator<string> {
  for await (const example of examples) {
    const record = toRecord(example);
    if (record !== null) yield `${JSON.stringify(record)}\n`;
  }
}

async function* writeList(toRecord: ToRecord, examples: Examples): AsyncGenerator<string> {
  let opening = '[\n';
  for await (const example of examples) {
    yield `${opening}${JSON.stringify(toRecord(example))}`;
    opening = ',\n';
  }
  yield opening === ',\n' ? '\n]\n' : '[]\n';
}
