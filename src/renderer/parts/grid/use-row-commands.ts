/** The keys that act on the rows of a list: the same in every grid, in the card and in the rows of a cell. */
import { useCommands } from '../../state/use-commands.ts';
import { isolate } from '../text/names.ts';

/** Options that a number key stands for. */
export const maxKeyOptions = 9;
const leap = 20;

type Way = { id: string; title: string; keys: string; by: number };
const steps: readonly Way[] = [
  { id: 'row-down', title: 'Next row', keys: 'ArrowDown', by: 1 },
  { id: 'row-next', title: 'Next row', keys: 'j', by: 1 },
  { id: 'row-up', title: 'Previous row', keys: 'ArrowUp', by: -1 },
  { id: 'row-previous', title: 'Previous row', keys: 'k', by: -1 },
];
const leaps: readonly Way[] = [
  { id: 'row-leap-down', title: 'Further down', keys: 'PageDown', by: leap },
  { id: 'row-leap-up', title: 'Further up', keys: 'PageUp', by: -leap },
  { id: 'row-first', title: 'First row', keys: 'Home', by: Number.NEGATIVE_INFINITY },
  { id: 'row-last', title: 'Last row', keys: 'End', by: Number.POSITIVE_INFINITY },
];

/** The acts of keys on the rows of a list beside moving through it. */
export type RowActs = {
  /** Chooses the row at the cursor, or not any more, and goes on; or all rows. */
  choose?: { toggle(): void; all(): void; allTitle?: string };
  /** Takes back what was done last, where it changed one row. */
  undo?(): void;
  /** Gives the row at the cursor one of these options, by its number. */
  label?: LabelKeys;
};
type LabelKeys = {
  options: readonly string[];
  give(option: string): void;
  toTitle?(option: string, at: number): string;
};

const listLabels = ({ options, give, toTitle = (option) => `Label: ${isolate(option)}` }: LabelKeys) =>
  options.slice(0, maxKeyOptions).map((option, at) => ({
    id: `label-${at + 1}`,
    title: toTitle(option, at),
    keys: String(at + 1),
    run: () => give(option),
  }));

/** Offers number keys for options, apart from a list: to a part that shows the row at its cursor. */
export const useLabelKeys = (keys: LabelKeys): void => useCommands('Rows', listLabels(keys));

/**
 * Offers the keys of a list whose cursor `move` takes on by some rows; `leaps` where nothing else is scrolled by the
 * keys of pages. Null offers none.
 */
export function useRowCommands(acts: (RowActs & { move(by: number): void; leaps?: boolean }) | null): void {
  const { move, leaps: hasLeaps, choose, undo, label } = acts ?? {};
  useCommands('Rows', [
    ...(label ? listLabels(label) : []),
    ...(move ? [...steps, ...(hasLeaps ? leaps : [])].map(({ by, ...way }) => ({ ...way, run: () => move(by) })) : []),
    ...(choose
      ? [
          { id: 'row-select', title: 'Select the row, or not', keys: 'x', run: choose.toggle },
          { id: 'select-all', title: choose.allTitle ?? 'Select all rows', keys: 'Mod+A', run: choose.all },
        ]
      : []),
    ...(undo ? [{ id: 'undo-row', title: 'Undo', keys: 'u', run: undo }] : []),
  ]);
}
