/** A bundle whose parts do not fit each other, or not the installed text model, never decides anything. */
import { describe, expect, it } from 'vitest';
import {
  compileInputValidator,
  readModels,
  requireTextParts,
  type TextPorts,
} from '../../../src/engine/decide/check-bundle.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { amountModel, amountPlan, bundleOf, zeros } from '../bundle-fixture.ts';

function refusal(work: () => unknown): Pick<WorkbenchError, 'code' | 'message'> {
  try {
    work();
  } catch (error) {
    if (error instanceof WorkbenchError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was not refused');
}

const misfit = (entry: string, others: string) => ({
  code: 'validation_error',
  message: `Bundle entry ${entry} does not fit ${others}. Export the bundle again, or train the type again.`,
});

describe('the models of a bundle', () => {
  it('are read where they fit', () => {
    expect(readModels(bundleOf())).toMatchObject({ classifier: { D: 2, V: 0, K: 2 }, reasonHeads: null });
  });

  const classifierMisfit = misfit('classifier.onnx', "features.json and the manifest's options");
  it.each([
    ['too few dense columns', { ...amountModel, dense: Float32Array.of(-1, 1), D: 1 }],
    ['n-grams that the plan does not have', { ...amountModel, ngram: Float32Array.of(1, 1), V: 1 }],
    ['three options', { ...amountModel, dense: new Float32Array(6), bias: new Float32Array(3), K: 3 }],
  ])('are refused with %s', (_name, model) => {
    expect(refusal(() => readModels(bundleOf({ model })))).toEqual(classifierMisfit);
  });

  it('are refused where the manifest names another kind of classifier', () => {
    const bundle = bundleOf();
    const manifest = { ...bundle.manifest, classifier: { kind: 'trees' as const } };
    expect(refusal(() => readModels({ ...bundle, manifest }))).toEqual(classifierMisfit);
  });

  it('are refused with a file that is no ONNX file, by the name of the entry', () => {
    const head = { code: 'VIP', options: ['approve'] };
    const bundle = bundleOf({ heads: { heads: [head], model: amountModel } });
    const damaged = Uint8Array.of(255, 255);
    expect(refusal(() => readModels({ ...bundle, classifier: damaged })).message).toMatch(
      /^Bundle entry classifier\.onnx is not an ONNX file \(.*\)\. Export/,
    );
    expect(refusal(() => readModels({ ...bundle, reasonHeads: damaged })).message).toMatch(
      /^Bundle entry reasons\.onnx is not an ONNX file \(.*\)\. Export/,
    );
  });

  it('are refused with heads of another number, or over other columns', () => {
    const head = { code: 'VIP', options: ['approve'] };
    const headsMisfit = misfit('reasons.onnx', 'features.json and reasons.json');
    const two = bundleOf({ heads: { heads: [head, head], model: amountModel } });
    expect(refusal(() => readModels(two))).toEqual(headsMisfit);
    const narrow = { ...amountModel, dense: Float32Array.of(-1, 1), D: 1 };
    expect(refusal(() => readModels(bundleOf({ heads: { heads: [head], model: narrow } })))).toEqual(headsMisfit);
  });
});

describe('the text model of a policy', () => {
  const tokenizer = { encode: () => [] };
  const encoder = { sha256: zeros, dimensions: 2, embed: async () => new Float32Array(2) };
  const text = { encoder_sha256: zeros, tokenizer_sha256: zeros, slim: true };
  const spec = { dimensions: 2, max_tokens: 6, scale: 1 };
  const plan = { ...amountPlan, text: { fields: [['note']], ngrams: null, encoder: spec } };
  const model = { ...amountModel, dense: new Float32Array(8), D: 4 };
  const bundle = bundleOf({ plan, model, text });

  it('is what the plan names, and nothing for a policy that reads no text', () => {
    expect(requireTextParts(bundle, { encoder, tokenizer })).toEqual({
      tokenizer,
      encoder: { tokenizer, port: encoder, spec, adapters: null },
    });
    expect(requireTextParts(bundleOf(), { encoder, tokenizer })).toBeNull();
  });

  it.each<[string, TextPorts, string, string]>([
    ['no tokenizer', { encoder, tokenizer: null }, 'unavailable', 'the tokenizer is not available.'],
    ['no encoder', { encoder: null, tokenizer }, 'unavailable', 'the text encoder is not available.'],
    [
      'another encoder',
      { encoder: { ...encoder, sha256: '1'.repeat(64) }, tokenizer },
      'validation_error',
      'another text encoder than the one installed. Train the type again.',
    ],
    [
      'an encoder of another width',
      { encoder: { ...encoder, dimensions: 3 }, tokenizer },
      'validation_error',
      'another text encoder than the one installed. Train the type again.',
    ],
  ])('is refused with %s', (_name, ports, code, message) => {
    const refused = refusal(() => requireTextParts(bundle, ports));
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(message);
  });
});

describe('the input schema of a bundle', () => {
  it('is compiled where there is one', () => {
    expect(compileInputValidator(bundleOf())).toBeNull();
    const validate = compileInputValidator(bundleOf({ inputSchema: { required: ['amount'] } }));
    expect(validate?.({ amount: 1 })).toEqual([]);
    expect(validate?.({})).toMatchObject([{ loc: ['body', 'input', 'amount'] }]);
  });

  it('is refused where it could not be checked safely', () => {
    const bundle = bundleOf({ inputSchema: { $ref: 'https://example.com/s.json' } });
    expect(refusal(() => compileInputValidator(bundle))).toEqual({
      code: 'validation_error',
      message: 'Bundle entry input_schema.json is not a JSON Schema that can be used. Export the bundle again.',
    });
  });
});
