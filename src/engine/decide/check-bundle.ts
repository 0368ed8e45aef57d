/** Checks that a bundle's parts fit each other and the text model ('validation_error', 'unavailable'). */
import type { Bundle } from '../bundle/bundle.ts';
import { toBundleError } from '../bundle/zip.ts';
import type { ClassifierModel } from '../classifiers/model.ts';
import { WorkbenchError } from '../errors.ts';
import { countNgrams, type EncoderSpec, needsTokenizer } from '../features/plan.ts';
import { readClassifier } from '../onnx/classifier.ts';
import { OnnxError } from '../onnx/protobuf.ts';
import type { Adapters, TextEncoder } from '../ports.ts';
import { compileInputSchema, type InputValidator } from '../schema/input-schema.ts';
import type { Tokenizer } from '../text/tokenizer.ts';

/** The installed text model; null where a part is not there. */
export type TextPorts = { encoder: TextEncoder | null; tokenizer: Tokenizer | null };

/** The parts of the text model that a policy uses: none where words are enough, no encoder where their pieces are. */
export type TextParts = { tokenizer: Tokenizer | null; encoder: EncoderPart | null };
type EncoderPart = { tokenizer: Tokenizer; port: TextEncoder; spec: EncoderSpec; adapters: Adapters | null };

/** The classifier and the reason codes' heads (null without heads). */
export type Models = { classifier: ClassifierModel; reasonHeads: ClassifierModel | null };

/** Reads the models of a bundle; null where rules alone decide. */
export function readModels(bundle: Bundle): Models | null {
  const { manifest, plan } = bundle;
  if (bundle.classifier === null) return null;
  const classifier = readEntry('classifier.onnx', bundle.classifier);
  const { D, V, K, kind } = classifier;
  const denseWidth = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0);
  if (
    D !== denseWidth ||
    V !== countNgrams(plan.text?.ngrams) ||
    K !== manifest.options.length ||
    kind !== manifest.classifier?.kind
  ) {
    throw refuse('classifier.onnx', "does not fit features.json and the manifest's options");
  }
  if (bundle.reasonHeads === null) return { classifier, reasonHeads: null };
  const reasonHeads = readEntry('reasons.onnx', bundle.reasonHeads);
  const headCount = bundle.reasons.heads.length;
  if (
    reasonHeads.kind !== 'logistic' ||
    reasonHeads.D !== D ||
    reasonHeads.V !== V ||
    reasonHeads.K !== headCount + 1
  ) {
    throw refuse('reasons.onnx', 'does not fit features.json and reasons.json');
  }
  return { classifier, reasonHeads };
}

const refuse = (entry: string, problem: string): WorkbenchError =>
  toBundleError(`entry ${entry}`, problem, 'Export the bundle again, or train the type again.');

function readEntry(entry: string, bytes: Uint8Array): ClassifierModel {
  try {
    return readClassifier(bytes);
  } catch (error) {
    throw error instanceof OnnxError ? refuse(entry, error.message) : error;
  }
}

/** The text model's parts that the plan names, null for a policy that reads no text. */
export function requireTextParts(
  { manifest, plan, adapters }: Bundle,
  { encoder, tokenizer }: TextPorts,
): TextParts | null {
  if (plan.text === null) return null;
  if (!needsTokenizer(plan)) return { tokenizer: null, encoder: null };
  if (tokenizer === null) {
    throw new WorkbenchError('unavailable', 'The policy reads text, but the tokenizer is not available.');
  }
  const spec = plan.text.encoder;
  if (spec === null) return { tokenizer, encoder: null };
  if (encoder === null) {
    throw new WorkbenchError('unavailable', 'The policy reads text, but the text encoder is not available.');
  }
  if (encoder.sha256 !== manifest.text?.encoder_sha256 || encoder.dimensions !== spec.dimensions) {
    throw new WorkbenchError(
      'validation_error',
      'The policy was trained with another text encoder than the one installed. Train the type again.',
    );
  }
  return { tokenizer, encoder: { tokenizer, port: encoder, spec, adapters } };
}

/** Compiles the bundle's input schema, also one that would not be saved any more; null without a schema. */
export function compileInputValidator({ inputSchema }: Pick<Bundle, 'inputSchema'>): InputValidator | null {
  if (inputSchema === null) return null;
  try {
    return compileInputSchema(inputSchema);
  } catch (cause) {
    const message = 'Bundle entry input_schema.json is not a JSON Schema that can be used. Export the bundle again.';
    throw new WorkbenchError('validation_error', message, undefined, { cause });
  }
}
