import { useDeferredValue } from 'react';

/** As many as are in sight without scrolling, and some more. */
const firstCount = 30;

/** The first of many items while a place is being made, then all: what is out of sight holds up nothing that is in it. */
export function useFirstPart<Item>(items: readonly Item[]): readonly Item[] {
  const isWhole = useDeferredValue(true, false);
  return isWhole ? items : items.slice(0, firstCount);
}
