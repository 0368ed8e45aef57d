/** Reading an example file as strictly as a body, within the memory of the process that reads it. */
import { type ErrorDetail, type Result, WorkbenchError } from '../../errors.ts';
import { exampleBound, limits } from '../../limits.ts';
import { formatCount } from '../../numeric.ts';
import { checkStrictness, hasMoreValues } from '../../strict-json/json-body.ts';
import { parseJsonText } from '../../strict-json/json-faults.ts';
import { checkPackedSize } from '../packed-size.ts';
import { readFile, readText } from '../read-file.ts';
import type { TextFormat } from '../sheet.ts';
import { type ParseJson, type Refusal, type Sheet, type SheetChoice, UnreadableFile } from '../sheet.ts';
import { blanks } from '../tables/split-lines.ts';

export type ImportFile = { content: string; format: TextFormat | null } | { name: string; bytes: Uint8Array };

/** Fields of an import that say how a file is to be read. */
export type SheetFields = {
  sheet?: string | undefined;
  header_line?: number | undefined;
  delimiter?: string | undefined;
  quote?: '"' | "'" | 'none' | undefined;
  encoding?: string | undefined;
};

/** How a file is to be read, as a request says it. */
export const toSheetChoice = ({ sheet, header_line, delimiter, quote, encoding }: SheetFields): SheetChoice => ({
  sheet,
  encoding,
  headerLine: header_line,
  delimiter: delimiter === 'tab' ? '\t' : delimiter === 'none' ? '' : delimiter,
  quote: quote === 'none' ? '' : quote,
});

/** The limit of a body, too: a wider input could not be sent back. */
const maxColumns = 2_000;
/** Characters of a column's name, which the answer repeats several times. */
const maxColumnName = 1_000;
const maxReportedProblems = 100;
/** Values that a JSON file may hold; they fit the memory of the process that reads them. */
const maxValues = 1_500_000;
/** Cells that a table may hold; they fit that memory as well. */
const maxCells = 3_000_000;

/** Refuses a file with its first hundred problems; the first stands in the message, too, which alone may be shown. */
export function refuseFile(problems: readonly ErrorDetail[]): never {
  const message = `The file cannot be imported. (${problems[0]?.msg})`;
  throw new WorkbenchError('validation_error', message, problems.slice(0, maxReportedProblems));
}

/** A problem at a line and column of an imported file. */
export function toFileProblem(line: number, column: string | number, msg: string): ErrorDetail {
  return { type: 'unreadable', loc: ['body', 'content', line, column], msg: `line ${line}: ${msg}` };
}

/** A line that cannot be read, as a problem of the file. */
export const toProblem = ({ line, column, message }: Refusal) => toFileProblem(line, column, message);

/** Refuses a file that is too much for one import. */
export function refuseSize(what: string): never {
  return refuseFile([
    { type: 'too_many', loc: ['body', 'content'], msg: `${what}; import it in several parts. ${exampleBound}` },
  ]);
}

/** Parses JSON of a file as strictly as a body: content that a body may not hold would come back as something else. */
const parseStrictJson: ParseJson = (text, firstLine) => {
  const refuse = (line: number, column: string | number, message: string): Result<unknown, Refusal> => ({
    ok: false,
    problems: [{ line, column, message }],
  });
  const parsed = parseJsonText(text);
  if (!parsed.ok) return refuse(firstLine + parsed.fault.line - 1, parsed.fault.column, parsed.fault.message);
  try {
    checkStrictness(parsed.value, text);
    return { ok: true, value: parsed.value };
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    const [detail] = (error.details ?? []) as ErrorDetail[];
    return refuse(firstLine, detail?.loc.slice(1).join('.') ?? 1, detail?.msg ?? error.message);
  }
};

/** Refuses a text whose cells or values would not fit the memory. */
function checkText(text: string, separator: string | null): void {
  if (separator === null) {
    if (hasMoreValues(text, maxValues)) refuseSize(`more than ${formatCount(maxValues)} values`);
    return;
  }
  let cells = 0;
  if (separator === blanks) for (const _ of text.matchAll(/[ \t]+/g)) cells += 1;
  else if (separator !== '')
    for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) cells += 1;
  if (cells > maxCells) refuseSize(`more than ${formatCount(maxCells)} cells`);
}

function checkSheet({ columns, rows, header }: Sheet): void {
  if (header !== null && columns.length > maxColumns) {
    refuseFile([toFileProblem(header.line, maxColumns + 1, `more than ${maxColumns} columns`)]);
  }
  const long = columns.findIndex((name) => name.length > maxColumnName);
  if (long >= 0) {
    const msg = `the name of a column has more than ${formatCount(maxColumnName)} characters`;
    refuseFile([toFileProblem(header?.line ?? 1, long + 1, msg)]);
  }
  if (rows.length === 0) refuseFile([{ type: 'empty', loc: ['body', 'content'], msg: 'the file holds no examples' }]);
  if (rows.length > limits.maxExamples) {
    refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg: exampleBound }]);
  }
}

/** Reads a file and lists lines that cannot be read. Throws `validation_error` with line and column of each problem. */
export async function openSheet(file: ImportFile, choice: SheetChoice): Promise<Sheet> {
  const fileLimits = {
    maxBytes: limits.maxImportBytes,
    maxRows: limits.maxExamples + 1,
    parseJson: parseStrictJson,
    checkText,
  };
  try {
    if ('bytes' in file) await checkPackedSize(file.bytes, { maxRows: limits.maxExamples, maxColumns, maxCells });
    const sheet =
      'bytes' in file
        ? await readFile(file, choice, fileLimits)
        : await readText('', file.content, file.format, choice, fileLimits);
    // A file of which no line can be read is refused with the reasons.
    if (sheet.rows.length === 0) refuseLines(sheet);
    checkSheet(sheet);
    return sheet;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { line, column, message } = error;
    throw new WorkbenchError('validation_error', message, [toFileProblem(line, column, message)]);
  }
}

/** Refuses a file with its lines that cannot be read, if there are any. */
export function refuseLines({ refused }: Sheet): void {
  if (refused.length > 0) refuseFile(refused.slice(0, maxReportedProblems).map(toProblem));
}
