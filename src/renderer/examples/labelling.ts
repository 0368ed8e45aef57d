/** What a key does in the table of examples. */
export type LabelAction =
  | { kind: 'move'; by: number }
  | { kind: 'edge'; to: 'first' | 'last' }
  | { kind: 'label'; option: number }
  | { kind: 'clear' }
  | { kind: 'review' }
  | { kind: 'remove' }
  | { kind: 'undo' };

type Press = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean };

/** The action of a key press with `optionCount` options; null when the key means nothing here. */
export function labelAction(press: Press, optionCount: number): LabelAction | null {
  if (press.altKey) return null;
  if (press.ctrlKey || press.metaKey) return press.key.toLowerCase() === 'z' ? { kind: 'undo' } : null;
  if (/^[1-9]$/.test(press.key)) {
    const option = Number(press.key) - 1;
    return option < optionCount ? { kind: 'label', option } : null;
  }
  switch (press.key) {
    case 'j':
    case 'ArrowDown':
      return { kind: 'move', by: 1 };
    case 'k':
    case 'ArrowUp':
      return { kind: 'move', by: -1 };
    case 'PageDown':
      return { kind: 'move', by: 10 };
    case 'PageUp':
      return { kind: 'move', by: -10 };
    case 'Home':
      return { kind: 'edge', to: 'first' };
    case 'End':
      return { kind: 'edge', to: 'last' };
    case '0':
      return { kind: 'clear' };
    case 'r':
      return { kind: 'review' };
    case 'Delete':
      return { kind: 'remove' };
    case 'u':
      return { kind: 'undo' };
    default:
      return null;
  }
}

/** The row after a move, kept within the list. -1 for an empty list. */
export function moveRow(current: number, action: LabelAction, rowCount: number): number {
  if (rowCount === 0) return -1;
  if (action.kind === 'edge') return action.to === 'first' ? 0 : rowCount - 1;
  if (action.kind === 'move') return Math.min(rowCount - 1, Math.max(0, current + action.by));
  return current;
}
