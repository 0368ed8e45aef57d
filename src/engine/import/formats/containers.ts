/** The kinds of files: each with its evidence, and how it is read or what to choose instead. */
import { insideCall } from './json/json-text.ts';

/** How much of a file's start is looked at. */
export const sampledCharacters = 4_096;
const sampledBytes = 64;
const readable = 'CSV, TSV, Excel (.xlsx), Parquet, JSON or JSON Lines';

/**
 * Evidence of a kind: the signs that its bytes begin with, perhaps with a name, and not as a text may begin; a part of
 * an archive; or its name and its text, whose body is all of it without the blanks around it.
 */
type Evidence =
  | { signs: readonly string[]; named?: RegExp; isBinary?: true }
  | { part: string }
  | { isOne(name: string, start: string, body: string): boolean };
/** A kind of file as a person calls it, with what reads it or, for one that is not read, what to do instead. */
export type Container = Evidence & {
  what: string;
  reads?: 'parquet' | 'workbook' | 'markup' | 'json' | 'table';
  remedy?: string;
};

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const begins = (pattern: RegExp) => (_: string, start: string) => pattern.test(start);
/** Whether all lines of a start are alike; the last may be cut off. */
const everyLine = (pattern: RegExp) => (_: string, start: string) => {
  const lines = start.split(/\r\n?|\n/).slice(0, start.length < sampledCharacters ? undefined : -1);
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.length > 1 && filled.every((line) => pattern.test(line));
};

const chatLine =
  /^\u200e?\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?(?:\]| -) /gm;
const logLine = /^\[\d{1,2}:\d{2}(?::\d{2})?\] ?(?:<[^>]+>|\* |[^:,;\t]{1,40}: )/gm;
const mailLine =
  /^(?:received|return-path|delivered-to|message-id|mime-version|from|to|subject|date|content-type|x-[\w-]+): /gim;
const sqlStart =
  /^\s*(?:(?:--[^\n]*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/;?)\s*)*(?:create table|insert (?:into|\[)|drop table|copy \S+ \(|set \w+ ?=|begin(?: transaction)?;|lock tables|pragma \w+ ?=|use \S+;?\r?\n)/i;
/** How a web page or an XML document begins; what begins a cell of a table with a tag is no such element. */
const markup = /^\s*<(?:!doctype|html|head|body|table|meta|style|\?xml)\b/i;
/** Whether a text is one element, whatever it is called. */
function isElement(text: string): boolean {
  const [, root] = /^<([a-z][\w:.-]*)[\s>]/i.exec(text) ?? [];
  return root !== undefined && text.endsWith(`</${root}>`) && text.indexOf(`<${root}`, 2) < 0;
}
const jsonStart =
  /^\s*(?:\/\/[^\n]*\n\s*|\/\*(?:(?!\*\/)[\s\S])*\*\/\s*)*(?:\{\s*["'}/]|\[\s*(?:[[{"'\]/]|(?:-?\d[\d.eE+-]*|true|false|null|NaN)\s*[,\]]))/;

/** The usual remedy; archives are opened first. */
const saveTable = `Save its table as ${readable}`;
const unpack = 'Unpack it';
const oneColumn = 'Save it as CSV, with the label and each feature in a column of its own';
const entryRows = 'Make it a table of one row for each entry';
const messageRows = 'Make it a table of one row for each message, with who wrote it, when and its text';

const table: Container = { what: 'a table', reads: 'table', isOne: () => true };
/** All kinds that are known, the more certain first; any other text is a table. */
const containers: readonly Container[] = [
  { what: 'Parquet', signs: ['PAR1'], isBinary: true, reads: 'parquet' },
  { what: 'a Parquet file with a key', signs: ['PARE'], isBinary: true },
  { what: 'Excel', signs: ['PK\x03\x04'], reads: 'workbook' },
  { what: 'a PNG picture', signs: ['\x89PNG'] },
  { what: 'a JPEG picture', signs: ['\xff\xd8\xff'] },
  { what: 'a GIF picture', signs: ['GIF8'] },
  { what: 'a PDF document', signs: ['%PDF'] },
  { what: 'an Excel file of the old kind (.xls), or one with a password', signs: ['\xd0\xcf\x11\xe0'] },
  { what: 'a file of R (.rds, .RData)', signs: ['\x1f\x8b', 'BZh', '\xfd7zXZ', 'RD'], named: /\.(?:rds|rda|rdata)$/i },
  { what: 'a gzip archive', signs: ['\x1f\x8b'], remedy: unpack },
  {
    what: 'a packed file (.zst, .bz2, .xz, .7z, .rar)',
    signs: ['\x28\xb5\x2f\xfd', 'BZh91AY', '\xfd7zXZ\0', '7z\xbc\xaf', 'Rar!\x1a'],
    remedy: unpack,
  },
  { what: 'a file of Arrow (Feather)', signs: ['ARROW1\0', 'FEA1'], isBinary: true },
  { what: 'a file of SPSS (.sav)', signs: ['$FL2', '$FL3'] },
  { what: 'a file of Stata (.dta)', signs: ['<stata_dta>', ...[...'nqrs'].map((version) => `${version}\x02\x01\0`)] },
  { what: 'a file of SAS', signs: [`${'\0'.repeat(12)}\xc2\xea\x81\x60`, `HEADER RECORD${'*'.repeat(7)}`] },
  { what: 'an Avro file', signs: ['Obj\x01'] },
  { what: 'an ORC file', signs: ['ORC'], isBinary: true },
  { what: 'a pickle of Python', signs: [...'\x02\x03\x04\x05'].map((version) => `\x80${version}`) },
  { what: 'a file of arrays (NumPy, HDF5)', signs: ['\x93NUMPY', '\x89HDF'] },
  { what: 'a database (SQLite, Access)', signs: ['SQLite format 3\0', '\0\x01\0\0Standard '] },
  { what: 'an Excel workbook of the binary kind (.xlsb)', part: 'xl/workbook.bin' },
  { what: 'an OpenDocument file (.ods)', part: 'content.xml' },
  { what: 'a Word document', part: 'word/document.xml' },
  { what: 'a presentation (.pptx)', part: 'ppt/presentation.xml' },
  { what: 'an Apple Numbers file', part: 'index/document.iwa' },
  { what: 'a document of RTF', isOne: begins(/^\{\\rtf/) },
  { what: 'a web page with its pictures (.mht)', isOne: begins(/^MIME-Version/) },
  {
    what: 'a YAML file',
    isOne: (name, start) => /\.ya?ml$/i.test(name) || /^(?:---\r?\n)?- [\w-]+: .*\r?\n {2}[\w-]+: /.test(start),
  },
  {
    what: 'an SQL dump, which holds no table',
    remedy: 'Export the table itself as CSV',
    isOne: (name, start) => /\.sql$/i.test(name) || sqlStart.test(start),
  },
  {
    what: 'a mailbox or mail, which holds no table',
    remedy: 'Export the mails as CSV, one row each with subject and text',
    isOne: (_, start) =>
      /^From \S+@\S+ .*\d{4}\r?\n/.test(start) ||
      (/^[\w-]+: /.test(start) && countOf(start.split(/\r?\n\r?\n/)[0] ?? '', mailLine) > 2),
  },
  {
    what: 'an exported chat, which holds no table',
    remedy: messageRows,
    isOne: (_, start) => countOf(start, chatLine) > 1 || countOf(start, logLine) > 1,
  },
  {
    what: 'a file of subtitles, which holds no table',
    remedy: 'Make it a table of one row for each conversation, with its text',
    isOne: begins(/^(?:WEBVTT\b|\d+\r?\n[\d:,.]+ --> )/),
  },
  {
    what: 'a file of labelled words (CoNLL, WebAnno, brat), which holds no table',
    remedy: 'Export the labels of whole texts as CSV or JSON, one row for each text',
    isOne: (name, start) =>
      /^(?:-DOCSTART-|#FORMAT=WebAnno|# (?:newdoc|sent_id|text) ?=|T\d+\t\S+ \d+ \d+\t)/.test(start) ||
      everyLine(/\S[ \t](?:O|[BIES]-\S+)\s*$/)(name, start),
  },
  {
    what: 'an ARFF file, which holds no table',
    remedy: 'Save its data as CSV, with the names of the attributes in the first line',
    isOne: begins(/^\s*(?:%[^\n]*\n\s*)*@relation\b/i),
  },
  {
    what: 'a file of LIBSVM, which holds no table',
    remedy: oneColumn,
    isOne: everyLine(/^[-+]?[\d.]+(?: \d+:[-+.\deE]+)+\s*(?:#.*)?$/),
  },
  {
    what: 'a file of Vowpal Wabbit, which holds no table',
    remedy: oneColumn,
    isOne: everyLine(/^-?[\d.]+(?: '?[^\s|]+)* \|\w+ /),
  },
  {
    what: 'a file of fastText, which holds no table',
    remedy: 'Save it as CSV, with the label in one column and the text in another',
    isOne: everyLine(/^__label__\S+ /),
  },
  {
    what: 'a calendar or a list of contacts, which holds no table',
    remedy: entryRows,
    isOne: begins(/^BEGIN:V(?:CALENDAR|CARD)\b/i),
  },
  { what: 'a TOML file', isOne: (name, start) => /\.toml$/i.test(name) || /^\[\[[\w.-]+\]\]\s*\n/.test(start) },
  {
    what: 'R code, which holds no table',
    remedy: 'Write the data frame by write.csv(…)',
    isOne: begins(/^\s*(?:\w+ *<- *)?structure\(list\(/),
  },
  {
    what: 'a list of references (BibTeX, RIS), which holds no table',
    remedy: entryRows,
    isOne: begins(/^(?:@\w+\{[^,\n]+,|TY {2}- )/),
  },
  { what: 'a file of messages (EDIFACT, HL7)', isOne: begins(/^(?:UN[AB][+:]|MSH\|)/) },
  {
    what: 'a statement of a bank (QIF, OFX, MT940)',
    remedy: 'Export it as CSV',
    isOne: begins(/^(?:!Type:\w+\r?\n|OFXHEADER:|:20:.*\r?\n:2[158])/),
  },
  { what: 'a sheet as SYLK', isOne: begins(/^ID;P\w+.*\r?\n[BCF];/) },
  {
    what: 'a web page or XML',
    reads: 'markup',
    isOne: (name, start, body) => /\.xml$/i.test(name) || markup.test(start) || isElement(body),
  },
  {
    what: 'JSON',
    reads: 'json',
    isOne: (name, _, body) =>
      /\.(?:jsonl?|ndjson|geojson)$/i.test(name) || jsonStart.test(body) || insideCall.test(body),
  },
  table,
];

/** No text holds them. */
const controls = /(?![\t\n\r])\p{Cc}/u;

/** Finds the kind of a file by its name and the signs that its bytes begin with; null for a text. */
export function findContainerOfBytes(name: string, bytes: Uint8Array): Container | null {
  const start = String.fromCharCode(...bytes.subarray(0, sampledBytes));
  const isOne = (each: Container) =>
    'signs' in each &&
    each.signs.some((sign) => start.startsWith(sign)) &&
    each.named?.test(name) !== false &&
    (each.isBinary !== true || controls.test(start));
  return containers.find(isOne) ?? null;
}

/** Finds the kind of a text, which is a table where it is nothing else. */
export function findContainerOfText(name: string, text: string): Container {
  const start = text.slice(0, sampledCharacters);
  const body = text.trim();
  return containers.find((each) => 'isOne' in each && each.isOne(name, start, body)) ?? table;
}

/** An archive that is no workbook, by one of its parts. */
export const findContainerOfArchive = (has: (part: string) => boolean): Container =>
  containers.find((each) => 'part' in each && has(each.part)) ?? { what: 'a ZIP archive', part: '', remedy: unpack };

/** Says what a file that is not read, and what to choose instead. */
export const describeOther = ({ what, remedy = saveTable }: Pick<Container, 'what' | 'remedy'>): string =>
  `This is ${what}. ${remedy}, then choose that file.`;
