/** When the clock was seen last: one row, so that the next start can tell a gap. */
import type { WorkbenchDatabase } from '../database.ts';

/** The trusted time, and a later one that the clock showed, with how long the program has run since. */
export type Sightings = { trustedAt: number; later: { at: number; ranMs: number } | null };

type RawSightings = { trustedAt: number; at: number | null; ranMs: number | null };

/** Reads and writes the one row of clock sightings. */
export function createClockSightingStore(db: WorkbenchDatabase) {
  const read = db.prepare<[], RawSightings>(
    'SELECT trusted_at AS trustedAt, doubt_seen_at AS at, doubt_agreed_ms AS ranMs FROM clock_sightings',
  );
  const write = db.prepare(
    'INSERT OR REPLACE INTO clock_sightings (id, trusted_at, doubt_seen_at, doubt_agreed_ms) VALUES (1, ?, ?, ?)',
  );

  return {
    /** Null in a data file that was never looked at with a clock. */
    read(): Sightings | null {
      const row = read.get();
      if (row === undefined) return null;
      const { trustedAt, at, ranMs } = row;
      return { trustedAt, later: at === null || ranMs === null ? null : { at, ranMs } };
    },
    write({ trustedAt, later }: Sightings): void {
      write.run(trustedAt, later?.at ?? null, later?.ranMs ?? null);
    },
  };
}
