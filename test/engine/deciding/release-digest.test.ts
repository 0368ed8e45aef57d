/** The name of what decides, computed from a manifest: the cases are read by the Python package, too. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../../../src/engine/bundle/manifest.ts';
import { digestRelease } from '../../../src/engine/bundle/release-digest.ts';
import { bundleOf, sha256 } from '../bundle-fixture.ts';

type Case = { note: string; manifest: unknown; digest: string };
const cases: Case[] = JSON.parse(readFileSync(new URL('../../cases/releases.json', import.meta.url), 'utf8'));

describe('the digest of a release', () => {
  it.each(cases)('is the same in both languages: $note [REL-13]', ({ manifest: raw, digest }) => {
    const manifest = manifestSchema.parse(raw);
    expect(digestRelease(manifest, manifest.files, sha256)).toBe(digest);
  });

  it('depends on what decides alone: the first six cases are one release, a slim bundle and its full one another', () => {
    const counts = [...Map.groupBy(cases, ({ digest }) => digest).values()].map(({ length }) => length);
    expect(counts).toEqual([6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1]);
  });

  it('stands in the manifest of a bundle, as its revision', () => {
    const { manifest } = bundleOf();
    expect(manifest.revision).toBe(digestRelease(manifest, manifest.files, sha256));
  });
});
