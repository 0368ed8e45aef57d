/** The policy bundle: a ZIP of everything that is needed to decide, packed and unpacked. */
import { strFromU8, strToU8 } from 'fflate';
import type { ZodType } from 'zod';
import type { JsonObject } from '../domain.ts';
import { type FamiliarityFile, familiaritySchema, fitsPlan } from '../features/familiarity.ts';
import { type FeaturePlan, featurePlanSchema } from '../features/plan.ts';
import { isJsonObject } from '../json.ts';
import type { Sha256 } from '../ports.ts';
import { loadRules, type RulesFile } from '../rules/compile.ts';
import { licensesText } from './licenses.ts';
import {
  bundleFormatVersion,
  type EntryName,
  entryNames,
  type Golden,
  goldenSchema,
  type Manifest,
  manifestSchema,
  type Reasons,
  reasonsSchema,
  requiredEntries,
} from './manifest.ts';
import { readZip, toBundleError, writeZip, type ZipFile } from './zip.ts';

/** Everything a bundle says, parsed and checked; `classifier` is the ONNX file's bytes. */
export type Bundle = {
  manifest: Manifest;
  rules: RulesFile;
  plan: FeaturePlan;
  classifier: Uint8Array;
  reasons: Reasons;
  /** The ONNX file of the reason codes' heads; null without heads. */
  reasonHeads: Uint8Array | null;
  /** null where the policy has no way to tell unfamiliar inputs. */
  familiarity: FamiliarityFile | null;
  inputSchema: JsonObject | null;
  golden: Golden[];
  modelCard: string;
};

/** What {@link packBundle} needs: a bundle whose manifest has no file digests yet. */
export type BundleParts = Omit<Bundle, 'manifest'> & { manifest: Omit<Manifest, 'files'> };

/** The shared text files of a full bundle; `encoder` is null where the policy uses the tokenizer only. */
export type TextModelFiles = { tokenizer: Uint8Array; encoder: Uint8Array | null };

const toJsonBytes = (value: unknown): Uint8Array => strToU8(JSON.stringify(value));

function assemble(manifest: Omit<Manifest, 'files'>, entries: Map<EntryName, Uint8Array>, sha256: Sha256): Uint8Array {
  const files: Manifest['files'] = {};
  const zipFiles: ZipFile[] = [];
  for (const name of entryNames) {
    const bytes = entries.get(name);
    if (name === 'manifest.json' || bytes === undefined) continue;
    files[name] = { sha256: sha256(bytes), size_bytes: bytes.length };
    zipFiles.push({ name, bytes, stored: name === 'text/encoder.int8.onnx' });
  }
  const full = manifestSchema.parse({ ...manifest, files });
  zipFiles.unshift({ name: 'manifest.json', bytes: strToU8(JSON.stringify(full, null, 2)), stored: false });
  return writeZip(zipFiles, new Date(manifest.created_at));
}

function listTextEntries(
  manifest: Omit<Manifest, 'files'>,
  plan: FeaturePlan,
  text: TextModelFiles,
  sha256: Sha256,
): Map<EntryName, Uint8Array> {
  const entries = new Map<EntryName, Uint8Array>();
  if (manifest.text === null || plan.text === null) return entries;
  if (sha256(text.tokenizer) !== manifest.text.tokenizer_sha256) {
    throw toBundleError(
      'entry text/tokenizer.json',
      'is not the tokenizer the policy was trained with',
      'Train the type again.',
    );
  }
  entries.set('text/tokenizer.json', text.tokenizer);
  if (plan.text.encoder !== null) {
    if (text.encoder === null || sha256(text.encoder) !== manifest.text.encoder_sha256) {
      throw toBundleError(
        'entry text/encoder.int8.onnx',
        'is not the encoder the policy was trained with',
        'Train the type again.',
      );
    }
    entries.set('text/encoder.int8.onnx', text.encoder);
  }
  return entries;
}

/**
 * Packs a bundle into ZIP bytes that depend on nothing but the arguments. Without `text` a policy that reads text
 * is packed slim. Throws WorkbenchError 'validation_error' where `text` is another model than the manifest names.
 */
export function packBundle(parts: BundleParts, sha256: Sha256, text?: TextModelFiles): Uint8Array {
  const manifest = { ...parts.manifest };
  if (manifest.text !== null) manifest.text = { ...manifest.text, slim: text === undefined };
  const entries = new Map<EntryName, Uint8Array>([
    ['rules.json', toJsonBytes(parts.rules)],
    ['features.json', toJsonBytes(parts.plan)],
    ['classifier.onnx', parts.classifier],
    ['reasons.json', toJsonBytes(parts.reasons)],
    ['golden.jsonl', strToU8(parts.golden.map((line) => `${JSON.stringify(line)}\n`).join(''))],
    ['model-card.md', strToU8(parts.modelCard)],
    ['LICENSES', strToU8(licensesText)],
  ]);
  if (parts.reasonHeads !== null) entries.set('reasons.onnx', parts.reasonHeads);
  if (parts.familiarity !== null) entries.set('familiarity.json', toJsonBytes(parts.familiarity));
  if (parts.inputSchema !== null) entries.set('input_schema.json', toJsonBytes(parts.inputSchema));
  if (text !== undefined)
    for (const [name, bytes] of listTextEntries(manifest, parts.plan, text, sha256)) entries.set(name, bytes);
  return assemble(manifest, entries, sha256);
}

function parseJson(name: string, bytes: Uint8Array, line?: number): unknown {
  try {
    return JSON.parse(strFromU8(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw toBundleError(`entry ${name}${line === undefined ? '' : ` line ${line}`}`, `is not JSON (${error.message})`);
  }
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
  const version = typeof value === 'object' && value !== null ? Reflect.get(value, 'format_version') : undefined;
  if (typeof version === 'number' && version > bundleFormatVersion) {
    throw toBundleError(
      'entry manifest.json',
      `has format ${version}, newer than the format ${bundleFormatVersion} this version reads`,
      'Update this product, or export the bundle from the older one.',
    );
  }
  return parseAs('manifest.json', manifestSchema, value);
}

function checkDigests(files: Map<string, Uint8Array>, manifest: Manifest, sha256: Sha256): void {
  for (const name of files.keys()) {
    if (name !== 'manifest.json' && !Object.hasOwn(manifest.files, name)) {
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
  const tokenizer = manifest.files['text/tokenizer.json']?.sha256;
  const encoder = manifest.files['text/encoder.int8.onnx']?.sha256;
  if (text === null || text.slim) {
    if (tokenizer !== undefined || encoder !== undefined)
      throw toBundleError('entry text/', 'is not expected in this bundle');
    return;
  }
  if (tokenizer !== text.tokenizer_sha256)
    throw toBundleError('entry text/tokenizer.json', 'is missing or another one');
  const expectedEncoder = plan.text?.encoder ? (text.encoder_sha256 ?? undefined) : undefined;
  if (encoder !== expectedEncoder)
    throw toBundleError('entry text/encoder.int8.onnx', 'is missing, unexpected or another one');
}

function readGolden(bytes: Uint8Array): Golden[] {
  const lines = strFromU8(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => {
    const value = parseJson('golden.jsonl', strToU8(line), index + 1);
    return parseAs(`golden.jsonl line ${index + 1}`, goldenSchema, value);
  });
}

/** Reads and checks an entry that is JSON. */
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

function openBundle(bytes: Uint8Array, sha256: Sha256): { bundle: Bundle; files: Map<string, Uint8Array> } {
  const files = readZip(bytes, entryNames);
  const findEntry = (name: EntryName): Uint8Array => {
    const content = files.get(name);
    if (content === undefined) throw toBundleError(`entry ${name}`, 'is missing');
    return content;
  };
  for (const name of requiredEntries) findEntry(name);
  const manifest = readManifest(findEntry('manifest.json'));
  checkDigests(files, manifest, sha256);
  const plan = readJson('features.json', featurePlanSchema as ZodType<FeaturePlan>, findEntry('features.json'));
  checkText(manifest, plan);
  const reasonHeads = files.get('reasons.onnx') ?? null;
  const familiarityBytes = files.get('familiarity.json');
  const schemaBytes = files.get('input_schema.json');
  const bundle: Bundle = {
    manifest,
    rules: readRules(findEntry('rules.json'), manifest.options),
    plan,
    classifier: findEntry('classifier.onnx'),
    reasons: readReasons(findEntry('reasons.json'), reasonHeads),
    reasonHeads,
    familiarity: familiarityBytes === undefined ? null : readFamiliarity(familiarityBytes, plan),
    inputSchema: schemaBytes === undefined ? null : readInputSchema(schemaBytes),
    golden: readGolden(findEntry('golden.jsonl')),
    modelCard: strFromU8(findEntry('model-card.md')),
  };
  return { bundle, files };
}

/**
 * Opens ZIP bytes that may come from anywhere. Names, sizes and digests are checked before any entry is used; every
 * refusal is a WorkbenchError 'validation_error' that names the entry and the remedy.
 */
export function unpackBundle(bytes: Uint8Array, sha256: Sha256): Bundle {
  return openBundle(bytes, sha256).bundle;
}

/**
 * The full bundle of a slim one: the same entries with the tokenizer and, where the policy uses it, the encoder
 * inside. Unchanged bytes for a policy without text. Refuses text files that the policy was not trained with.
 */
export function withTextModel(slim: Uint8Array, text: TextModelFiles, sha256: Sha256): Uint8Array {
  const { bundle, files } = openBundle(slim, sha256);
  if (bundle.manifest.text === null) return slim;
  const { files: _digests, ...manifest } = bundle.manifest;
  const entries = new Map<EntryName, Uint8Array>();
  for (const name of entryNames) {
    const content = files.get(name);
    if (content !== undefined) entries.set(name, content);
  }
  for (const [name, content] of listTextEntries(manifest, bundle.plan, text, sha256)) entries.set(name, content);
  return assemble({ ...manifest, text: { ...bundle.manifest.text, slim: false } }, entries, sha256);
}
