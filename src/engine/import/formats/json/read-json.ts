/** Examples as JSON: a list of objects wherever it stands, an object a line, or what a labelling tool exports. */
import { isExportedRecord } from '../../../export/read-back.ts';
import { isConversation, readTurns } from '../../../features/conversation.ts';
import { isJsonObject, type Json } from '../../../json.ts';
import { limits } from '../../../limits.ts';
import { parseJsonText } from '../../../strict-json/json-faults.ts';
import { type ParseJson, type Refusal, type Sheet, UnreadableFile } from '../../sheet.ts';
import { toExportedSheet } from '../../tables/exported-table.ts';
import { readExport } from '../labelling-exports.ts';
import { labelStudio } from '../labelling-tools.ts';
import { fromRecords, type ObjectRow } from '../objects.ts';
import { answerName, findRecords, type Records, unwrap } from './json-records.ts';
import { cutDocuments, hasSeveralDocuments, insideCall, type RepairedText, repairJson } from './json-text.ts';
import { readPlainValues } from './json-values.ts';

/** Reads JSON as the platform does, which takes the last of two equal keys. */
export const parsePlainJson: ParseJson = (text, firstLine) => {
  const parsed = parseJsonText(text);
  if (parsed.ok) return parsed;
  const { line, column, message } = parsed.fault;
  return { ok: false, problems: [{ line: firstLine + line - 1, column, message }] };
};

/** A sheet of records; `lines` says where each stands, else its place in the list. */
function toSheet(found: Records, repaired: RepairedText, refused: Refusal[], lines?: readonly number[]): Sheet {
  const records = areExportedRecords(found)
    ? found
    : takeLastTurns(readExport(found) ?? readPlainValues(unwrap(found)));
  const rows: ObjectRow[] = [];
  for (const [index, item] of records.list.entries()) {
    const line = lines?.[index] ?? index + 1;
    if (isJsonObject(item)) rows.push({ line, values: item });
    else refused.push({ line, column: 1, message: lines ? 'not an object' : `element ${index + 1} is not an object` });
  }
  if (areExportedRecords(found)) return { ...toExportedSheet(rows, found.detected), refused, notes: repaired.notes };
  const notes = [...repaired.notes, ...records.notes];
  return fromRecords(rows, { ...records, notes }, { refused, hasLongNumbers: repaired.hasLongNumbers });
}

const areExportedRecords = ({ list }: Records) =>
  list.length > 0 &&
  list.every((record) => !isJsonObject(record) || isExportedRecord(record)) &&
  list.some(isJsonObject);

function readDocuments(repaired: RepairedText, detected: string[], parseJson: ParseJson, maxRows?: number): Sheet {
  const values: unknown[] = [];
  const lines: number[] = [];
  const refused: Refusal[] = [];
  for (const { line, document } of cutDocuments(repaired.text)) {
    if (document.trim() === '') continue;
    // Some programs end each line as an element of a list.
    const parsed = parseJson(document.replace(/,\s*$/, ''), line);
    if (!parsed.ok) {
      const advise = (problem: Refusal) => adviseOn(document, { ...problem, line: problem.line - line + 1 });
      refused.push(...parsed.problems.map((each) => ({ ...each, message: each.message + advise(each) })));
    } else {
      values.push(parsed.value);
      lines.push(line);
    }
    if (values.length + refused.length === maxRows) break;
  }
  // Lines of lists are a table; their first one names the columns.
  const areLists = values.length > 1 && values.every(Array.isArray);
  const records = areLists ? findRecords(values) : null;
  const list = records?.list ?? values;
  const { notes = [] } = records ?? {};
  // The names of the columns, and what is said of them, stand before the rows.
  const places = lines.slice(values.length - list.length);
  return toSheet({ list, detected, notes }, repaired, refused, places);
}

/** So many characters tell what a text goes on with. */
const maxAdvised = 10_000;
type NearJson = { rest: string; before: string };
/** The characters of a text up to the first that may not stand in it. */
const soundText = /^"(?:[^"\\\r\n]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*/i;

/** Advice on what people and programs write for JSON, by how the text goes on where it stops being JSON. */
const nearJson: readonly { isOne(found: NearJson): boolean; advice: string }[] = [
  {
    isOne: ({ rest, before }) => /^[\]}]/.test(rest) && before.endsWith(','),
    advice: 'leave out the comma in front of it',
  },
  { isOne: ({ rest }) => rest.startsWith("'"), advice: 'texts stand in double quotes' },
  { isOne: ({ rest }) => /^[“”„«‘’]/.test(rest), advice: 'texts stand in straight double quotes' },
  { isOne: ({ rest }) => /^(?:\/[/*]|#)/.test(rest), advice: 'JSON has no comments' },
  {
    isOne: ({ rest }) => /^(?:true|false|none|null|nil|undefined)\b/i.test(rest),
    advice: 'JSON writes true, false and null, in small letters',
  },
  { isOne: ({ rest }) => /^[\p{L}_$][\p{L}\d_$]*\s*:/u.test(rest), advice: 'names of fields stand in double quotes' },
  {
    isOne: ({ rest }) => /^[-+]?(?:0[\dx]|\.)|^\+/i.test(rest),
    advice: 'numbers begin with a digit or “-”, without zeros in front',
  },
  {
    isOne: ({ rest, before }) => /^[[{]/.test(rest) && (before.endsWith(']') || before.trimStart().startsWith('{')),
    advice: 'put each object on a line of its own',
  },
  {
    isOne: ({ rest, before }) => /^[[{"\d]/.test(rest) && /[}\]"\d]$/.test(before),
    advice: 'put a comma in front of it',
  },
  {
    isOne: ({ rest }) => rest.replace(soundText, '').startsWith('\\'),
    advice: 'a backslash in a text is written twice',
  },
  {
    isOne: ({ rest }) => rest.startsWith('"'),
    advice: 'close the text on its line; a line break in it is written \\n',
  },
  { isOne: ({ before }) => before === '', advice: 'a JSON file begins with [ or {; take out what stands before that' },
];

/** Advice on a text that is nearly JSON, by the sign at which it stops being JSON. */
function adviseOn(text: string, { line, column }: Refusal): string {
  const start = text.split('\n', line - 1).reduce((sum, each) => sum + each.length + 1, Number(column) - 1);
  const rest = text.slice(start, start + maxAdvised);
  const before = text.slice(0, start).trimEnd();
  if (rest.length < maxAdvised && rest.replace(soundText, '').trim() === '') return '; the text is cut off here';
  const found = nearJson.find(({ isOne }) => isOne({ rest, before }));
  return found === undefined ? '' : ` “${String.fromCodePoint(rest.codePointAt(0) ?? 0)}”; ${found.advice}`;
}

/** Reads JSON of either form, whatever the file is called. Throws UnreadableFile. */
export function readJson(
  text: string,
  isNamedLines: boolean,
  detected: string[],
  parseJson: ParseJson,
  maxRows?: number,
): Sheet {
  const called = insideCall.exec(text);
  const repaired = repairJson(called?.[1] ?? text);
  const isOneLine = isNamedLines && /^\s*\{/.test(repaired.text) && !repaired.text.trim().includes('\n');
  if (isOneLine || hasSeveralDocuments(repaired.text)) return readDocuments(repaired, detected, parseJson, maxRows);
  const parsed = parseJson(repaired.text, 1);
  if (!parsed.ok) {
    // A broken line costs itself alone.
    if (isNamedLines && !repaired.text.trimStart().startsWith('['))
      return readDocuments(repaired, detected, parseJson, maxRows);
    const [problem] = parsed.problems;
    const advice = problem === undefined ? '' : adviseOn(repaired.text, problem);
    throw new UnreadableFile(`The file is not valid JSON: ${problem?.message}${advice}`, problem);
  }
  const { value } = parsed;
  const isTask = isJsonObject(value) && labelStudio.matches(value);
  const records = isTask ? { list: [value], detected: [], notes: [] } : findRecords(value);
  if (records === null) throw new UnreadableFile('The file holds no list of examples. Put them into one JSON array.');
  return toSheet({ ...records, detected: [...detected, ...records.detected] }, repaired, []);
}

/** Records that show whether a key holds such logs. */
const sampled = 20;
const answerColumn = 'answer';

const answeringRole = /^(?:assistant|gpt|chatgpt|model|bot|ai)$/i;

/** The last turn of a conversation, where it is the answer to those before it; else null. */
function findAnswer(value: Json | undefined): string | null {
  if (!isConversation(value) || value.length < 2) return null;
  const last = readTurns(value).at(-1);
  return last !== undefined && answeringRole.test(last.role) ? last.content.trim() : null;
}

/** Whether the instructions of a conversation name its answer. */
function namesAnswer(value: Json | undefined, answer: string | null): boolean {
  const [first] = isConversation(value) ? readTurns(value) : [];
  return answer !== null && first?.role === 'system' && first.content.toLowerCase().includes(answer.toLowerCase());
}

/** Takes answers out of conversations whose last turns say one of a few things; given answers stay. */
function takeLastTurns(records: Records): Records {
  const objects = records.list.filter(isJsonObject);
  const sample = objects.slice(0, sampled);
  const names = Object.keys(sample[0] ?? {});
  const key = names.find((name) => sample.every((record) => findAnswer(record[name]) !== null));
  if (key === undefined || objects.length < records.list.length || names.some((name) => answerName.test(name)))
    return records;
  const answers = objects.map((record) => findAnswer(record[key]));
  const { size } = new Set(answers);
  // Few conversations need not repeat their answers where the instructions name them.
  const areNamed = objects.every((record, index) => namesAnswer(record[key], answers[index] ?? null));
  if (size < limits.minOptions || size > limits.maxOptions || (size * 2 > objects.length && !areNamed)) return records;
  const list = objects.map((record, index) => {
    const turns = record[key];
    const answer = answers[index];
    if (!Array.isArray(turns) || answer == null) return record;
    return { ...record, [key]: turns.slice(0, -1), [answerColumn]: answer };
  });
  const note = `The last turns of “${key}” say one of ${size} things, so they are read as the column “${answerColumn}”`;
  return { ...records, list, notes: [...records.notes, note], answer: answerColumn };
}
