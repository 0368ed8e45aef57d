/** The archive of a decision type, packed from the data folder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { writeTypeArchive } from '../../../engine/bundle/type-archive.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { sha256 } from '../../process/clock.ts';
import { type ArchivedType, readTypeRows } from '../../store/upkeep/type-archives.ts';

type ArchiveOrder = { databaseFile: string; artifactsDir: string; typeId: string; maxBytes: number };

/** Packs a type as it is at one moment: the same state gives the same bytes. Throws `conflict` or `unavailable`. */
export function packTypeArchive(order: ArchiveOrder): Uint8Array {
  const db = new Database(order.databaseFile, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    return db.transaction(() => packRows(db, order))();
  } finally {
    db.close();
  }
}

function packRows(db: Database.Database, { typeId, artifactsDir, maxBytes }: ArchiveOrder): Uint8Array {
  const rows = readTypeRows(db, typeId);
  if (rows === undefined) throw new WorkbenchError('conflict', 'The decision type was removed meanwhile.');
  const { policies }: Pick<ArchivedType, 'policies'> = JSON.parse(rows.json);
  const parts = {
    type: rows.json,
    examples: rows.examples(),
    heldOut: rows.answers(),
    policies: policies.map(({ id, version, bundle_sha256 }) => ({
      version,
      bytes: readArtifact(path.join(artifactsDir, `${id}.zip`), version, bundle_sha256),
    })),
  };
  return writeTypeArchive(parts, maxBytes);
}

function readArtifact(file: string, version: number, digest: string | null): Uint8Array {
  const refuse = (cause?: unknown) =>
    new WorkbenchError(
      'unavailable',
      `The file of policy v${version} is missing or damaged. Put a backup of it in its place, then export again.`,
      undefined,
      { cause },
    );
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw refuse(cause);
  }
  if (sha256(bytes) !== digest) throw refuse();
  return bytes;
}
