import type { Database } from 'better-sqlite3';
import { foldCase } from '../../engine/code-points.ts';

/** Gives a connection the function of SQL `fold_case(text)`, as `lower` knows only ASCII. */
export function addFoldCase(db: Database): void {
  db.function('fold_case', { deterministic: true, directOnly: true }, (text) =>
    text === null ? null : foldCase(String(text)),
  );
}
