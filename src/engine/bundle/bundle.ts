/** The policy bundle: a ZIP of everything that is needed to decide, packed and unpacked. */
import { strFromU8, strToU8 } from 'fflate';
import type { ZodType } from 'zod';
import { type FamiliarityFile, familiaritySchema, fitsPlan } from '../features/familiarity.ts';
import { countSlots } from '../features/kinds.ts';
import { type FeaturePlan, featurePlanSchema, needsTokenizer } from '../features/plan.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Adapters, Sha256 } from '../ports.ts';
import { loadRules, type RulesFile } from '../rules/rules-file.ts';
import { packAdapters, unpackAdapters } from '../text/adapters.ts';
import { assemble, licensesText, listFiles, toJsonBytes, withTextModelLicense } from './assemble.ts';
import {
  adaptersEntry,
  bundleFormatVersion,
  bundleLimits,
  bundleZipLimits,
  type EntryName,
  encoderEntry,
  findMinReader,
  type Golden,
  goldenSchema,
  type Manifest,
  type ManifestDraft,
  manifestSchema,
  needsNewerReader,
  type Reasons,
  reasonsSchema,
  requiredEntries,
  toManifestDraft,
  unlistedEntries,
} from './manifest.ts';
import { parseJson } from './parse-json.ts';
import { digestRelease } from './release-digest.ts';
import { openZip, toBundleError } from './zip.ts';

export type Bundle = {
  manifest: Manifest;
  rules: RulesFile;
  plan: FeaturePlan;
  /** The ONNX file; null where rules alone decide. */
  classifier: Uint8Array | null;
  reasons: Reasons;
  /** The ONNX file of the reason codes' heads; null without heads. */
  reasonHeads: Uint8Array | null;
  /** Weights of a tuned encoder; null for the plain one, and where none is used. */
  adapters: Adapters | null;
  /** null where the policy has no way to tell unfamiliar inputs. */
  familiarity: FamiliarityFile | null;
  inputSchema: JsonObject | null;
  golden: Golden[];
  modelCard: string;
};

/** The input of {@link packBundle}: a bundle whose manifest has no digests yet. */
export type BundleParts = Omit<Bundle, 'manifest'> & { manifest: ManifestDraft };

/** The shared text files of a full bundle; `encoder` is null where the policy uses the tokenizer only. */
type TextModelFiles = { tokenizer: Uint8Array; encoder: Uint8Array | null; license: Uint8Array };

const newline = 0x0a;

function listTextEntries(
  manifest: ManifestDraft,
  plan: FeaturePlan,
  text: TextModelFiles,
  sha256: Sha256,
): Map<EntryName, Uint8Array> {
  const entries = new Map<EntryName, Uint8Array>();
  if (manifest.text === null || !needsTokenizer(plan)) return entries;
  if (sha256(text.tokenizer) !== manifest.text.tokenizer_sha256) {
    throw toBundleError(
      'entry text/tokenizer.json',
      'is not the tokenizer the policy was trained with',
      'Train the type again.',
    );
  }
  entries.set('LICENSES', strToU8(withTextModelLicense(strFromU8(text.license))));
  entries.set('text/tokenizer.json', text.tokenizer);
  if (plan.text?.encoder) {
    if (text.encoder === null || sha256(text.encoder) !== manifest.text.encoder_sha256) {
      throw toBundleError(
        `entry ${encoderEntry}`,
        'is not the encoder the policy was trained with',
        'Train the type again.',
      );
    }
    entries.set(encoderEntry, text.encoder);
  }
  return entries;
}

/** The entries of a bundle that have a part in decisions, without those of the text model. */
function listDecidingEntries(parts: Omit<BundleParts, 'golden' | 'modelCard'>): Map<EntryName, Uint8Array> {
  const entries = new Map<EntryName, Uint8Array>([
    ['rules.json', toJsonBytes(parts.rules)],
    ['features.json', toJsonBytes(parts.plan)],
    ['reasons.json', toJsonBytes(parts.reasons)],
  ]);
  if (parts.classifier !== null) entries.set('classifier.onnx', parts.classifier);
  if (parts.reasonHeads !== null) entries.set('reasons.onnx', parts.reasonHeads);
  if (parts.adapters !== null) entries.set(adaptersEntry, packAdapters(parts.adapters));
  if (parts.familiarity !== null) entries.set('familiarity.json', toJsonBytes(parts.familiarity));
  if (parts.inputSchema !== null) entries.set('input_schema.json', toJsonBytes(parts.inputSchema));
  return entries;
}

/** The digest of the release that decides as these parts do: that of their bundle, slim and full. */
export function digestParts(parts: Omit<BundleParts, 'golden' | 'modelCard'>, sha256: Sha256): string {
  return digestRelease(parts.manifest, listFiles(listDecidingEntries(parts), sha256), sha256);
}

/**
 * Packs a bundle into ZIP bytes that depend on nothing but the arguments. Without `text` a policy that reads text
 * is packed slim. Throws WorkbenchError 'validation_error' where `text` is another model than the manifest names.
 */
export function packBundle(parts: BundleParts, sha256: Sha256, text?: TextModelFiles): Uint8Array {
  const manifest = { ...parts.manifest };
  if (manifest.text !== null) {
    manifest.text = { ...manifest.text, slim: text === undefined && needsTokenizer(parts.plan) };
  }
  const entries = new Map<EntryName, Uint8Array>([
    ...listDecidingEntries(parts),
    ['golden.jsonl', strToU8(parts.golden.map((line) => `${JSON.stringify(line)}\n`).join(''))],
    ['model-card.md', strToU8(parts.modelCard)],
    ['LICENSES', strToU8(licensesText)],
  ]);
  if (text !== undefined)
    for (const [name, bytes] of listTextEntries(manifest, parts.plan, text, sha256)) entries.set(name, bytes);
  return assemble(manifest, entries, findMinReader(parts), sha256);
}

function parseAs<T>(name: string, schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.map(String).join('.')}`;
  throw toBundleError(`entry ${name}`, `is not valid${place}: ${issue?.message ?? 'unknown problem'}`);
}

function readManifest(bytes: Uint8Array): Manifest {
  const value = parseJson('manifest.json', bytes);
  const find = (name: string) => (isJsonObject(value) ? value[name] : undefined);
  const [version, reader] = [find('format_version'), find('min_reader')];
  if (typeof version === 'number' && version > bundleFormatVersion) {
    throw toBundleError(
      'entry manifest.json',
      `has format ${version}, newer than the format ${bundleFormatVersion} this version reads`,
      'Update this product, or export the bundle from the older one.',
    );
  }
  if (typeof version === 'number' && version < bundleFormatVersion) {
    throw toBundleError(
      'entry manifest.json',
      `has format ${version}, which versions before 0.2.0 wrote`,
      'Export it again with version 0.2.0, or train the type again.',
    );
  }
  if (needsNewerReader(reader)) {
    const remedy = `Install version ${reader} or later of this product.`;
    throw toBundleError('entry manifest.json', `uses what only version ${reader} and later read rightly`, remedy);
  }
  return parseAs('manifest.json', manifestSchema, value);
}

function checkManifestDigest(manifest: Uint8Array, stated: Uint8Array | undefined, sha256: Sha256): void {
  if (stated === undefined) throw toBundleError('entry manifest.sha256', 'is missing');
  if (strFromU8(stated) !== `${sha256(manifest)}  manifest.json\n`) {
    throw toBundleError('entry manifest.json', 'has another SHA-256 than manifest.sha256 says');
  }
}

function checkDigests(files: Map<string, Uint8Array>, manifest: Manifest, sha256: Sha256): void {
  for (const name of files.keys()) {
    if (!unlistedEntries.includes(name) && !Object.hasOwn(manifest.files, name)) {
      throw toBundleError(`entry ${name}`, 'is not listed in the manifest');
    }
  }
  for (const [name, facts] of Object.entries(manifest.files)) {
    const bytes = files.get(name);
    if (bytes === undefined)
      throw toBundleError(`entry ${name.slice(0, 100)}`, 'is listed in the manifest but missing');
    if (bytes.length !== facts.size_bytes) {
      throw toBundleError(`entry ${name}`, `has ${bytes.length} bytes, the manifest says ${facts.size_bytes}`);
    }
    if (sha256(bytes) !== facts.sha256)
      throw toBundleError(`entry ${name}`, 'has another SHA-256 than the manifest says');
  }
}

function checkText(manifest: Manifest, plan: FeaturePlan): void {
  const { text } = manifest;
  if ((text === null) !== (plan.text === null)) {
    throw toBundleError('entry features.json', 'and the manifest disagree about text');
  }
  if (text !== null && needsTokenizer(plan) && text.tokenizer_sha256 === null) {
    throw toBundleError('entry features.json', 'and the manifest disagree about the tokenizer');
  }
  const tokenizer = manifest.files['text/tokenizer.json']?.sha256;
  const encoder = manifest.files[encoderEntry]?.sha256;
  if (text === null || text.slim) {
    if (tokenizer !== undefined || encoder !== undefined)
      throw toBundleError('entry text/', 'is not expected in this bundle');
    return;
  }
  if (tokenizer !== (text.tokenizer_sha256 ?? undefined))
    throw toBundleError('entry text/tokenizer.json', 'is missing or another one');
  if (encoder !== (plan.text?.encoder ? text.encoder_sha256 : undefined))
    throw toBundleError(`entry ${encoderEntry}`, 'is missing, unexpected or another one');
}

function readGolden(bytes: Uint8Array): Golden[] {
  const lines: Golden[] = [];
  for (let start = 0; start < bytes.length; ) {
    const lineEnd = bytes.indexOf(newline, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    const name = `golden.jsonl line ${lines.length + 1}`;
    if (end - start > bundleLimits.maxJsonBytes) throw toBundleError(`entry ${name}`, 'is too long');
    lines.push(parseAs(name, goldenSchema, parseJson(name, bytes.subarray(start, end))));
    if (lines.length > bundleLimits.maxGoldenLines) {
      throw toBundleError('entry golden.jsonl', `has more than ${bundleLimits.maxGoldenLines} lines`);
    }
    start = end + 1;
  }
  return lines;
}

/** Finds the classifier's file; refuses a missing one, and what only another kind would use. */
function findClassifier(files: ReadonlyMap<string, Uint8Array>, { classifier, text }: Manifest): Uint8Array | null {
  const bytes = files.get('classifier.onnx') ?? null;
  if (classifier !== null && bytes === null) throw toBundleError('entry classifier.onnx', 'is missing');
  if (classifier === null && bytes !== null) {
    throw toBundleError('entry classifier.onnx', 'is not expected where rules alone decide');
  }
  if (classifier === null && (text !== null || files.has('reasons.onnx') || files.has('familiarity.json'))) {
    throw toBundleError('entry manifest.json', 'names no classifier, but there are parts that only one would use');
  }
  return bytes;
}

function readJson<T>(name: EntryName, schema: ZodType<T>, bytes: Uint8Array): T {
  return parseAs(name, schema, parseJson(name, bytes));
}

function readReasons(bytes: Uint8Array, reasonHeads: Uint8Array | null): Reasons {
  const reasons = readJson('reasons.json', reasonsSchema as ZodType<Reasons>, bytes);
  if ((reasonHeads !== null) !== reasons.heads.length > 0) {
    throw toBundleError('entry reasons.onnx', 'and reasons.json disagree about the heads');
  }
  return reasons;
}

function readAdapters(bytes: Uint8Array | undefined, plan: FeaturePlan): Adapters | null {
  const rank = plan.text?.encoder?.adapters?.rank;
  if ((rank === undefined) !== (bytes === undefined)) {
    throw toBundleError(`entry ${adaptersEntry}`, 'and features.json disagree about adapters');
  }
  if (rank === undefined || bytes === undefined) return null;
  const adapters = unpackAdapters(bytes, rank);
  if (adapters !== null) return adapters;
  throw toBundleError(`entry ${adaptersEntry}`, `does not hold the finite numbers of adapters of rank ${rank}`);
}

function readFamiliarity(bytes: Uint8Array, plan: FeaturePlan): FamiliarityFile {
  const familiarity = readJson('familiarity.json', familiaritySchema, bytes);
  if (!fitsPlan(familiarity, plan)) throw toBundleError('entry familiarity.json', 'does not fit features.json');
  return familiarity;
}

function readInputSchema(bytes: Uint8Array): JsonObject {
  const value = parseJson('input_schema.json', bytes);
  if (isJsonObject(value)) return value;
  throw toBundleError('entry input_schema.json', 'is not an object');
}

function readRules(bytes: Uint8Array, options: readonly string[]): RulesFile {
  const rules = loadRules(parseJson('rules.json', bytes)).file;
  const stray = rules.rules.find((rule) => !options.includes(rule.then));
  if (stray === undefined) return rules;
  throw toBundleError(
    'entry rules.json',
    `has a rule ${JSON.stringify(stray.name)} that decides for something that is no option`,
  );
}

function readPlan(bytes: Uint8Array): FeaturePlan {
  const plan = readJson('features.json', featurePlanSchema as ZodType<FeaturePlan>, bytes);
  const slots = plan.fields.reduce((sum, field) => sum + countSlots(field), 0);
  if (slots === plan.tabular_size) return plan;
  throw toBundleError('entry features.json', `has fields of ${slots} slots, but tabular_size ${plan.tabular_size}`);
}

function openBundle(bytes: Uint8Array, sha256: Sha256): { bundle: Bundle; files: Map<string, Uint8Array> } {
  const zip = openZip(bytes, bundleZipLimits);
  const missing = requiredEntries.find((name) => !zip.names.includes(name));
  if (missing !== undefined) throw toBundleError(`entry ${missing}`, 'is missing');
  const files = new Map<string, Uint8Array>();
  for (const name of zip.names) files.set(name, zip.read(name) ?? new Uint8Array());
  const findEntry = (name: EntryName): Uint8Array => files.get(name) ?? new Uint8Array();
  const manifest = readManifest(findEntry('manifest.json'));
  checkManifestDigest(findEntry('manifest.json'), files.get('manifest.sha256'), sha256);
  checkDigests(files, manifest, sha256);
  const plan = readPlan(findEntry('features.json'));
  checkText(manifest, plan);
  const reasonHeads = files.get('reasons.onnx') ?? null;
  const familiarityBytes = files.get('familiarity.json');
  const schemaBytes = files.get('input_schema.json');
  const bundle: Bundle = {
    manifest,
    rules: readRules(findEntry('rules.json'), manifest.options),
    plan,
    classifier: findClassifier(files, manifest),
    reasons: readReasons(findEntry('reasons.json'), reasonHeads),
    reasonHeads,
    adapters: readAdapters(files.get(adaptersEntry), plan),
    familiarity: familiarityBytes === undefined ? null : readFamiliarity(familiarityBytes, plan),
    inputSchema: schemaBytes === undefined ? null : readInputSchema(schemaBytes),
    golden: readGolden(findEntry('golden.jsonl')),
    modelCard: strFromU8(findEntry('model-card.md')),
  };
  return { bundle, files };
}

/** Opens ZIP bytes that may come from anywhere; refusals are WorkbenchError 'validation_error' with a remedy. */
export function unpackBundle(bytes: Uint8Array, sha256: Sha256): Bundle {
  return openBundle(bytes, sha256).bundle;
}

/** Identifies a bundle: `digest` is the SHA-256 of the manifest, which covers every other entry; `release` that of all
 * that decides. */
export type BundleIdentity = { digest: string; release: string; isSlim: boolean };

/** The identity of a bundle that this product has packed; no other entry than the manifest is read. */
export function identifyBundle(bytes: Uint8Array, sha256: Sha256): BundleIdentity {
  const manifestBytes = openZip(bytes, bundleZipLimits).read('manifest.json');
  if (manifestBytes === undefined) throw toBundleError('entry manifest.json', 'is missing');
  const manifest = readManifest(manifestBytes);
  const release = digestRelease(manifest, manifest.files, sha256);
  return { digest: sha256(manifestBytes), release, isSlim: manifest.text?.slim === true };
}

/** Makes a slim bundle full: with tokenizer and, where used, encoder. Refuses files of another text model. */
export function withTextModel(slim: Uint8Array, text: TextModelFiles, sha256: Sha256): Uint8Array {
  const { bundle, files } = openBundle(slim, sha256);
  if (bundle.manifest.text === null) return slim;
  const manifest = toManifestDraft(bundle.manifest);
  const entries = new Map([...files, ...listTextEntries(manifest, bundle.plan, text, sha256)]);
  const full = { ...manifest, text: { ...bundle.manifest.text, slim: false } };
  return assemble(full, entries, findMinReader(bundle), sha256);
}
