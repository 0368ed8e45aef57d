import { strFromU8, strToU8, zipSync } from 'fflate';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type BundleParts,
  identifyBundle,
  packBundle,
  unpackBundle,
  withTextModel,
} from '../../../src/engine/bundle/bundle.ts';
import { type InputField, listInputFields, recallFields, seeInputs } from '../../../src/engine/bundle/input-fields.ts';
import { bundleZipLimits, entryNames } from '../../../src/engine/bundle/manifest.ts';
import { writeModelCard } from '../../../src/engine/bundle/model-card.ts';
import { openZip, writeZip } from '../../../src/engine/bundle/zip.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { describeThresholds } from '../../../src/engine/thresholds.ts';
import { amountPlan, bundleParts, renameEntry, sha256, zeros } from '../bundle-fixture.ts';
import { createAdapters } from '../features/adapters-fixture.ts';

/** Every entry of a bundle's ZIP. */
function readEntries(bytes: Uint8Array): Map<string, Uint8Array> {
  const zip = openZip(bytes, bundleZipLimits);
  return new Map(zip.names.map((name) => [name, zip.read(name)!]));
}

const license = strToU8('Terms of the text model');
const packed = (overrides = {}) => packBundle(bundleParts(overrides), sha256);

const tokenizer = strToU8('{}');
/** A slim bundle that reads a note by word pieces; `encoder` is the digest of the encoder that it names, or null. */
function packedWithText(encoder: string | null) {
  const plan = {
    ...amountPlan,
    text: { fields: [['note']], ngrams: { unigrams: [5], bigrams: [], idf: [1], scale: 1 }, encoder: null },
  };
  return packed({ plan, text: { encoder_sha256: encoder, tokenizer_sha256: sha256(tokenizer), slim: true } });
}

function refusal(bytes: Uint8Array): string {
  try {
    unpackBundle(bytes, sha256);
  } catch (error) {
    if (error instanceof WorkbenchError && error.code === 'validation_error') return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

/** The same bundle with some entries replaced (manifest left as it is unless replaced too). */
function rezipped(changes: Record<string, Uint8Array | null>): Uint8Array {
  const files = readEntries(packed());
  for (const [name, bytes] of Object.entries(changes)) {
    if (bytes === null) files.delete(name);
    else files.set(name, bytes);
  }
  return writeZip([...files].map(([name, bytes]) => ({ name, bytes, stored: false })));
}

function withManifest(change: (manifest: Record<string, unknown>) => void): Uint8Array {
  const bytes = readEntries(packed()).get('manifest.json')!;
  const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  change(manifest);
  const changed = strToU8(JSON.stringify(manifest));
  return rezipped({ 'manifest.json': changed, 'manifest.sha256': strToU8(`${sha256(changed)}  manifest.json\n`) });
}

/** A plan that reads a note by an encoder fed with adapters of a rank. */
const toTunedPlan = (rank: number) => ({
  ...amountPlan,
  text: {
    fields: [['note']],
    ngrams: null,
    encoder: { dimensions: 384, max_tokens: 256, scale: 1, adapters: { rank } },
  },
});
const tunedText = { encoder_sha256: zeros, tokenizer_sha256: zeros, slim: true };

describe('a bundle with adapters of the encoder', () => {
  const adapters = createAdapters(3, 0.1);
  const packTuned = (changes = {}) => packed({ plan: toTunedPlan(3), text: tunedText, adapters, ...changes });

  it('gives them back to the bit, and they are part of what decides [BUN-8]', () => {
    const bundle = unpackBundle(packTuned(), sha256);
    expect(bundle.adapters).toEqual(adapters);
    expect(bundle.manifest.files['text/adapters.bin']?.size_bytes).toBe(4 * 9_216 * 3);
    const others = unpackBundle(packTuned({ adapters: createAdapters(3, 0.2) }), sha256);
    expect(others.manifest.revision).not.toBe(bundle.manifest.revision);
  });

  it('is refused where the plan and the file do not say the same, or a number is not finite [BUN-8]', () => {
    expect(refusal(packTuned({ adapters: null }))).toContain('text/adapters.bin and features.json disagree');
    expect(refusal(packed({ adapters }))).toContain('text/adapters.bin and features.json disagree');
    expect(refusal(packTuned({ plan: toTunedPlan(4) }))).toContain('adapters of rank 4');
    const broken = { rank: 3, weights: adapters.weights.map((weight, i) => (i === 9 ? Number.NaN : weight)) };
    expect(refusal(packTuned({ adapters: broken }))).toContain('finite numbers of adapters of rank 3');
    expect(refusal(packTuned({ plan: toTunedPlan(65) }))).toContain('features.json');
  });
});

describe('packing and opening a bundle', () => {
  it('gives back what was packed', () => {
    const parts = bundleParts({
      rules: [{ name: 'vip', condition: 'ctx.amount < 5.0', reason_code: 'VIP' }],
      inputSchema: { type: 'object', required: ['amount'] },
      familiarity: { words: null, embedding: null, fields: { low: [-1, 0], high: [1, 0], most: 0 } },
      fallbackOption: 'decline',
    });
    const { manifest, ...rest } = unpackBundle(packBundle(parts, sha256), sha256);
    const { manifest: packedManifest, ...packedRest } = parts;
    expect(rest).toEqual(packedRest);
    expect(manifest).toMatchObject(packedManifest);
    expect(Object.keys(manifest.files)).toEqual(entryNames.slice(2, 12).filter((name) => name !== 'reasons.onnx'));
  });

  it('writes the same bytes every time, in every time zone', () => {
    const first = packed();
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(packed()).toEqual(first);
  });

  it('makes the full bundle from the slim one and refuses another text model', () => {
    const tokenizer = strToU8('{"model":{}}');
    const encoder = new Uint8Array(5000).fill(7);
    const plan = {
      ...amountPlan,
      text: { fields: [['note']], ngrams: null, encoder: { dimensions: 384, max_tokens: 256, scale: 1 } },
    };
    const text = { encoder_sha256: sha256(encoder), tokenizer_sha256: sha256(tokenizer), slim: true };
    const slim = packed({ plan, text });
    expect(unpackBundle(slim, sha256).manifest.text?.slim).toBe(true);
    const full = withTextModel(slim, { tokenizer, encoder, license }, sha256);
    expect(unpackBundle(full, sha256).manifest.text?.slim).toBe(false);
    expect(readEntries(full).get('text/encoder.onnx')).toEqual(encoder);
    expect(full).toEqual(packBundle(bundleParts({ plan, text }), sha256, { tokenizer, encoder, license }));

    expect(() => withTextModel(slim, { tokenizer, encoder: encoder.slice(1), license }, sha256)).toThrow(
      'not the encoder',
    );
    expect(() => withTextModel(slim, { tokenizer: encoder, encoder, license }, sha256)).toThrow('not the tokenizer');
  });

  it('that reads words alone has all it needs, slim or full, and asks for a reader that knows words', () => {
    const ngrams = { words: ['late'], pairs: [], letters: ['<l'], texts: 9, df: [3, 4], unknown: true, scale: 1 };
    const plan = { ...amountPlan, text: { fields: [['note']], ngrams, encoder: null } };
    const text = { encoder_sha256: null, tokenizer_sha256: null, slim: false };
    const bytes = packed({ plan, text });
    const { manifest, plan: read } = unpackBundle(bytes, sha256);
    expect(manifest).toMatchObject({ min_reader: '0.4.0', text });
    expect(read).toEqual(plan);
    expect(withTextModel(bytes, { tokenizer, encoder: null, license }, sha256)).toEqual(bytes);
    expect(unpackBundle(packedWithText(null), sha256).manifest.min_reader).toBe('0.3.0');
    const pieces = { ...plan, text: { ...plan.text, ngrams: { unigrams: [5], bigrams: [], idf: [1], scale: 1 } } };
    expect(refusal(packed({ plan: pieces, text }))).toContain('disagree about the tokenizer');
  });

  it('asks for the first reader that knows each thing that it uses', () => {
    const parts = bundleParts();
    const readerOf = (changed: BundleParts) => unpackBundle(packBundle(changed, sha256), sha256).manifest.min_reader;
    expect(readerOf(parts)).toBe('0.3.0');
    expect(readerOf({ ...parts, manifest: { ...parts.manifest, never_alone: ['approve'] } })).toBe('0.4.0');
    expect(readerOf(bundleParts({ rules: [{ condition: 'ctx.note.foldCase() == "vip"' }] }))).toBe('0.4.0');
    expect(readerOf(bundleParts({ rules: [{ condition: 'ctx.note == "foldCase"' }] }))).toBe('0.3.0');
  });

  it('has the terms of what it ships, whole [PRV-2]', () => {
    const slim = packedWithText(null);
    const termsOf = (bytes: Uint8Array) => strFromU8(readEntries(bytes).get('LICENSES')!);
    expect(termsOf(slim)).not.toContain('Text model');
    expect(termsOf(withTextModel(slim, { tokenizer, encoder: null, license }, sha256))).toMatch(
      /Terms of the text model$/,
    );
  });

  it('has one revision, slim and full, and another one after any change of what it decides', () => {
    const revisionOf = (bytes: Uint8Array) => unpackBundle(bytes, sha256).manifest.revision;
    const first = revisionOf(packed());
    expect(revisionOf(packed())).toBe(first);
    const others = [
      packed({ fallbackOption: 'decline' }),
      packed({ thresholds: { auto_decide: 0.9, escalation: 0.6 } }),
      packed({ policy: { between: 'accept' } }),
      packed({ rules: [{ name: 'vip', condition: 'ctx.amount < 5.0' }] }),
      packed({ inputSchema: { required: ['amount'] } }),
    ];
    expect(new Set([first, ...others.map(revisionOf)]).size).toBe(others.length + 1);
    const digests = [packed(), ...others].map((bytes) => identifyBundle(bytes, sha256).digest);
    expect(new Set(digests).size).toBe(others.length + 1);
    const slim = packedWithText(null);
    const full = withTextModel(slim, { tokenizer, encoder: null, license }, sha256);
    expect(revisionOf(full)).toBe(revisionOf(slim));
    expect(identifyBundle(full, sha256)).not.toEqual(identifyBundle(slim, sha256));
  });

  it('leaves out the encoder where only word pieces are used', () => {
    const full = withTextModel(packedWithText(zeros), { tokenizer, encoder: new Uint8Array(9), license }, sha256);
    expect([...readEntries(full).keys()]).not.toContain('text/encoder.onnx');
    expect(unpackBundle(full, sha256).manifest.text?.slim).toBe(false);
  });
});

describe('the model card', () => {
  it('tells programs and people what was trained and how well it does, and lets no name start markup [PRV-4]', () => {
    const { manifest, plan, rules, reasons } = bundleParts({
      fallbackOption: 'decline',
      rules: [
        { name: 'huge', condition: 'ctx.amount > 1000 && ctx.purpose in ["car", "boat"]', reason_code: 'AMOUNT' },
        { name: 'odd', condition: 'size(ctx.note) % 2 == 1', then: 'approve' },
      ],
    });
    const metrics = {
      accuracy: 0.912,
      macro_f1: 0.9,
      macro_precision: 0.9,
      macro_recall: 0.9,
      per_class: { approve: { precision: 0.95, recall: 0.9, f1: 0.924, support: 40 } },
      confusion_matrix: [],
      confusion_labels: [],
      train_size: 160,
      test_size: 40,
      cautions: [],
      split: null,
      whole: null,
      feature_count: 2,
      log_loss: 0.2,
      ece_before: 0.1,
      ece: 0.03,
      reliability: [],
      escalation_estimate: 0.125,
      latency_estimate_p50_ms: 1,
      latency_estimate_p95_ms: 2,
      risk_coverage: [],
      accuracy_interval: { low: 0.86, high: 0.95 },
      macro_f1_interval: null,
      log_loss_before: null,
      suggested_thresholds: [],
      learning_curve: null,
      other_ways: null,
      hints: null,
      follow_up: null,
      rare_options: {
        mode: 'set_aside' as const,
        few: [],
        min_per_option: 38,
        options: ['re_view'],
        examples: 12,
        labelled: 200,
        held_out: { rows: 0, handed_on: 0, right_by_rule: 0, wrong_alone: 0 },
        minima: [],
        sentence: '1 rare answer goes to a person.',
      },
      left_to_rules: { examples: 40, held_out: 8, sentence: '40 of 200 examples are decided by a rule.' },
      directions: [],
      languages: null,
      text_models: null,
      text_tuning: null,
      familiarity: null,
      weak_parts: [{ description: 'purpose is a|b', fields: ['purpose'], rows: 40, errors: 9 }],
      better_than: null,
      compared_with_deployed: null,
      notes: ['Two texts were cut.'],
      augmentation: {
        status: 'none',
        original_count: 0,
        augmented_count: 0,
        target_size: 0,
        failure_reason: '',
        per_class_counts: {},
      },
      auto_generation: { status: 'none', generated_count: 0, original_count: 0, minimum_required: 0 },
    };
    const leftOut = [{ path: 'customer_id', reason: 'an identifier' }];
    const facts = { required: false, missing: null, values: null, range: null };
    const fields: InputField[] = [
      { ...facts, path: ['loan', 'amount'], kind: 'number', missing: 0.125, range: [1, 9.5] },
      { ...facts, path: ['purpose'], kind: 'category', required: true, values: ['car', 'a|b', ...'cdefghi'] },
    ];
    const output = {
      decision: 'approve',
      confidence: 0.9,
      stage: 'classifier' as const,
      reason_codes: [],
      rules_triggered: [],
      fallback_used: false,
      escalate: false,
      unfamiliar: false,
      class_probabilities: { approve: 0.9, decline: 0.1 },
    };
    const card = writeModelCard({
      manifest: { ...manifest, decision_type: 'loan\n# <b>x</b>', fields },
      digest: sha256(new Uint8Array()),
      golden: [
        { input: { note: 'long '.repeat(200) }, output },
        { input: { loan: { amount: 3 }, vip: true, note: null, tags: ['x"'] }, output },
      ],
      plan: { ...plan, left_out: leftOut },
      rules,
      reasons,
      metrics,
      promise: { sentence: 'The promise is kept: at most 1.8% are wrong.', madeAt: '2026-02-03' },
    });
    const [, head = '', body = ''] = card.split('---\n');
    expect(body.trim().split('\n')[0]).toBe('# loan \\# \\<b\\>x\\</b\\>, policy v3');
    const said = Object.fromEntries(
      head
        .trim()
        .split('\n')
        .map((line) => [line.split(': ')[0], JSON.parse(line.replace(/^.*?: /, ''))]),
    );
    expect(said).toEqual({
      license: 'other',
      license_name: 'see LICENSES',
      license_link: 'LICENSES',
      library_name: 'decision-edge',
      pipeline_tag: 'tabular-classification',
      tags: ['decision-workbench', 'onnx', 'logistic'],
      metrics: ['accuracy', 'f1'],
      'model-index': [
        {
          name: 'loan\n# <b>x</b> v3',
          results: [
            {
              task: { type: 'tabular-classification' },
              dataset: { type: 'private', name: '40 held-out examples' },
              metrics: [
                { type: 'accuracy', name: 'Accuracy of the classifier', value: 0.912 },
                { type: 'f1', name: 'Macro F1 of the classifier', value: 0.9 },
              ],
            },
          ],
        },
      ],
    });
    for (const part of [
      'accuracy 91.2%',
      '160 examples',
      '- The promise is kept: at most 1.8% are wrong. Promised 2026-02-03.',
      '| approve | 0.950 | 0.900 | 0.924 | 40 |',
      '| decline | - | - | - | - |',
      '12.5% of decisions are expected to escalate',
      'Two texts were cut.',
      'customer\\_id: an identifier',
      '| loan.amount | number | 1 to 9.5 | 12.5% | no |',
      '| purpose | category | car, a\\|b, c, d, e, f, g, h, 1 more |  | yes |',
      'predict({"loan": {"amount": 3}, "vip": True, "note": None, "tags": ["x\\""]})',
      '# approve classifier',
      'Below 0.6, decline answers, flagged for a person.',
      'up to that, its answer is given and flagged for a person.',
      'The same holds for an input that is unlike the examples',
      '- huge: If amount is over 1000 and purpose is one of "car", "boat", the answer is decline. Its reason code is AMOUNT.',
      '- odd: If `size(ctx.note) % 2 == 1`, the answer is approve.',
      '## Reason codes',
      '- purpose is a\\|b: 9 of 40 decided alone and wrongly',
      'those of some examples as they are',
      'Not learned: re\\_view.',
      'from decision_edge import EdgePredictor',
    ]) {
      expect(card).toContain(part);
    }
  });
});

it('says what becomes of uncertain inputs in one sentence where the same becomes of all of them', () => {
  const policy = { enabled: false, connection: null, timeout_ms: 1, unfamiliar: 'ignore' as const };
  const say = (between: 'flag' | 'accept', escalation = 0.6, fallback_option: string | null = null) =>
    describeThresholds(
      {
        confidence_thresholds: { auto_decide: 0.8, escalation },
        escalation_policy: { ...policy, between },
        fallback_option,
      },
      String,
    );
  const alone = 'The classifier decides alone from a confidence of 0.8. ';
  expect(say('flag')).toBe(`${alone}Below that, its answer is given and flagged for a person.`);
  expect(say('accept', 0.6, 'deny')).toBe(
    `${alone}From 0.6 up to that, its answer stands. Below 0.6, deny answers, flagged for a person.`,
  );
  expect(say('accept', 0)).toBe(`${alone}Below that, its answer stands.`);
  expect(say('flag', 0.8, 'deny')).toBe(`${alone}Below that, deny answers, flagged for a person.`);
});

describe('the input contract', () => {
  const rules = [{ condition: 'has(ctx.loan.id) && ctx["vip"] == true && ctx.amount > 1.0' }];
  const inputSchema = {
    properties: {
      loan: { type: 'object', properties: { since: { type: 'string', format: 'date' } }, required: ['since'] },
      purpose: { enum: ['car', 'house'] },
      amount: { type: 'number' },
    },
    required: ['purpose'],
  };
  const parts = bundleParts({ rules, inputSchema });
  const inputs = [
    { amount: 4, loan: { since: '2026-02-01' }, purpose: 'car' },
    { amount: -1.5, loan: { since: '2025-12-24' } },
    { amount: 'much', loan: {}, purpose: 'boat' },
    { amount: null },
  ];

  it('lists what plan, rules and schema read, with what the examples hold', () => {
    const fields = listInputFields(parts, seeInputs(inputs, []));
    const none = { required: false, missing: 1, values: null, range: null };
    expect(fields).toEqual([
      { ...none, path: ['amount'], kind: 'number', missing: 0.5, range: [-1.5, 4] },
      { ...none, path: ['loan', 'id'], kind: 'any' },
      {
        ...none,
        path: ['loan', 'since'],
        kind: 'date',
        required: true,
        missing: 0.5,
        range: ['2025-12-24', '2026-02-01'],
      },
      { ...none, path: ['purpose'], kind: 'category', required: true, missing: 0.5, values: ['car', 'house'] },
      { ...none, path: ['vip'], kind: 'boolean' },
    ]);
    // Made again for the same rules and schema, it is the same; without examples nothing is said of them.
    expect(listInputFields(parts, recallFields(fields, []))).toEqual(fields);
    expect(listInputFields(parts, seeInputs([], []))[0]).toMatchObject({ missing: null, range: null });
  });

  it('tells no value of a personal field, also where it was declared later', () => {
    const fields = listInputFields(parts, seeInputs(inputs, []));
    for (const seen of [seeInputs(inputs, ['amount', 'loan']), recallFields(fields, ['amount', 'loan'])]) {
      const [amount, , since] = listInputFields(parts, seen);
      expect(amount).toMatchObject({ path: ['amount'], missing: 0.5, range: null });
      expect(since).toMatchObject({ path: ['loan', 'since'], missing: 0.5, range: null });
    }
  });

  it('never outgrows the manifest: values go first, then the list', () => {
    const wide = (count: number, values: string[]) => ({
      ...parts,
      plan: {
        ...parts.plan,
        fields: Array.from({ length: count }, (_, i) => ({ kind: 'category' as const, path: [`f${i}`], values })),
      },
    });
    const see = seeInputs([], []);
    const long = wide(200, ['x'.repeat(5_000)]);
    expect(listInputFields(long, see)[0]).toMatchObject({ path: ['f0'], values: null });
    expect(listInputFields(wide(10_000, []), see)).toEqual([]);
  });

  it('changes no revision, and neither does a retraining that learns the same', () => {
    const fields = listInputFields(parts, seeInputs(inputs, []));
    const retrained = { policy_id: 'pol_2', policy_version: 'v4', version: 2, created_at: '2026-12-24T00:00:00.000Z' };
    const [plain, listed, again] = [{}, { fields }, retrained].map((more) =>
      unpackBundle(packBundle({ ...parts, manifest: { ...parts.manifest, ...more } }, sha256), sha256),
    );
    expect(listed?.manifest.fields).toEqual(fields);
    expect(plain?.manifest.fields).toBeUndefined();
    expect(listed?.manifest.revision).toBe(plain?.manifest.revision);
    expect(again?.manifest.revision).toBe(plain?.manifest.revision);
  });
});

describe('a bundle that is not what it should be', () => {
  it('is refused, or read the same, whichever byte is damaged', () => {
    const good = packed();
    const expected = unpackBundle(good, sha256);
    let refused = 0;
    for (let at = 0; at < good.length; at += 3) {
      const bad = good.slice();
      bad[at] = (bad[at] ?? 0) ^ 0x41;
      try {
        expect(unpackBundle(bad, sha256)).toEqual(expected);
      } catch (error) {
        if (!(error instanceof WorkbenchError)) throw error;
        expect(error.message).toMatch(/Bundle|rules\.json/);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(good.length / 3 / 2);
  });

  it('is refused when it is cut off', () => {
    const good = packed();
    for (const length of [0, 10, 100, good.length >> 1, good.length - 1]) {
      expect(refusal(good.subarray(0, length))).toContain('not a complete ZIP file');
    }
  });

  it('is refused when it is another ZIP', () => {
    expect(refusal(zipSync({ 'readme.txt': strToU8('hello') }))).toContain('"readme.txt" is not part of a bundle');
  });

  it.each([
    '../evil.txt',
    '/etc/passwd',
    'text/../manifest.json',
    'text\\tokenizer.json',
    'rules.json\0.txt',
    '__proto__',
  ])('is refused when it holds an entry called %s', (name) => {
    const placeholder = '?'.repeat(name.length);
    const zip = renameEntry(rezipped({ [placeholder]: strToU8('x') }), placeholder, name);
    expect(refusal(zip)).toContain('is not part of a bundle');
  });

  it('is refused when it has more than 32 entries', () => {
    const files = Array.from({ length: 33 }, (_, at) => ({ name: `${at}`, bytes: new Uint8Array(1), stored: true }));
    expect(refusal(writeZip(files))).toContain('has 33 entries; at most 32');
  });

  it('is refused when an entry occurs twice', () => {
    const files = [...readEntries(packed())].map(([name, bytes]) => ({ name, bytes, stored: false }));
    files.push({ name: 'rules.????', bytes: strToU8('{"rules":[]}'), stored: false });
    expect(refusal(renameEntry(writeZip(files), 'rules.????', 'rules.json'))).toContain('"rules.json" occurs twice');
  });

  it('is refused before inflating when it declares more than 256 MiB', () => {
    const bytes = rezipped({});
    const view = new DataView(bytes.buffer);
    const central = view.getUint32(bytes.length - 6, true);
    view.setUint32(central + 24, 300 * 1024 * 1024, true);
    expect(refusal(bytes)).toContain('has over 1048576 bytes');
  });

  it.each([
    ['smaller', 10],
    ['larger', 1_000_000],
  ])('is refused when an entry declares a %s size than it has', (_word, size) => {
    const bytes = rezipped({ LICENSES: new Uint8Array(100_000) });
    const view = new DataView(bytes.buffer);
    let at = view.getUint32(bytes.length - 6, true);
    const name = (start: number) =>
      new TextDecoder().decode(bytes.subarray(start + 46, start + 46 + view.getUint16(start + 28, true)));
    while (name(at) !== 'LICENSES') at += 46 + view.getUint16(at + 28, true);
    view.setUint32(at + 24, size, true);
    expect(refusal(bytes)).toContain('entry LICENSES is not where');
  });

  it('is refused when an entry has other content, is missing or is not listed', () => {
    expect(refusal(rezipped({ 'model-card.md': strToU8('# laon\n') }))).toContain(
      'entry model-card.md has another SHA-256',
    );
    expect(refusal(rezipped({ 'model-card.md': strToU8('# longer\n') }))).toContain('the manifest says 7');
    expect(refusal(rezipped({ 'reasons.json': null }))).toContain('entry reasons.json is missing');
    expect(refusal(rezipped({ 'input_schema.json': strToU8('{}') }))).toContain('not listed in the manifest');
  });

  it('is refused when its manifest is not sound, or newer than this version', () => {
    expect(refusal(rezipped({ 'manifest.json': strToU8('{') }))).toContain('entry manifest.json is not JSON');
    expect(
      refusal(
        withManifest((m) => {
          m.options = ['one'];
        }),
      ),
    ).toContain('entry manifest.json is not valid at options');
    expect(
      refusal(
        withManifest((m) => {
          m.format_version = 3;
        }),
      ),
    ).toMatch(/newer than the format 2.*Update this product/);
  });
});
