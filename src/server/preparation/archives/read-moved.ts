/** A file that moves what decides: the archive of a decision type, or the bundle of a policy. */
import { type ReadArchive, readArchive } from './read-archive.ts';
import { type BundleName, type ReadBundle, readBundle } from './read-bundle.ts';
import { readUpload, type Upload } from './upload.ts';

export type MovedFile = { name: string | null; reason: string | null } & (
  | ({ kind: 'archive' } & ReadArchive)
  | ({ kind: 'bundle' } & ReadBundle)
);

/** Reads and checks a whole file; a type takes an archive only where it is new. Throws `validation_error`. */
export async function readMovedFile(order: {
  upload: Upload;
  databaseFile: string;
  nowMs: number;
  policy: BundleName;
}): Promise<MovedFile> {
  const { bytes, name = null, reason = null } = await readUpload(order.upload);
  const isNew = order.policy.typeName === null;
  if (isNew && isArchive(bytes)) {
    return { name, reason, kind: 'archive', ...(await readArchive(bytes, order.databaseFile, order.nowMs)) };
  }
  return {
    name,
    reason,
    kind: 'bundle',
    ...(await readBundle(bytes, { ...order.policy, typeName: order.policy.typeName ?? name })),
  };
}

/** A bundle has rules at its top; a foreign file is refused as no archive. */
const isArchive = (bytes: Uint8Array) => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.includes('type.json') || !file.includes('rules.json');
};
