/** When the clock was seen last: one row, so that the next start can tell a leap. */
import type { Sightings } from '../process/clock-trust.ts';
import type { WorkbenchDatabase } from './database.ts';

type RawSightings = {
  trusted_at: number;
  doubt_seen_at: number | null;
  doubt_leap_ms: number | null;
  doubt_agreed_ms: number | null;
};

/** Reads and replaces what is known of the clock. */
export class ClockSightingStore {
  readonly #read;
  readonly #write;

  constructor(db: WorkbenchDatabase) {
    this.#read = db.prepare<[], RawSightings>('SELECT * FROM clock_sightings');
    this.#write = db.prepare(
      `INSERT OR REPLACE INTO clock_sightings (id, trusted_at, doubt_seen_at, doubt_leap_ms, doubt_agreed_ms)
       VALUES (1, ?, ?, ?, ?)`,
    );
  }

  /** Null in a data file that was never looked at with a clock. */
  read(): Sightings | null {
    const row = this.#read.get();
    if (row === undefined) return null;
    const { trusted_at: trustedAt, doubt_seen_at: seenAt, doubt_leap_ms: leapMs, doubt_agreed_ms: agreedMs } = row;
    if (seenAt === null || leapMs === null || agreedMs === null) return { trustedAt, doubt: null };
    return { trustedAt, doubt: { seenAt, leapMs, agreedMs } };
  }

  write({ trustedAt, doubt }: Sightings): void {
    this.#write.run(trustedAt, doubt?.seenAt ?? null, doubt?.leapMs ?? null, doubt?.agreedMs ?? null);
  }
}
