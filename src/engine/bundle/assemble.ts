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
  unlistedEntries,
} from './manifest.ts';
import { digestRelease } from './release-digest.ts';
import { writeZip, type ZipFile } from './zip.ts';

/** The `LICENSES` entry of a bundle: under which terms its parts may be used, and where they come from. */
export const licensesText = `Decision Workbench bundle
=========================

This bundle was made by Decision Workbench, which is licensed under the Apache License, Version 2.0
(http://www.apache.org/licenses/LICENSE-2.0). The rules, the feature plan, the classifier, the reason codes, the
golden decisions and the model card come from the data of whoever trained the policy and belong to them.
`;

/** The `LICENSES` entry of a bundle with the text model inside; `license` says where it is from, and on which terms. */
export const withTextModelLicense = (license: string): string => `${licensesText}\nText model\n----------\n${license}`;

/** The UTF-8 bytes of a value's JSON. */
export const toJsonBytes = (value: unknown): Uint8Array => strToU8(JSON.stringify(value));

/** Size and digest of each entry that a manifest lists, in the order in which they are written. */
export function listFiles(entries: ReadonlyMap<string, Uint8Array>, sha256: Sha256): Manifest['files'] {
  const files: Manifest['files'] = {};
  for (const name of entryNames) {
    const bytes = entries.get(name);
    if (unlistedEntries.includes(name) || bytes === undefined) continue;
    files[name] = { sha256: sha256(bytes), size_bytes: bytes.length };
  }
  return files;
}

/** Lists the entries in a manifest, adds its digest and the revision, and writes all of it as a ZIP. */
export function assemble(
  draft: ManifestDraft,
  entries: ReadonlyMap<string, Uint8Array>,
  minReader: string,
  sha256: Sha256,
): Uint8Array {
  const files = listFiles(entries, sha256);
  const revision = digestRelease(draft, files, sha256);
  const full = manifestSchema.parse({
    ...draft,
    format_version: bundleFormatVersion,
    min_reader: minReader,
    files,
    revision,
  });
  const manifest = strToU8(JSON.stringify(full, null, 2));
  const digest = strToU8(`${sha256(manifest)}  manifest.json\n`);
  const all = new Map([...entries, ['manifest.json', manifest], ['manifest.sha256', digest]]);
  const zipFiles = entryNames.flatMap((name): ZipFile[] => {
    const bytes = all.get(name);
    return bytes === undefined ? [] : [{ name, bytes, stored: name === encoderEntry }];
  });
  return writeZip(zipFiles);
}
