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
function pressName(press: KeyPress): string {
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

/** Commands whose title or group holds every word of the query, those whose title begins with it first. */
export function searchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const start = words[0] ?? '';
  return commands
    .filter((c) => c.enabled !== false)
    .filter((c) => words.every((word) => `${c.group} ${c.title}`.toLowerCase().includes(word)))
    .map((command, index) => ({ command, index, first: start !== '' && command.title.toLowerCase().startsWith(start) }))
    .sort((a, b) => Number(b.first) - Number(a.first) || a.index - b.index)
    .map(({ command }) => command);
}
