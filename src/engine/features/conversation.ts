/** Conversations: lists of turns as chat logs and language models have them. Python reads the same (`readable.py`). */
import { isJsonObject, type Json } from '../json.ts';

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

/** A line at which a turn begins: perhaps a time, who speaks, perhaps a time, and a colon. */
const turnStart =
  /^[ \t]*(?:(?:\[[^\]]{1,40}\]|\(?\d[-\d/.:, ]{2,24}(?:[ap]m)?\)?)[ \t]*[-–]?[ \t]*)?(\p{L}[\p{L}\p{N} ._'’@-]{0,40}?)[ \t]*(?:\([^()]{1,30}\)|\[[^\]]{1,30}\])?[ \t]*:(?:[ \t]+|$)/iu;
/** Who speaks in chat logs, as tools and desks write it. */
const usualRoles =
  /^(?:customer|agent|user|assistant|system|(?:chat)?bot|human|ai|gpt|client|caller|operator|support|advis[eo]r|rep(?:resentative)?|visitor|guest|patient|doctor|speaker|kund(?:e|in)|berater(?:in)?|mitarbeiter(?:in)?|agentin|nutzer(?:in)?|cliente|agente|asesora?|usuario|conseill(?:er|ère)|utilisateur|utente|operatore)(?: ?\d{1,2})?$/i;

/** A turn in a text; `start` is where its content begins (UTF-16 index). */
export type TextTurn = Turn & { start: number };

/**
 * Cuts a text into the turns that its lines begin (“Customer: …”, “[10:32] Anna: …”); null where they are no
 * conversation: where fewer than two speak, or names that nobody has to speak by do not come back.
 */
export function cutTurns(text: string): TextTurn[] | null {
  const turns: TextTurn[] = [];
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, next).trimEnd();
    const [found = '', role = ''] = turnStart.exec(line) ?? [];
    const last = turns.at(-1);
    // Names begin with a capital, where letters have any.
    if (role !== '' && (/^\P{Ll}/u.test(role) || usualRoles.test(role))) {
      turns.push({ role, content: line.slice(found.length), start: at + found.length });
    } else if (line !== '') {
      if (last === undefined) return null;
      last.content = text.slice(last.start, at + line.length);
    }
    at = next;
  }
  const speakers = new Set(turns.map(({ role }) => role.toLowerCase()));
  const areUsual = [...speakers].every((role) => usualRoles.test(role));
  return speakers.size > 1 && (areUsual || turns.length >= 1.5 * speakers.size) ? turns : null;
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
