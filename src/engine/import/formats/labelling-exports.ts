/** Exports of labelling tools as records: fields, answers to the tool's questions, and marked parts in words. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { readCell, type Sheet } from '../sheet.ts';
import { isAccepted } from './answer-statuses.ts';
import type { Records } from './json/json-records.ts';
import { answerTables, labellingServices } from './labelling-services.ts';
import {
  type GivenAnswer,
  type LabelledTask,
  type LabellingTool,
  labellingTools,
  onlyQuestion,
  tableTools,
  toObjects,
} from './labelling-tools.ts';

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};
const readEntities = (text: string) => text.replace(/&(?:lt|gt|amp|quot|#39);/g, (found) => entities[found] ?? found);

/** `<@U02|ann>`, `<#C1|general>`, `<!here>` and `<https://…|page>` of Slack as they are shown. */
const readSlackText = (text: string) =>
  readEntities(
    text.replace(/<([^<>]+)>/g, (_, inner: string) => {
      const [target = '', shown] = inner.split('|');
      const sign = /^[@#]/.exec(target)?.[0] ?? (target.startsWith('!') ? '@' : '');
      const name = shown ?? target.replace(/^[@#!]|^mailto:/, '').replace(/^subteam\^/, '');
      return name.startsWith(sign) ? name : sign + name;
    }),
  );

const slackTime = /^\d{10}\.\d{6}$/;
const toTime = (value: Json) =>
  typeof value === 'string' && slackTime.test(value)
    ? new Date(Math.floor(Number(value) * 1_000)).toISOString()
    : value;

/** Replaces fields of a record that it has. */
const replaceFields = (record: JsonObject, read: Readonly<Record<string, (value: Json) => Json>>): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, read[name]?.(value) ?? value]));
const ofText = (read: (text: string) => string) => (value: Json) => (typeof value === 'string' ? read(value) : value);
const asTask = (fields: JsonObject) => ({ fields, given: [], spans: [] });

/** A text in parts, each plain or with what it is: Telegram's. */
function joinParts(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return value.map((part) => (isJsonObject(part) ? String(part['text'] ?? '') : String(part))).join('');
}

const messageExports: readonly LabellingTool[] = [
  {
    name: 'Slack',
    about:
      'Mentions, links and entities of texts are read as people see them, and ts as a time; who joined a channel stays, with its subtype',
    matches: ({ type, ts, text }) => type === 'message' && slackTime.test(String(ts)) && typeof text === 'string',
    read: (record) => asTask(replaceFields(record, { text: ofText(readSlackText), ts: toTime, thread_ts: toTime })),
  },
  {
    name: 'Gemini',
    about: 'Contents and their parts are read as messages',
    matches: ({ contents }) =>
      Array.isArray(contents) && contents.every((turn) => isJsonObject(turn) && Array.isArray(turn['parts'])),
    read: ({ contents, systemInstruction: system, ...record }) => {
      const turns = [...(isJsonObject(system) ? [{ ...system, role: 'system' }] : []), ...toObjects(contents)];
      return asTask({
        messages: turns.map(({ role = 'user', parts }) => ({ role, content: parts ?? null })),
        ...record,
      });
    },
  },
  {
    name: 'Telegram',
    about: 'Texts in parts are joined',
    matches: ({ id, type, date, text }) =>
      id !== undefined && (type === 'message' || type === 'service') && date !== undefined && text !== undefined,
    read: ({ text_entities: _, ...record }) => asTask(replaceFields(record, { text: joinParts })),
  },
  {
    name: 'Twitter',
    about: 'Entities of texts, as &amp;, are read as their signs',
    matches: ({ full_text: text, entities: marks }) => typeof text === 'string' && isJsonObject(marks),
    read: ({ entities: _, ...record }) => asTask(replaceFields(record, { full_text: ofText(readEntities) })),
  },
];

/** Elements that show which tool wrote a list. */
const sampled = 20;
const spansColumn = 'spans';
const spansAside = new Map([[spansColumn, 'It was marked while labelling, so no input has it.']]);
/** The column of the labels that second people gave. */
const secondColumn = `${onlyQuestion} (second reader)`;

/** The answers of several people to one question: the commonest, of equally common ones the first. */
export function settle(answers: readonly Json[]): { answer: Json; differ: boolean } {
  const uses = new Map<string, { answer: Json; count: number }>();
  for (const answer of answers) {
    if (answer === null) continue;
    const key = JSON.stringify(answer);
    const use = uses.get(key) ?? { answer, count: 0 };
    use.count += 1;
    uses.set(key, use);
  }
  const [most] = [...uses.values()].sort((a, b) => b.count - a.count);
  return { answer: most?.answer ?? null, differ: uses.size > 1 };
}

/** The label of a second person beside the one that counts: of several the first that differs; null without one. */
export function findSecond(given: readonly GivenAnswer[], label: Json): Json {
  const people = Map.groupBy(
    given.filter(([, answer]) => answer !== null),
    ([, , person]) => person,
  );
  if (people.size < 2) return null;
  const labels = [...people.values()].map((own) => settle(own.map(([, answer]) => answer)).answer);
  return labels.find((other) => JSON.stringify(other) !== JSON.stringify(label)) ?? label;
}

/** Records of what was read: the only question is the label, several keep their names. */
function toRecords(tasks: readonly LabelledTask[]) {
  const questions = new Set(tasks.flatMap(({ given }) => given.map(([question]) => question)));
  const isTaken = tasks.some(({ fields }) => Object.hasOwn(fields, onlyQuestion));
  const isOnly = questions.size === 1 && !isTaken;
  const hasSpans = tasks.some(({ spans }) => spans.length > 0);
  let differing = 0;
  let seconds = 0;
  let hasTruth = false;
  const records = tasks.map(({ fields, given, spans }) => {
    const record: JsonObject = { ...fields };
    let isSettled = true;
    for (const [question, answers] of Map.groupBy(given, ([asked]) => asked)) {
      const truths = answers.filter(([, , , isTruth]) => isTruth);
      const { answer, differ } = settle((truths.length > 0 ? truths : answers).map(([, one]) => one));
      if (truths.length > 0) hasTruth = true;
      record[isOnly ? onlyQuestion : question] = answer;
      if (differ) isSettled = false;
      const second = isOnly ? findSecond(answers, answer) : null;
      if (second !== null) {
        record[secondColumn] = second;
        seconds += 1;
      }
    }
    if (!isSettled) differing += 1;
    if (hasSpans) record[spansColumn] = spans.join('; ') || null;
    return record;
  });
  return {
    records,
    differing,
    hasTruth,
    hasSpans,
    ...(isOnly && { answer: onlyQuestion }),
    ...(seconds > 0 && { second: secondColumn }),
  };
}

/** The records of an export as its tool's tasks, with what is said of them. */
function describeTasks(tool: LabellingTool, tasks: readonly LabelledTask[], found: Omit<Records, 'list'>): Records {
  const { records, differing, hasTruth, hasSpans, ...said } = toRecords(tasks);
  const notes = [...found.notes, tool.about];
  if (hasTruth) notes.push('An annotation marked as ground truth is the label, whatever the others say');
  if (differing > 0)
    notes.push(
      `Records that people labelled differently: ${differing.toLocaleString('en')}. The commonest label counts, else the first`,
    );
  return {
    list: records,
    detected: [...found.detected, `an export of ${tool.name}`],
    notes,
    ...(hasSpans && { setAside: spansAside }),
    ...said,
  };
}

const findTool = (tools: readonly LabellingTool[], sample: readonly JsonObject[]) =>
  tools.find(({ matches }) => sample.length > 0 && sample.every(matches));

/** Reads the records of a labelling tool's export; null where no tool wrote them. */
export function readExport(found: Records): Records | null {
  const objects = found.list.filter(isJsonObject);
  const tool = findTool([...labellingServices, ...labellingTools, ...messageExports], objects.slice(0, sampled));
  if (tool === undefined || objects.length < found.list.length) return null;
  const labels = new Set(objects.flatMap(({ label }) => (typeof label === 'string' ? [label] : [])));
  return describeTasks(
    tool,
    objects.map((record) => tool.read(record, { labels, areReviewed: false })),
    found,
  );
}

const listItem = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\b(?:None|null|nan)\b/g;
/** A list of texts in a cell, as Python, NumPy and JSON write one; any other cell as it is. */
function readList(cell: Json): Json {
  if (typeof cell !== 'string' || !cell.startsWith('[') || !cell.endsWith(']')) return cell;
  const isList = /^[\s,]*$/.test(cell.slice(1, -1).replace(listItem, ''));
  return isList ? [...cell.matchAll(listItem)].map(([, double, single]) => double ?? single ?? null) : cell;
}

/** Reads a table that a labelling tool exported, in which rows of one task are one; any other stays. */
export function readToolTable(sheet: Sheet): Sheet {
  const toRecord = (row: Sheet['rows'][number]): JsonObject =>
    Object.fromEntries(sheet.columns.map((name, at) => [name, readList(readCell(row, sheet.columns, at) ?? null)]));
  const tool = findTool([...answerTables, ...tableTools], sheet.rows.slice(0, sampled).map(toRecord));
  if (tool === undefined) return setAnnotationAside(sheet);
  const { status = '' } = tool;
  const areReviewed = sheet.rows.some((row) => isAccepted(readCell(row, sheet.columns, sheet.columns.indexOf(status))));
  const file = { labels: new Set<string>(), areReviewed };
  const read = sheet.rows.map((row) => ({ line: row.line, ...tool.read(toRecord(row), file) }));
  const isJoined = answerTables.includes(tool);
  const tasks = [...Map.groupBy(read, ({ line, fields }) => (isJoined ? JSON.stringify(fields) : line)).values()];
  const joined = tasks.flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, given: [first, ...others].flatMap(({ given }) => given) }],
  );
  const { list, ...found } = describeTasks(tool, joined, sheet);
  const records = list.filter(isJsonObject);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record, index) => ({
    line: joined[index]?.line ?? 0,
    cells: columns.map((name) => record[name] ?? null),
  }));
  return { ...sheet, ...found, columns, rows };
}

/** Columns by which a table of a tool is known, and those that it writes of an annotation. */
const writtenColumns = [
  {
    name: 'Label Studio',
    known: ['annotation_id', 'annotator', 'lead_time'],
    written: ['annotation_id', 'annotator', 'lead_time', 'created_at', 'updated_at'],
  },
  { name: 'doccano', known: ['annotation_approver'], written: ['annotation_approver'] },
];

/** Sets the columns of a table aside that a tool has written about the annotation. */
function setAnnotationAside(sheet: Sheet): Sheet {
  const tool = writtenColumns.find(({ known }) => known.every((name) => sheet.columns.includes(name)));
  if (tool === undefined) return sheet;
  const written = tool.written.filter((name) => sheet.columns.includes(name));
  const setAside = new Map(written.map((name) => [name, `${tool.name} wrote it about the annotation.`]));
  return { ...sheet, detected: [...sheet.detected, `an export of ${tool.name}`], setAside };
}
