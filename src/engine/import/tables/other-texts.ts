/** Texts that hold no table though they can be cut into lines: they are known by how they begin. */

/** How much of a text's start is looked at. */
const sampledCharacters = 4_096;

type OtherText = { what: string; remedy: string; isOne(name: string, start: string): boolean };

const chatLine =
  /^\u200e?\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?(?:\]| -) /gm;
const logLine = /^\[\d{1,2}:\d{2}(?::\d{2})?\] ?(?:<[^>]+>|\* |[^:,;\t]{1,40}: )/gm;
const headerLine =
  /^(?:received|return-path|delivered-to|message-id|mime-version|from|to|subject|date|content-type|x-[\w-]+): /gim;
const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
/** The lines of a start, the last of which may be cut off. */
const everyLine = (start: string, pattern: RegExp) => {
  const lines = start.split(/\r\n?|\n/).slice(0, start.length < sampledCharacters ? undefined : -1);
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.length > 1 && filled.every((line) => pattern.test(line));
};

const otherTexts: readonly OtherText[] = [
  {
    what: 'an SQL dump',
    remedy: 'Export the table itself as CSV',
    isOne: (name, start) =>
      /\.sql$/i.test(name) ||
      /^\s*(?:(?:--[^\n]*|\/\*[\s\S]*?\*\/;?)\s*)*(?:create table|insert (?:into|\[)|drop table|copy \S+ \(|set \w+ ?=|begin(?: transaction)?;|lock tables|pragma \w+ ?=|use \S+;?\r?\n)/i.test(
        start,
      ),
  },
  {
    what: 'a mailbox or mail',
    remedy: 'Export the mails as CSV, one row each with subject and text',
    isOne: (_, start) =>
      /^From \S+@\S+ .*\d{4}\r?\n/.test(start) ||
      (/^[\w-]+: /.test(start) && countOf(start.split(/\r?\n\r?\n/)[0] ?? '', headerLine) > 2),
  },
  {
    what: 'an exported chat',
    remedy: 'Make it a table of one row for each message, with who wrote it, when and its text',
    isOne: (_, start) => countOf(start, chatLine) > 1 || countOf(start, logLine) > 1,
  },
  {
    what: 'a file of subtitles',
    remedy: 'Make it a table of one row for each conversation, with its text',
    isOne: (_, start) => /^(?:WEBVTT\b|\d+\r?\n[\d:,.]+ --> )/.test(start),
  },
  {
    what: 'a file of labelled words (CoNLL, WebAnno, brat)',
    remedy: 'Export the labels of whole texts as CSV or JSON, one row for each text',
    isOne: (_, start) =>
      /^(?:-DOCSTART-|#FORMAT=WebAnno|# (?:newdoc|sent_id|text) ?=|T\d+\t\S+ \d+ \d+\t)/.test(start) ||
      everyLine(start, /\S[ \t](?:O|[BIES]-\S+)\s*$/),
  },
  {
    what: 'an ARFF file',
    remedy: 'Save its data as CSV, with the names of the attributes in the first line',
    isOne: (_, start) => /^\s*(?:%[^\n]*\n\s*)*@relation\b/i.test(start),
  },
  {
    what: 'a file of LIBSVM',
    remedy: 'Save it as CSV, with the label and each feature in a column of its own',
    isOne: (_, start) => everyLine(start, /^[-+]?[\d.]+(?: \d+:[-+.\deE]+)+\s*(?:#.*)?$/),
  },
  {
    what: 'a file of Vowpal Wabbit',
    remedy: 'Save it as CSV, with the label and each feature in a column of its own',
    isOne: (_, start) => everyLine(start, /^-?[\d.]+(?: '?[^\s|]+)* \|\w+ /),
  },
  {
    what: 'a file of fastText',
    remedy: 'Save it as CSV, with the label in one column and the text in another',
    isOne: (_, start) => everyLine(start, /^__label__\S+ /),
  },
];

/** Says what a text without a table is, and what to export instead; null for any other. */
export function describeOtherText(name: string, text: string): string | null {
  const start = text.slice(0, sampledCharacters);
  const other = otherTexts.find(({ isOne }) => isOne(name, start));
  return other ? `This is ${other.what}, which holds no table. ${other.remedy}, then choose that file.` : null;
}
