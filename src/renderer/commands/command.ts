import { foldCase } from '../../engine/code-points.ts';
import { type KeyPress, listPressNames } from '../../engine/labelling/key-presses.ts';
import type { KeyPlace } from './key-focus.ts';

/** Anything a person can do, as a record: menu, palette and shortcuts are made from these. */
export type Command = {
  id: string;
  title: string;
  group: string;
  /** 'Mod+K', 'g d' (one key after the other), '?'. */
  keys?: string;
  enabled?: boolean;
  /** Also while typing in a field. */
  inFields?: boolean;
  run(): void;
};

const normalKeys = (keys: string): string =>
  keys
    .split(' ')
    .map((part) => {
      const pieces = part.split('+');
      const last = pieces.at(-1) ?? '';
      return pieces.length > 1 && last.length === 1 ? [...pieces.slice(0, -1), last.toLowerCase()].join('+') : part;
    })
    .join(' ');

/** Whether keys are pressed without Ctrl or Alt; Escape, which only closes, and `?`, which only tells, do not count. */
function isSingle(keys: string): boolean {
  return !/^(Mod|Alt)\+/.test(keys) && keys !== 'Escape' && keys !== '?';
}

/**
 * The command a press leads to; single keys act only where the rows are that they are about. `pending` is the first key
 * of a two-key shortcut or ''. Answers the command to run, or the new pending key when the press begins a two-key
 * shortcut, or neither.
 */
export function matchPress(
  commands: readonly Command[],
  press: KeyPress,
  pending: string,
  place: KeyPlace,
): { command: Command | null; pending: string } {
  const acts = ({ keys = '', inFields }: Command) =>
    place === 'field' ? inFields : place === 'rows' || !isSingle(keys);
  const usable = commands.filter((c) => c.keys !== undefined && c.enabled !== false && acts(c));
  for (const name of listPressNames(press)) {
    const wanted = pending === '' ? name : `${pending} ${name}`;
    const command = usable.find((c) => normalKeys(c.keys ?? '') === wanted);
    if (command) return { command, pending: '' };
    if (usable.some((c) => normalKeys(c.keys ?? '').startsWith(`${name} `))) return { command: null, pending: name };
  }
  return { command: null, pending: '' };
}

const toWords = (text: string) => foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/**
 * Commands in which every word of a query occurs: first those that begin with the query, then those in which each word
 * begins a word, then the others; among equals, and without a query, those used last come first.
 */
export function searchCommands(commands: readonly Command[], query: string, recent: readonly string[] = []): Command[] {
  const wanted = toWords(query);
  const findRank = ({ title, group }: Command) => {
    const text = ` ${toWords(`${title} ${group}`).join(' ')}`;
    if (text.startsWith(` ${wanted.join(' ')}`)) return 0;
    if (wanted.every((word) => text.includes(` ${word}`))) return 1;
    return wanted.every((word) => text.includes(word)) ? 2 : 3;
  };
  const findAge = ({ id }: Command) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return commands
    .filter(({ enabled }) => enabled !== false)
    .map((command) => ({ command, rank: findRank(command), age: findAge(command) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || a.age - b.age)
    .map(({ command }) => command);
}
