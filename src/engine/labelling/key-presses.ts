/** The keys of a press: what it types and, where that is no key of ours, its place on the board. */

/** The parts of a key press that matter here; a DOM KeyboardEvent fits. */
export type KeyPress = {
  key: string;
  code?: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
};

/** 'Mod+Shift+z' for a key press; Mod is Ctrl or ⌘. Shift is named only with a modifier or a named key. */
function pressName(press: KeyPress): string {
  const mod = press.ctrlKey || press.metaKey;
  const parts: string[] = [];
  if (mod) parts.push('Mod');
  if (press.altKey) parts.push('Alt');
  if (press.shiftKey && (mod || press.altKey || press.key.length > 1)) parts.push('Shift');
  // Caps lock is no Shift.
  parts.push(press.key.length === 1 && (mod || !press.shiftKey) ? press.key.toLowerCase() : press.key);
  return parts.join('+');
}

/** The places of digits and letters on a board, by the key that a US layout has there. */
const place = /^(?:Digit|Numpad|Key)([0-9A-Z])$/;

/**
 * The names of a press, the first that a command has counts: what it types; and its place, where it types neither a
 * Latin letter nor a digit: `&` of a French board, `л` of a Russian one. With Shift a place of digits is no digit.
 */
export function listPressNames(press: KeyPress): string[] {
  const [, at] = place.exec(press.code ?? '') ?? [];
  const typed = pressName(press);
  const isOther = press.key.length === 1 && !/^[0-9A-Za-z]$/.test(press.key);
  if (at === undefined || !isOther || (press.shiftKey && /\d/.test(at))) return [typed];
  return [typed, pressName({ ...press, key: press.shiftKey ? at : at.toLowerCase() })];
}
