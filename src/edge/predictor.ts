/** A predictor for one bundle: the engine's readers and its decider, without server, network and clock of the wall. */
import { type Bundle, identifyBundle, unpackBundle } from '../engine/bundle/bundle.ts';
import { type InputField, listInputFields, recallFields } from '../engine/bundle/input-fields.ts';
import { bundleZipLimits, encoderEntry } from '../engine/bundle/manifest.ts';
import { describeLostDigits } from '../engine/bundle/unread.ts';
import { openZip } from '../engine/bundle/zip.ts';
import type { TextPorts } from '../engine/decide/check-bundle.ts';
import { compileDecider } from '../engine/decide/decider.ts';
import { type Decider, runGolden } from '../engine/decide/golden.ts';
import { WorkbenchError } from '../engine/errors.ts';
import { needsTokenizer } from '../engine/features/plan.ts';
import type { Sha256 } from '../engine/ports.ts';
import type { Tokenizer } from '../engine/text/tokenizer.ts';
import {
  type BundleInfo,
  type DecideManyOptions,
  type DecideOptions,
  type EdgeDecision,
  type Input,
  InvalidBundle,
  InvalidInput,
  type LoadOptions,
  type OnnxRuntime,
  type Predictor,
  type TextModelFiles,
  TextModelNeeded,
  type Verification,
} from './api.ts';
import { toJsonInput } from './inputs.ts';
import { loadPatterns } from './late-re2.ts';

/** Functions and files that a predictor takes from the place where it runs. */
export type Platform = {
  sha256: Sha256;
  runtime: LoadOptions['runtime'];
  /** ONNX Runtime where none is given, or null where the caller has to give it. */
  importRuntime(): Promise<OnnxRuntime | null>;
  textModel: TextModelFiles | null;
};

/** Inputs that are decided at a time: enough for a text model to read texts of about one length together. */
const maxUnderWay = 128;
/** Others have their turn after so long. */
const maxSliceMs = 40;

const tokenizerEntry = 'text/tokenizer.json';
/** Every way in which JSON can spell a key that brings a pattern. */
const mayHavePattern = /matches|attern|regex|\\u/;

/** Opens a bundle and lets it decide its golden inputs. Rejects with InvalidBundle, or TextModelNeeded. */
export async function openPredictor(bytes: Uint8Array, platform: Platform): Promise<Predictor> {
  return toPredictor(await openBundle(bytes, platform));
}

/** A bundle that has decided its golden inputs, with its decider. */
export type OpenBundle = { bundle: Bundle; decider: Decider; info: BundleInfo; close(): Promise<void> };

/** As `openPredictor`, for who decides with the engine's own inputs and decisions. */
export async function openBundle(bytes: Uint8Array, platform: Platform): Promise<OpenBundle> {
  try {
    return await open(bytes, platform);
  } catch (cause) {
    if (!(cause instanceof WorkbenchError)) throw cause;
    throw new InvalidBundle(cause.message, { cause });
  }
}

async function open(bytes: Uint8Array, platform: Platform): Promise<OpenBundle> {
  if (holdsPatterns(bytes)) await loadPatterns();
  const bundle = unpackBundle(bytes, platform.sha256);
  const text = await openText(bytes, bundle, platform);
  const decider = compileDecider(bundle, { ...text, now: () => performance.now() });
  const { digest, release } = identifyBundle(bytes, platform.sha256);
  const { differences } = await verify(bundle, decider);
  const [first] = differences;
  if (first === undefined) {
    const info = describe(bundle, { digest: release, bundle_digest: digest });
    return { bundle, decider, info, close: async () => text.close() };
  }
  await text.close();
  throw new InvalidBundle(`${first} The bundle would decide otherwise here than in the workbench.`);
}

function toPredictor({ bundle, decider, info, close }: OpenBundle): Predictor {
  const digests = { digest: info.digest, bundle_digest: info.bundle_digest };
  return {
    info,
    modelCard: bundle.modelCard,
    decide: async (input, options) => takeDecision(await decideOne(decider, digests, input, options)),
    async decideMany(inputs, options) {
      const decided = await decideEach(decider, digests, inputs, options, (error, index) => {
        throw new InvalidInput(`Input ${index}: ${error.message}`, error.problems);
      });
      return decided.map(takeDecision);
    },
    decideEach: (inputs, options) => decideEach(decider, digests, inputs, options),
    verify: () => verify(bundle, decider),
    close,
  };
}

function takeDecision(decided: EdgeDecision | InvalidInput): EdgeDecision {
  if (decided instanceof InvalidInput) throw decided;
  return decided;
}

function holdsPatterns(bytes: Uint8Array): boolean {
  const zip = openZip(bytes, bundleZipLimits);
  const texts = ['rules.json', 'input_schema.json'].map((name) => zip.read(name));
  return texts.some((text) => text !== undefined && mayHavePattern.test(new TextDecoder().decode(text)));
}

type OpenText = TextPorts & { close(): Promise<void> };

async function openText(bytes: Uint8Array, { manifest, plan }: Bundle, platform: Platform): Promise<OpenText> {
  const close = () => Promise.resolve();
  if (manifest.text === null || !needsTokenizer(plan)) return { tokenizer: null, encoder: null, close };
  const zip = openZip(bytes, bundleZipLimits);
  const given = manifest.text.slim ? platform.textModel : null;
  const files = given ?? { tokenizer: zip.read(tokenizerEntry), encoder: zip.read(encoderEntry) };
  if (files.tokenizer === undefined)
    throw new TextModelNeeded('The bundle is slim: give the files of its text model as `textModel`.');
  // Those of the bundle itself were compared when it was opened: digesting 23 MB again takes a browser half a second.
  if (given !== null && platform.sha256(files.tokenizer) !== manifest.text.tokenizer_sha256)
    throw new InvalidBundle('The tokenizer given is not that of the text model that the bundle was made with.');
  const tokenizer = await openTokenizer(files.tokenizer);
  const spec = plan.text?.encoder ?? null;
  if (spec === null) return { tokenizer, encoder: null, close };
  if (files.encoder === undefined)
    throw new TextModelNeeded('The bundle is slim: give the encoder of its text model as `textModel`, too.');
  const runtime = await findRuntime(platform);
  const { openEncoder } = await import('./encoder.ts');
  const stated = given === null ? manifest.files[encoderEntry]?.sha256 : undefined;
  const facts = { sha256: stated ?? platform.sha256(files.encoder), dimensions: spec.dimensions };
  const encoder = await openEncoder(runtime, files.encoder, facts);
  return { tokenizer, encoder, close: encoder.close };
}

async function findRuntime({ runtime, importRuntime }: Platform): Promise<OnnxRuntime> {
  const found = (typeof runtime === 'function' ? await runtime() : runtime) ?? (await importRuntime());
  if (found !== null) return found;
  throw new TextModelNeeded(
    'The bundle reads texts by a text model: install onnxruntime-node, or give onnxruntime-web as `runtime`.',
  );
}

async function openTokenizer(bytes: Uint8Array): Promise<Tokenizer> {
  const { createTokenizer } = await import('../engine/text/tokenizer.ts');
  try {
    return createTokenizer(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (cause) {
    // Its library makes errors of any kind of what it cannot read, and the file may come from anywhere.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidBundle(`Bundle entry ${tokenizerEntry} is no tokenizer that can be read: ${reason}`, { cause });
  }
}

type Digests = Pick<EdgeDecision, 'digest' | 'bundle_digest'>;

function describe(bundle: Bundle, digests: Digests): BundleInfo {
  const { manifest } = bundle;
  const fields: readonly InputField[] = manifest.fields ?? listInputFields(bundle, recallFields([], []));
  return {
    decision_type: manifest.decision_type,
    version: manifest.version,
    policy_id: manifest.policy_id,
    policy_version: manifest.policy_version,
    options: manifest.options,
    reason_codes: manifest.reason_codes,
    confidence_thresholds: manifest.confidence_thresholds,
    fallback_option: manifest.fallback_option,
    created_at: manifest.created_at,
    tool_version: manifest.tool_version,
    fields,
    readings: manifest.readings ?? [],
    ...digests,
  };
}

/** Decides an input, or says why not; what else is thrown is a fault. */
async function decideOne(
  decider: Decider,
  digests: Digests,
  given: Input,
  options: DecideOptions = {},
): Promise<EdgeDecision | InvalidInput> {
  try {
    const lost: [string][] = [];
    const input = toJsonInput(given, (place) => lost.push([place.slice('input.'.length)]));
    const unread = [...describeLostDigits(lost), ...(decider.findUnread(input) ?? [])];
    const [first] = unread;
    if (options.strict && first !== undefined)
      return new InvalidInput(`${first}. Correct it or leave it out; \`info.fields\` are what the policy reads.`);
    const result = decider.decide(input);
    const decided = result instanceof Promise ? await result : result;
    if (!decided.ok) {
      const problems = decided.problems.map(({ loc, msg }) => ({ loc: loc.slice(1), msg }));
      const [problem] = problems;
      return new InvalidInput(`${problem?.loc.join('.') ?? 'input'} ${problem?.msg ?? 'is not valid'}.`, problems);
    }
    const { stage, ...decision } = decided.decision;
    if (stage === 'escalation') throw new Error('Nothing is asked offline.');
    const rule_errors = decided.ruleErrors;
    return { ...decision, stage, rule_errors, ...digests, unread };
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
}

async function decideEach(
  decider: Decider,
  digests: Digests,
  inputs: Iterable<Input>,
  { onProgress, signal, ...options }: DecideManyOptions = {},
  onRefused?: (error: InvalidInput, index: number) => never,
): Promise<(EdgeDecision | InvalidInput)[]> {
  const decided: (EdgeDecision | InvalidInput)[] = [];
  let part: Promise<EdgeDecision | InvalidInput>[] = [];
  let sliceStart = performance.now();
  const finish = async () => {
    for (const one of await Promise.all(part)) {
      if (one instanceof InvalidInput) onRefused?.(one, decided.length);
      decided.push(one);
    }
    part = [];
    if (performance.now() - sliceStart < maxSliceMs) return;
    onProgress?.(decided.length);
    await new Promise((resolve) => setTimeout(resolve));
    sliceStart = performance.now();
    signal?.throwIfAborted();
  };
  signal?.throwIfAborted();
  for (const input of inputs) {
    part.push(decideOne(decider, digests, input, options));
    if (part.length === maxUnderWay) await finish();
  }
  await finish();
  onProgress?.(decided.length);
  return decided;
}

async function verify(bundle: Bundle, decider: Decider): Promise<Verification> {
  const { checked, failures } = await runGolden(bundle, decider);
  const differences = failures.map(({ index, expected, actual }) => {
    const [first] = 'problems' in actual ? actual.problems : [];
    if (first !== undefined) return `Golden line ${index + 1} is refused: ${first.loc.join('.')} ${first.msg}.`;
    const made = 'decision' in actual ? `${actual.decision} (${actual.confidence})` : 'another';
    return `Golden line ${index + 1} is decided ${made}, not ${expected.decision} (${expected.confidence}).`;
  });
  return { compared: checked, differences };
}
