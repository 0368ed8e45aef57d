/** Debounced values and calls; the library's own hooks are three times the script. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useNewest } from './use-newest.ts';

/** A value once it has rested for some milliseconds. */
export function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

/** Calls `act` once nobody has asked for it again for this long. */
export function useRestedCall<A extends readonly unknown[]>(act: (...args: A) => void, restMs: number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const newest = useNewest(act);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (...args: A) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => newest(...args), restMs);
    },
    [newest, restMs],
  );
}
