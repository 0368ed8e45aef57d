/** The last step of packing: the manifest with every digest, and the ZIP. */
import { strToU8 } from 'fflate';
import type { Sha256 } from '../ports.ts';
import {
  bundleFormatVersion,
  encoderEntry,
  entryNames,
  type Manifest,
  type ManifestDraft,
  manifestSchema,
  minReader,
  unlistedEntries,
} from './manifest.ts';
import { writeZip, type ZipFile } from './zip.ts';

/** The UTF-8 bytes of a value's JSON. */
export const toJsonBytes = (value: unknown): Uint8Array => strToU8(JSON.stringify(value));

/** Entries that say nothing about decisions, or that the manifest names apart. */
const undecidingEntries: readonly string[] = [
  'golden.jsonl',
  'model-card.md',
  'LICENSES',
  'text/tokenizer.json',
  encoderEntry,
];

/** The digest of each entry that has a part in decisions, in the order of the entries. */
export function listDecidingEntries(files: Manifest['files']): [string, string][] {
  return Object.entries(files).flatMap(([name, { sha256 }]) =>
    undecidingEntries.includes(name) ? [] : [[name, sha256]],
  );
}

/** The digest of everything that decides: settings, deciding entries, and the text model by its digests. */
function computeRevision(manifest: ManifestDraft, files: Manifest['files'], sha256: Sha256): string {
  const {
    tool_version: _tool,
    version: _version,
    policy_id: _id,
    policy_version: _policyVersion,
    created_at: _created,
    runtime: _runtime,
    training: _training,
    fields: _fields,
    promise: _promise,
    golden_inputs: _golden,
    text,
    ...settings
  } = manifest;
  const { slim: _slim, ...textModel } = text ?? { slim: false };
  return sha256(toJsonBytes([settings, textModel, listDecidingEntries(files)]));
}

/** Lists the entries in a manifest, adds its digest and the revision, and writes all of it as a ZIP. */
export function assemble(draft: ManifestDraft, entries: ReadonlyMap<string, Uint8Array>, sha256: Sha256): Uint8Array {
  const files: Manifest['files'] = {};
  const zipFiles: ZipFile[] = [];
  for (const name of entryNames) {
    const bytes = entries.get(name);
    if (unlistedEntries.includes(name) || bytes === undefined) continue;
    files[name] = { sha256: sha256(bytes), size_bytes: bytes.length };
    zipFiles.push({ name, bytes, stored: name === encoderEntry });
  }
  const revision = computeRevision(draft, files, sha256);
  const full = manifestSchema.parse({
    ...draft,
    format_version: bundleFormatVersion,
    min_reader: minReader,
    files,
    revision,
  });
  const manifest = strToU8(JSON.stringify(full, null, 2));
  const digest = strToU8(`${sha256(manifest)}  manifest.json\n`);
  zipFiles.unshift(
    { name: 'manifest.json', bytes: manifest, stored: false },
    { name: 'manifest.sha256', bytes: digest, stored: false },
  );
  return writeZip(zipFiles);
}
