/** From whose hands something is that may come to decide: a draft, a policy, a release, an act that two ask for. */
import type { WorkbenchDatabase } from '../database.ts';

/** A person, whichever session or key is used, or a key of which nobody knows whose it is; with the name for people. */
export type Author = { hand: string; name: string | null };
/** A piece of somebody's work on a type. */
export type Work = 'draft' | `policy ${string}` | `release ${number}` | `act ${string}`;

/** Reads and writes authors by type and work. */
export function createAuthorStore(db: WorkbenchDatabase) {
  const add = db.prepare(
    'INSERT OR IGNORE INTO authors (decision_type_id, work, hand, name, noted_at) VALUES (?, ?, ?, ?, ?)',
  );
  const list = db.prepare<[string, string, number], Author>(
    'SELECT hand, name FROM authors WHERE decision_type_id = ? AND work = ? AND noted_at >= ? ORDER BY noted_at',
  );
  const clear = db.prepare('DELETE FROM authors WHERE decision_type_id = ? AND work = ?');
  return {
    add(typeId: string, work: Work, authors: readonly Author[], now: number): void {
      for (const { hand, name } of authors) add.run(typeId, work, hand, name, now);
    },
    list: (typeId: string, work: Work, sinceMs = 0): Author[] => list.all(typeId, work, sinceMs),
    clear(typeId: string, work: Work): void {
      clear.run(typeId, work);
    },
  };
}
