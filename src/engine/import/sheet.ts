/** A file as rows under named columns, whatever its format. */

import type { Result } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Formats of text that a caller may state. */
export const textFormats = ['csv', 'tsv', 'json', 'jsonl'] as const;
export type TextFormat = (typeof textFormats)[number];

export const columnKinds = [
  'number',
  'number_decimal_comma',
  'date_day_first',
  'date_month_first',
  'date_year_first',
  'date_month_only',
  'yes_no',
  'list_semicolon',
  'list_bar',
  'list_comma',
  'text',
  'as_is',
] as const;
export type ColumnKind = (typeof columnKinds)[number];

/** A row of a table has cells, the object of a JSON file its own keys. Lines count from 1. */
export type SheetRow = { line: number; cells: readonly Json[] } | { line: number; values: JsonObject };

/** A line, or a column of the header, that cannot be read, with the reason. */
export type Refusal = { line: number; column: string | number; message: string };

/** An encoding that a text could be in, and a piece of the text as it would read. */
export type PossibleEncoding = { encoding: string; example: string };

/** Why a line is not a row; a `header` is a second one, or the first again, and `other` a line of a second table. */
export const skipReasons = ['blank', 'title', 'header', 'heading', 'total', 'note', 'hidden', 'other'] as const;
export type SkipReason = (typeof skipReasons)[number];
export type Skipped = { reason: SkipReason; count: number; lines: number[] };

export type Sheet = {
  columns: string[];
  rows: SheetRow[];
  /** Facts found out about the file's format, in words. */
  detected: string[];
  refused: Refusal[];
  /** Lines that are not rows, by reason. With the rows and the refused lines they are all of the file. */
  skipped: Skipped[];
  /** Sentences about guesses and made-up names. */
  notes: string[];
  /** The encoding of a text file, and the candidates if its content is ambiguous. */
  encoding?: { name: string; choices: PossibleEncoding[] };
  /** The sign that separates the cells of a table in a text, and the one that quotes them; '' for none. */
  delimiter?: string;
  quote?: string;
  /** Columns that are not inputs by what the file says, each with a sentence. */
  setAside?: ReadonlyMap<string, string>;
  /** The column of the labels, where the file says which. */
  answer?: string;
  /** The column of what second people said where `answer` has the labels, where the file says who gave which. */
  second?: string;
  /** A column that repeats what others say together: either it is used, as the answer, or they are. */
  gathered?: { column: string; from: string[] };
  /** Whether it holds examples that a workbench has exported: each row is one, with all that belongs to it. */
  isOwnExport?: boolean;
  /** The sheets of a workbook, fullest first and hidden ones last, and the one that was read; null for other files. */
  workbook: { sheets: string[]; hidden: string[]; sheet: string } | null;
  /** The line of a table that names the columns, 0 for none, and the first lines among which it was chosen. */
  header: { line: number; first: { line: number; text: string }[] } | null;
};

/** Parts of a file that are chosen; left out, they are found. */
export type SheetChoice = {
  sheet?: string | undefined;
  /** 0 where no line names the columns. */
  headerLine?: number | undefined;
  /** The encoding of a text, by a name that TextDecoder knows. */
  encoding?: string | undefined;
  /** The separator of a text's cells: its characters, or `blanks` for any run of blanks. */
  delimiter?: string | undefined;
  /** The quote around cells that hold a separator; '' for none. */
  quote?: string | undefined;
};

/** Reads a JSON document that starts on the given line of its file. */
export type ParseJson = (text: string, firstLine: number) => Result<unknown, Refusal>;

/** A file that cannot be read at all; its message is a whole sentence with place and remedy. */
export class UnreadableFile extends Error {
  readonly line: number;
  readonly column: string | number;
  constructor(message: string, options: { line?: number; column?: string | number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.line = options.line ?? 1;
    this.column = options.column ?? 1;
  }
}

/** The value of a row in a column of its sheet; undefined where an object has no such key. */
export function readCell(row: SheetRow, columns: readonly string[], column: number): Json | undefined {
  if ('cells' in row) return row.cells[column] ?? null;
  const name = columns[column] ?? '';
  return Object.hasOwn(row.values, name) ? row.values[name] : readInner(row.values, name);
}

function readInner(values: JsonObject, name: string): Json | undefined {
  if (!name.includes('.')) return undefined;
  let value: Json | undefined = values;
  for (const key of name.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
