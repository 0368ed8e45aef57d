/** The sentences of the report on a policy's inputs and on who labelled its examples. */
import { listSome } from '../bundle/describe-policy.ts';
import type { InputField } from '../bundle/input-fields.ts';
import { countOf, formatCount } from '../numeric.ts';
import type { PathReading } from '../readings/readings.ts';
import { writeNumber } from '../readings/write-number.ts';
import { escapeHtml, quoteText } from './html.ts';

/** The fields that a policy reads, and those that tell who somebody is. */
export type ReportInputs = {
  fields: readonly InputField[];
  /** How texts of fields become numbers: these are written as their file has them. */
  readings: readonly PathReading[];
  /** Names of the days between two dates that are inputs by themselves. */
  between: readonly string[];
  /** Learned fields that tell who somebody is: how many of the newest examples are decided otherwise without one. */
  personal: { name: string; changed: number; of: number }[];
  /** Personal fields that are not learned. */
  leftOut: readonly string[];
};

export type ReportReaders = {
  /** Who gave the labels in the program; null is a reader without a name. */
  readers: readonly { reader: string | null; rows: number }[];
  /** Labels that the newest check of them doubts; null before there was one. */
  suspects: number | null;
};

const maxFields = 40;
/** Readers who are named, those with the most labels first. */
const maxReaders = 3;

/** Lists the inputs with what the examples have of them, and says which of them tell who somebody is. */
export function describeInputs({ fields, readings, between, personal, leftOut }: ReportInputs): string {
  const named = fields
    .slice(0, maxFields)
    .map((field) => `${quoteText(field.path.join('.'))} (${describeSeen(field, readings)})`);
  const more = fields.length > maxFields ? ` and ${fields.length - maxFields} more` : '';
  const days = between.length === 0 ? [] : [`Days between dates: ${between.map(quoteText).join('; ')}.`];
  const learned = personal.map(({ name, changed, of }) => {
    const effect = `without it ${formatCount(changed)} of the newest ${countOf(of, 'example')} are decided otherwise`;
    return `<strong>${quoteText(name)} tells who somebody is and is learned anyway: ${effect}.</strong>`;
  });
  const kept =
    leftOut.length === 0 ? [] : [`Personal and not learned: ${listSome(leftOut.map(quoteText), maxFields)}.`];
  return `<p>${[`${named.join(', ')}${more}.`, ...days, ...learned, ...kept].join(' ')}</p>`;
}

function describeSeen({ path, kind, values, range }: InputField, readings: readonly PathReading[]): string {
  const reading = readings.find((each) => each.path.join('\0') === path.join('\0'))?.reading;
  const write = (end: number) =>
    (reading?.kind === 'number' ? writeNumber(end, reading) : null) ?? end.toLocaleString('en-US');
  const ends = range?.map((end) => escapeHtml(typeof end === 'number' ? write(end) : end.slice(0, 10)));
  if (ends !== undefined) return ends.join(' to ');
  if (kind === 'category') return values === null ? 'names' : countOf(values.length, 'value');
  return kind === 'boolean' ? 'yes or no' : kind === 'any' ? 'for rules' : kind;
}

/** Names the days of the examples, by the date among their fields that ends last. */
export function describePeriod(fields: readonly InputField[]): string[] {
  const dates = fields.flatMap(({ path, kind, range }) =>
    kind === 'date' && range !== null
      ? [{ path, from: String(range[0]).slice(0, 10), to: String(range[1]).slice(0, 10) }]
      : [],
  );
  const [last] = dates.sort((a, b) => (a.to < b.to ? 1 : -1));
  return last === undefined
    ? []
    : [`By “${quoteText(last.path.join('.'))}” they are of ${escapeHtml(last.from)} to ${escapeHtml(last.to)}.`];
}

/** Says who labelled, and how many labels are doubted. */
export function listReaders({ readers, labelled, suspects }: ReportReaders & { labelled: number }): string[] {
  const given = readers.reduce((sum, { rows }) => sum + rows, 0);
  const named = readers.map(
    ({ reader, rows }) => `${formatCount(rows)} by ${reader === null ? 'a reader without a name' : quoteText(reader)}`,
  );
  const rest = labelled > given && given > 0 ? ', the others came with their file' : '';
  const who =
    given === 0
      ? labelled === 0
        ? []
        : ['All labels came with their file.']
      : [`Labels given here: ${listSome(named, maxReaders)}${rest}.`];
  if (suspects === null) return who;
  return [
    ...who,
    suspects === 0
      ? 'No label is suspect.'
      : `${countOf(suspects, 'label')} ${suspects === 1 ? 'is' : 'are'} suspect and not looked at since.`,
  ];
}
