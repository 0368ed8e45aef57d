import { useCallback, useLayoutEffect, useRef } from 'react';

/** One function for as long as a part is shown, which calls the newest `act`: a memoised child can take it. */
export function useNewest<A extends readonly unknown[]>(act: (...args: A) => void): (...args: A) => void {
  const newest = useRef(act);
  useLayoutEffect(() => {
    newest.current = act;
  });
  return useCallback((...args: A) => newest.current(...args), []);
}
