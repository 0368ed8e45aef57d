import fuzzysort from 'fuzzysort';

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

/** What of a key press matters here; a DOM KeyboardEvent fits. */
export type KeyPress = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean };

/** 'Mod+Shift+z' for a key press; Mod is Ctrl or ⌘. Shift is named only with a modifier or a named key. */
export function pressName(press: KeyPress): string {
  const mod = press.ctrlKey || press.metaKey;
  const parts: string[] = [];
  if (mod) parts.push('Mod');
  if (press.altKey) parts.push('Alt');
  if (press.shiftKey && (mod || press.altKey || press.key.length > 1)) parts.push('Shift');
  parts.push(press.key.length === 1 && mod ? press.key.toLowerCase() : press.key);
  return parts.join('+');
}

const normalKeys = (keys: string): string =>
  keys
    .split(' ')
    .map((part) => {
      const pieces = part.split('+');
      const last = pieces.at(-1) ?? '';
      return pieces.length > 1 && last.length === 1 ? [...pieces.slice(0, -1), last.toLowerCase()].join('+') : part;
    })
    .join(' ');

/**
 * The command a press leads to. `pending` is the first key of a two-key shortcut or ''. Answers the command to run,
 * or the new pending key when the press begins a two-key shortcut, or neither.
 */
export function matchPress(
  commands: readonly Command[],
  press: KeyPress,
  pending: string,
  inField: boolean,
): { command: Command | null; pending: string } {
  const name = pressName(press);
  const usable = commands.filter((c) => c.keys !== undefined && c.enabled !== false && (!inField || c.inFields));
  const wanted = pending === '' ? name : `${pending} ${name}`;
  const command = usable.find((c) => normalKeys(c.keys ?? '') === wanted) ?? null;
  if (command) return { command, pending: '' };
  const begins = usable.some((c) => normalKeys(c.keys ?? '').startsWith(`${name} `));
  return { command: null, pending: begins ? name : '' };
}

/**
 * Commands that fit a query, best first: letters in order are enough. Without a query those used last come first.
 */
export function searchCommands(commands: readonly Command[], query: string, recent: readonly string[] = []): Command[] {
  const usable = commands.filter(({ enabled }) => enabled !== false);
  const place = (command: Command) => {
    const at = recent.indexOf(command.id);
    return at < 0 ? recent.length : at;
  };
  const ordered = [...usable].sort((a, b) => place(a) - place(b));
  if (query.trim() === '') return ordered;
  const targets = ordered.map((command) => ({ command, text: `${command.title} ${command.group}` }));
  return fuzzysort.go(query.trim(), targets, { key: 'text', threshold: 0.2 }).map(({ obj }) => obj.command);
}
