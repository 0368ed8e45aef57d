/** Conversations: lists of turns as chat logs and language models have them. Python reads the same (`readable.py`). */
import type { Json } from '../domain.ts';
import { isJsonObject } from '../json.ts';

/** One turn of a conversation; `role` is empty where nobody is named. */
export type Turn = { role: string; content: string };

const roleNames = ['role', 'from', 'speaker', 'author', 'sender'];
const contentNames = ['content', 'value', 'text', 'message', 'body'];

/** Reads the turns of a list; members that hold no text are left out. */
export function readTurns(list: readonly Json[]): Turn[] {
  return list.flatMap((member) => {
    if (!isJsonObject(member)) return [];
    const content = contentNames.map((name) => readContent(member[name])).find((text) => text !== null);
    const role = roleNames.map((name) => member[name]).find((value) => typeof value === 'string');
    return content === undefined || content === null ? [] : [{ role: role ?? '', content }];
  });
}

/** Whether a value is a list of turns, each with a role and a text. */
export function isConversation(value: unknown): value is Json[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const turns = readTurns(value);
  return turns.length === value.length && turns.every(({ role }) => role !== '');
}

/** The text of turns: a line `role: content` for each, with `read` applied to each content. */
export const joinTurns = (turns: readonly Turn[], read: (content: string) => string): string =>
  turns.map(({ role, content }) => (role === '' ? read(content) : `${role}: ${read(content)}`)).join('\n');

/** A string, or the strings of a list of parts, as in messages with pictures; null for anything else. */
function readContent(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const texts = value.map((part) => (isJsonObject(part) ? part['text'] : part));
  return texts.filter((text) => typeof text === 'string').join('\n');
}
