/** Exports of messages: their texts as people read them, without the marks of links, mentions and entities. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { type LabellingTool, toObjects } from './labelling-tools.ts';

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

export const messageExports: readonly LabellingTool[] = [
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
