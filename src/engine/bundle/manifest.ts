/** The contents of a bundle: the entries' names, the manifest, reason codes and golden decisions. */
import { z } from 'zod';
import { classifierKinds } from '../classifiers/model.ts';
import { type Decision, stages } from '../domain/decision.ts';
import {
  confidenceThresholdsSchema,
  escalationPolicySchema,
  optionsSchema,
  type Reading,
  readingSchema,
  reasonCodesSchema,
} from '../domain/definition.ts';
import { goldenInputKinds } from '../domain/training.ts';
import { type FeaturePlan, isBetweenDates, isOfWords } from '../features/plan.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { inputFieldSchema } from './input-fields.ts';
import type { ZipLimits } from './zip.ts';

/** The bundle layout that is written and read; 0.2.0 was the first to write it. */
export const bundleFormatVersion = 2;

/**
 * The first version whose package reads what this one writes: 0.2.0 knows neither this setting nor `golden_inputs`, and
 * refuses what it does not know. An addition raises it, only for bundles that use the addition.
 */
const minReader = '0.3.0';
/** The first version that reads all that this one writes. */
export const newestReader = '0.4.0';

type MarkedBundle = {
  plan: FeaturePlan;
  manifest: Pick<Manifest, 'aliases' | 'questions' | 'never_alone' | 'pii_fields' | 'readings'>;
  rules: { rules: readonly { ast: unknown }[] };
};

/** Whether 0.3.0 does not know a way to read texts. */
const isNewReading = (reading: Reading) =>
  reading.kind === 'list' ||
  (reading.kind === 'date' && (reading.order === 'month_only' || reading.last_year !== undefined));

/** Additions that 0.3.0 refuses, or would decide otherwise by. */
const additions: readonly ((bundle: MarkedBundle) => boolean)[] = [
  ({ plan: { text } }) => text !== null && text.ngrams !== null && isOfWords(text.ngrams),
  ({ plan }) => plan.text?.encoder?.frame !== undefined,
  ({ plan }) => plan.fields.some(isBetweenDates),
  ({ manifest }) => manifest.questions !== undefined,
  ({ manifest }) => manifest.aliases !== undefined,
  ({ manifest }) => manifest.never_alone !== undefined,
  ({ manifest }) => manifest.pii_fields !== undefined,
  ({ manifest }) => manifest.readings?.some(({ reading }) => isNewReading(reading)) === true,
  ({ rules }) => JSON.stringify(rules.rules.map(({ ast }) => ast)).includes('"fn":"foldCase"'),
];

/** The first version that reads a bundle rightly, by what it uses. */
export const findMinReader = (bundle: MarkedBundle): string =>
  additions.some((uses) => uses(bundle)) ? newestReader : minReader;
const versionPattern = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

const mebibyte = 1024 * 1024;
/** A file that claims to be a bundle may not make its reader hold more than a reader of honest bundles holds. */
export const bundleLimits = {
  /** Unpacked bytes of an entry, by its kind. */
  maxJsonBytes: 8 * mebibyte,
  maxGoldenBytes: 32 * mebibyte,
  maxModelBytes: 32 * mebibyte,
  maxTextBytes: mebibyte,
  maxTokenizerBytes: 16 * mebibyte,
  maxAdapterBytes: 4 * mebibyte,
  maxEncoderBytes: 192 * mebibyte,
  /** Unpacked bytes of all entries but the encoder. */
  maxPlainBytes: 64 * mebibyte,
  /** Commas and opening brackets of a JSON entry, or of a line of golden.jsonl: they bound what parsing it takes. */
  maxJsonSeparators: 400_000,
  maxJsonDepth: 64,
  maxGoldenLines: 1000,
} as const;

/** The model that encoders are made from where a manifest names no other. */
export const usualBaseModel = 'sentence-transformers/all-MiniLM-L6-v2';

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
/** Passes the parsed object through untouched: a copying schema would lose own keys such as `__proto__`. */
const rawObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** The schema's own record leaves the key `__proto__` out unseen. */
const hasNoReservedName = (record: unknown) =>
  !(typeof record === 'object' && record !== null && Object.hasOwn(record, '__proto__'));
const reserved = { message: 'may not have the key "__proto__"' };

const recordOf = <T>(value: z.ZodType<T>) =>
  z.unknown().refine(hasNoReservedName, reserved).pipe(z.record(z.string(), value));

const thresholdsSchema = z
  .unknown()
  .refine((thresholds) => hasNoReservedName(rawObject.safeParse(thresholds).data?.['by_option']), reserved)
  .pipe(confidenceThresholdsSchema);

const fileFactsSchema = z.strictObject({ sha256: sha256Hex, size_bytes: z.int().min(0) });

const settings = {
  tool_version: z.string(),
  decision_type: z.string(),
  version: z.int().min(1),
  policy_id: z.string(),
  policy_version: z.string(),
  options: optionsSchema,
  reason_codes: reasonCodesSchema,
  confidence_thresholds: thresholdsSchema,
  escalation_policy: escalationPolicySchema,
  fallback_option: z.string().nullable(),
  created_at: z.iso.datetime({ offset: true }),
  /** null where rules alone decide: inputs that no rule decides get the fallback option. */
  classifier: z.strictObject({ kind: z.enum(classifierKinds) }).nullable(),
  /** null when the policy reads no text; `slim` when it needs text files that are not inside. */
  text: z
    .strictObject({
      encoder_sha256: sha256Hex.nullable(),
      /** null where texts are read by their words alone. */
      tokenizer_sha256: sha256Hex.nullable(),
      slim: z.boolean(),
      /** The model that the encoder was made from, as model cards name it; left out where it is the usual one. */
      base_model: z.string().min(1).max(200).optional(),
    })
    .nullable(),
  files: recordOf(fileFactsSchema),
};
/** The origin of a policy, as far as it is known; `version` is that of the decision type. */
const trainingSchema = z.strictObject({
  version: z.int().min(1),
  snapshot_sha256: sha256Hex.nullable(),
  seed: z.int().min(0).nullable(),
  node: z.string().nullable(),
  runtime: z.string().nullable(),
});

/** The promised error of automatic decisions, and whether the policy keeps it with the settings in the bundle. */
const promiseSchema = z.strictObject({
  state: z.enum(['kept', 'not_kept']),
  target_error: z.number().min(0).max(1),
  certainty: z.number().min(0).max(1),
});

const markSchema = z.strictObject({
  kind: z.enum(['choice', 'predicate', 'score']),
  /** SHA-256 of what is asked, and its beginning for people; null: any score with these levels. */
  digest: sha256Hex.nullable(),
  asked: z.string().max(300).nullable(),
  /** The option that is yes, and of two the one that is no; of a score all, lowest first. */
  options: z.array(z.string()).min(1),
  opposite: z.string().nullable(),
});

function fitsMark({ kind, digest, options, opposite }: z.infer<typeof markSchema>, all: readonly string[]): boolean {
  const isNamed = [...options, opposite ?? options[0]].every((option) => option !== undefined && all.includes(option));
  if (kind === 'predicate') return isNamed && options.length === 1 && digest !== null && opposite !== options[0];
  return isNamed && options.length === all.length && new Set(options).size === all.length && opposite === null;
}

const settingsSchema = z.strictObject({
  format_version: z.literal(bundleFormatVersion),
  ...settings,
  /** SHA-256 of all that decides: the same for the slim and the full bundle, another one after any change of it. */
  revision: sha256Hex,
  /** The lowest version that reads this bundle rightly; absent from bundles of 0.2.0. */
  min_reader: z.string().regex(versionPattern, 'must be a version such as 0.3.0').optional(),
  /** The runtime that computed the embeddings of the golden lines; null without an encoder. */
  runtime: z.string().nullable(),
  /** Left out by earlier versions of this product. */
  training: trainingSchema.nullable().optional(),
  /** Options that were not learned: inputs like theirs are a person's. Left out where all were learned. */
  set_aside: z.array(z.string()).min(1).optional(),
  /** Options that were learned from few examples: suggested, never decided alone. Earlier readers refuse it. */
  never_alone: z.array(z.string()).min(1).optional(),
  /** The fields of an input; absent from bundles that earlier versions exported. */
  fields: z.array(inputFieldSchema).optional(),
  /** How texts of fields are read; left out where they are taken as they stand. Earlier readers refuse it. */
  readings: z.array(z.strictObject({ path: z.array(z.string()).min(1), reading: readingSchema })).optional(),
  /** Which questions people have said that the type answers; left out without any. Earlier readers refuse it. */
  questions: z.array(markSchema).min(1).max(limits.maxQuestions).optional(),
  /** Aliases of the release when it was exported; absent without any. Earlier readers refuse it. */
  aliases: z.array(z.string().min(1)).min(1).optional(),
  /** Dot paths of the personal fields that a log masks; absent without any. Readers before 0.4.0 refuse it. */
  pii_fields: z.array(z.string().min(1)).min(1).optional(),
  /** null or left out where nothing is promised. */
  promise: promiseSchema.nullable().optional(),
  /** Left out by earlier versions of this product, whose golden inputs are examples. */
  golden_inputs: z.enum(goldenInputKinds).optional(),
});

/** `manifest.json`: the decision type, its settings, and the digest of every other entry. */
export type Manifest = Omit<z.infer<typeof settingsSchema>, 'training'> & {
  /** The data it was trained from; null where the bundle does not say. `version` above is the version of its settings. */
  training: z.infer<typeof trainingSchema> | null;
};

export const manifestSchema: z.ZodType<Manifest> = settingsSchema
  .refine(({ options, fallback_option: fallback }) => fallback === null || options.includes(fallback), {
    path: ['fallback_option'],
    message: 'must be one of the options',
  })
  .refine(
    ({ options, confidence_thresholds: { by_option = {} } }) =>
      Object.keys(by_option).every((option) => options.includes(option)),
    { path: ['confidence_thresholds', 'by_option'], message: 'must name options only' },
  )
  .refine(({ options, questions = [] }) => questions.every((mark) => fitsMark(mark, options)), {
    path: ['questions'],
    message: 'must name one option of a yes or no, else every option once',
  })
  .refine(
    ({ options, set_aside: setAside = [] }) =>
      new Set(setAside).size < options.length && setAside.every((option) => options.includes(option)),
    { path: ['set_aside'], message: 'must name some of the options, not all' },
  )
  .refine(({ options, never_alone: few = [] }) => few.every((option) => options.includes(option)), {
    path: ['never_alone'],
    message: 'must name options only',
  })
  .refine(({ classifier, fallback_option: fallback }) => classifier !== null || fallback !== null, {
    path: ['fallback_option'],
    message: 'must be set where rules alone decide',
  })
  .transform((manifest) => ({ ...manifest, training: manifest.training ?? null }));

/** The part of a manifest that packing is given; it adds the rest. */
export type ManifestDraft = Omit<Manifest, 'files' | 'format_version' | 'min_reader' | 'revision' | 'training'> &
  Partial<Pick<Manifest, 'training'>>;

/** The manifest of a bundle as packing is given it again. */
export function toManifestDraft({
  files: _files,
  format_version: _format,
  min_reader: _reader,
  revision: _revision,
  ...draft
}: Manifest): ManifestDraft {
  return draft;
}

/** `reasons.json`: codes of each option, and those with a head, in the order of `reasons.onnx`. */
export const reasonsSchema = z.strictObject({
  by_option: recordOf(z.array(z.string())),
  heads: z.array(z.strictObject({ code: z.string(), options: z.array(z.string()) })),
});
export type Reasons = z.infer<typeof reasonsSchema>;

const goldenOutputSchema = z.strictObject({
  decision: z.string(),
  confidence: z.number(),
  stage: z.enum(stages),
  reason_codes: z.array(z.string()),
  rules_triggered: z.array(z.string()),
  fallback_used: z.boolean(),
  escalate: z.boolean(),
  unfamiliar: z.boolean(),
  class_probabilities: recordOf(z.number()),
});
/** One line of `golden.jsonl`: an input and the decision that every implementation must give for it. */
export const goldenSchema = z.strictObject({
  input: rawObject.refine(hasNoReservedName, reserved),
  output: goldenOutputSchema,
});
export type Golden = z.infer<typeof goldenSchema>;
export type GoldenOutput = Golden['output'];

const goldenPartSchema = goldenOutputSchema.strip();
/** The part of a decision that a golden line pins down; its `confidence` is the classifier's in its own choice. */
export const toGoldenOutput = (decision: Decision): GoldenOutput =>
  goldenPartSchema.parse({ ...decision, confidence: decision.classifier_probability ?? decision.confidence });

export const encoderEntry = 'text/encoder.onnx';

/** The weights that a policy's text model learned on top of the encoder; slim bundles also contain them. */
export const adaptersEntry = 'text/adapters.bin';

const { maxJsonBytes, maxGoldenBytes, maxModelBytes, maxTextBytes, maxAdapterBytes, maxEncoderBytes } = bundleLimits;
/** Names that may occur in a bundle, in the order in which they are written, with the bytes each may have unpacked. */
export const maxEntryBytes = {
  'manifest.json': maxTextBytes,
  'manifest.sha256': maxTextBytes,
  'rules.json': maxJsonBytes,
  'features.json': maxJsonBytes,
  'classifier.onnx': maxModelBytes,
  'reasons.json': maxTextBytes,
  'reasons.onnx': maxModelBytes,
  'familiarity.json': maxJsonBytes,
  'input_schema.json': maxTextBytes,
  'golden.jsonl': maxGoldenBytes,
  'model-card.md': maxTextBytes,
  LICENSES: maxTextBytes,
  [adaptersEntry]: maxAdapterBytes,
  'text/tokenizer.json': bundleLimits.maxTokenizerBytes,
  [encoderEntry]: maxEncoderBytes,
} as const;
export type EntryName = keyof typeof maxEntryBytes;
export const entryNames = Object.keys(maxEntryBytes) as EntryName[];

/** Whether a manifest asks for a newer reader than this one: for an addition that is not known here. */
export function needsNewerReader(version: unknown): version is string {
  if (typeof version !== 'string' || !versionPattern.test(version)) return false;
  const [needed = [], known = []] = [version, newestReader].map((each) => each.split('.').map(Number));
  const differs = needed.findIndex((part, index) => part !== known[index]);
  return differs >= 0 && Number(needed[differs]) > Number(known[differs]);
}

export const unlistedEntries: readonly string[] = ['manifest.json', 'manifest.sha256'];

export const bundleZipLimits: ZipLimits = {
  maxEntryBytes,
  maxTotalBytes: bundleLimits.maxPlainBytes,
  uncounted: [encoderEntry],
};

export const requiredEntries: readonly EntryName[] = [
  'manifest.json',
  'rules.json',
  'features.json',
  'reasons.json',
  'golden.jsonl',
  'model-card.md',
  'LICENSES',
];
