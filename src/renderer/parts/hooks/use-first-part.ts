import { startTransition, useEffect, useState } from 'react';

/** As many as are in sight without scrolling, and some more. */
const firstCount = 30;
/** By then the place has been painted. */
const restMs = 300;

/** The first of many items while a place opens, then all: what is out of sight holds up nothing that is in it. */
export function useFirstPart<Item>(items: readonly Item[]): readonly Item[] {
  const [isWhole, setIsWhole] = useState(items.length <= firstCount);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setIsWhole(true)), restMs);
    return () => clearTimeout(timer);
  }, []);
  return isWhole ? items : items.slice(0, firstCount);
}
