import { useCallback, useState } from 'react';

/** State that survives a reload of the page: what was typed is kept under `key` until it is set back to null. */
export function useKept(key: string): [string | null, (value: string | null) => void] {
  const name = `decision-workbench.kept.${key}`;
  const [value, setValue] = useState<string | null>(() => window.localStorage.getItem(name));
  const set = useCallback(
    (next: string | null) => {
      setValue(next);
      if (next === null) window.localStorage.removeItem(name);
      else window.localStorage.setItem(name, next);
    },
    [name],
  );
  return [value, set];
}
