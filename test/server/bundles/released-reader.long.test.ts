/** The reader that was released last, on bundles of today: it reads what says so, and refuses the rest by its version. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type BundleParts, packBundle } from '../../../src/engine/bundle/bundle.ts';
import { bundleZipLimits } from '../../../src/engine/bundle/manifest.ts';
import { openZip, writeZip } from '../../../src/engine/bundle/zip.ts';
import { findEdgePython } from '../../edge-python.ts';
import { amountModel, amountPlan, bundleParts, sha256 } from '../../engine/bundle-fixture.ts';
import {
  deployForAll,
  forAll,
  loanExamples,
  loanType,
  makeSampleFolder,
  openForTest,
  temporaryFolder,
} from '../workbench.ts';

const python = await findEdgePython();
const root = path.join(import.meta.dirname, '../../..');
const readers = {
  released: path.join(root, 'test/fixtures/release-0.3.0/decision_edge.zip/edge/src'),
  today: path.join(root, 'edge/src'),
};
/** Opens each bundle, holds it to its golden lines, and decides an input; says what kept it from that. */
const program = `
import json, sys
from decision_edge import EdgePredictor
def read(name):
    try:
        predictor = EdgePredictor.from_bundle(name)
        differing = [line for line in predictor.verify() if line]
        return {"differing": len(differing), "options": predictor.predict({"note": "VIP"}).class_probabilities}
    except Exception as error:
        return str(error)
print(json.dumps([read(name) for name in sys.argv[1:]]))
`;

function read(reader: keyof typeof readers, bundles: readonly Uint8Array[]): (object | string)[] {
  const folder = temporaryFolder();
  const files = bundles.map((bytes, n) => {
    const file = path.join(folder, `${n}.zip`);
    writeFileSync(file, bytes);
    return file;
  });
  const env = { ...process.env, PYTHONPATH: readers[reader] };
  const ran = spawnSync(python ?? '', ['-c', program, ...files], { env, encoding: 'utf8' });
  expect(ran.status, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
}

const entriesOf = (bytes: Uint8Array) => {
  const zip = openZip(bytes, bundleZipLimits);
  return zip.names.map((name) => ({ name, bytes: zip.read(name) ?? new Uint8Array() }));
};
const manifestOf = (bytes: Uint8Array) =>
  JSON.parse(strFromU8(entriesOf(bytes).find(({ name }) => name === 'manifest.json')?.bytes ?? strToU8('{}')));

/** The bundle with the mark of the released reader, as if nothing had been added since. */
function markAsRead(bytes: Uint8Array): Uint8Array {
  const manifest = { ...manifestOf(bytes), min_reader: '0.3.0' };
  return writeZip(
    entriesOf(bytes).map(({ name, bytes: own }) => ({
      name,
      bytes: name === 'manifest.json' ? strToU8(JSON.stringify(manifest)) : own,
      stored: false,
    })),
  );
}

const pack = (parts: BundleParts) => packBundle(parts, sha256);
const withManifest = (added: Partial<BundleParts['manifest']>) => {
  const parts = bundleParts();
  return pack({ ...parts, manifest: { ...parts.manifest, ...added } });
};
const ngrams = { words: ['vip'], pairs: [], letters: ['<v'], texts: 9, df: [3, 4], unknown: true, scale: 1 };
const readsWords = {
  plan: { ...amountPlan, text: { fields: [['note']], ngrams, encoder: null } },
  model: { ...amountModel, dense: Float32Array.of(-1, 1, 0, 0), ngram: Float32Array.of(1, -1, 0, 0), V: 2 },
  text: { encoder_sha256: null, tokenizer_sha256: null, slim: false },
};
/** Bundles that each use one thing which 0.3.0 does not know. */
const added = {
  'options that are never decided alone': withManifest({ never_alone: ['approve'] }),
  questions: withManifest({
    questions: [
      { kind: 'predicate', digest: 'a'.repeat(64), asked: 'Good?', options: ['approve'], opposite: 'decline' },
    ],
  }),
  lists: withManifest({ readings: [{ path: ['note'], reading: { kind: 'list', separator: ';' } }] }),
  months: withManifest({ readings: [{ path: ['note'], reading: { kind: 'date', order: 'month_only' } }] }),
  'personal fields': withManifest({ pii_fields: ['note'] }),
  'a function of rules': pack(bundleParts({ rules: [{ condition: 'ctx.note.foldCase() == "vip"' }] })),
  'n-grams of words': pack(bundleParts(readsWords)),
};
/** Bundles of what 0.3.0 knows. */
const known = {
  'a classifier': pack(bundleParts()),
  rules: pack(bundleParts({ rules: [{ condition: 'has(ctx.note) && ctx.note.lowerAscii() == "vip"' }] })),
  'a threshold of an option': pack(
    bundleParts({ thresholds: { auto_decide: 0.85, escalation: 0.6, by_option: { approve: 0.9 } } }),
  ),
};

describe.skipIf(python === null)('the reader of 0.3.0', () => {
  const loans = deployForAll(loanType, loanExamples(40));
  const sample = forAll(makeSampleFolder, ({ remove }) => remove());

  it('reads every bundle that says so as the reader of today does [BUN-9]', () => {
    const bundles = Object.values(known);
    expect(bundles.map((bytes) => manifestOf(bytes).min_reader)).toEqual(bundles.map(() => '0.3.0'));
    expect(read('released', bundles)).toEqual(read('today', bundles));
  });

  it('refuses every other bundle by its version, and would not have read it as the reader of today does [BUN-9]', () => {
    const bundles = Object.values(added);
    expect(bundles.map((bytes) => manifestOf(bytes).min_reader)).toEqual(bundles.map(() => '0.4.0'));
    for (const refusal of read('released', bundles)) expect(refusal).toContain('only version 0.4.0 and later');
    const today = read('today', bundles);
    for (const [n, answer] of read('released', bundles.map(markAsRead)).entries()) {
      expect(today[n]).toMatchObject({ differing: 0 });
      expect(answer, Object.keys(added)[n]).not.toEqual(today[n]);
    }
  });

  it.each(['loans', 'sample'] as const)('is named rightly by the bundle of a training: %s [BUN-9]', async (name) => {
    const folder = { loans, sample }[name];
    const { app, token } = await openForTest({ dataDir: folder.copy() });
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const { rawPayload } = await app.inject({ url: `${folder.url}/export`, headers });
    const [answer] = read('released', [rawPayload]);
    if (manifestOf(rawPayload).min_reader === '0.3.0') expect(answer).toMatchObject({ differing: 0 });
    else expect(answer).toContain('only version 0.4.0 and later');
  });
});
