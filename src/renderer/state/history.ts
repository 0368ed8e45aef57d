/** A value with the values before and after it: undo and redo as plain data. */
export type History<T> = { past: readonly T[]; present: T; future: readonly T[] };

/** Steps kept, more than a day of edits has; each holds only what differs from the one before. */
const maxSteps = 10_000;

/** A history that begins at `present`, with nothing to undo. */
export function startHistory<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** `present` becomes the newest step; what could be redone is dropped. The same value again changes nothing. */
export function pushHistory<T>(history: History<T>, present: T): History<T> {
  if (Object.is(history.present, present)) return history;
  return { past: [...history.past, history.present].slice(-maxSteps), present, future: [] };
}

/** The present is replaced without a step of its own: for keystrokes that belong to one edit. */
export function amendHistory<T>(history: History<T>, present: T): History<T> {
  return { past: history.past, present, future: [] };
}

/** One step back, or the same history if there is none. */
export function undoHistory<T>(history: History<T>): History<T> {
  const previous = history.past.at(-1);
  if (history.past.length === 0 || previous === undefined) return history;
  return { past: history.past.slice(0, -1), present: previous, future: [history.present, ...history.future] };
}

/** One step forward again, or the same history if there is none. */
export function redoHistory<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future };
}
