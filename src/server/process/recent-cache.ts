/** A map that keeps the entries used most recently. */
export type RecentCache<K, V> = {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
};

/** Holds at most `limit` entries; a new one beyond it pushes out the one unused for longest. */
export function createRecentCache<K, V>(limit: number): RecentCache<K, V> {
  const kept = new Map<K, V>();
  /** An entry that is already last need not be moved. */
  let newest: K | null = null;
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined || key === newest) return value;
      newest = key;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key, value) {
      newest = key;
      kept.delete(key);
      kept.set(key, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break;
        kept.delete(oldest);
      }
    },
  };
}
