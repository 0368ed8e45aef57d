import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { runGolden } from '../../../src/engine/decide/golden.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import type { FamiliarityFile } from '../../../src/engine/features/familiarity.ts';
import { familiaritySchema, fitsPlan } from '../../../src/engine/features/familiarity.ts';
import type { FeaturePlan } from '../../../src/engine/features/plan.ts';
import type { BatchTextEncoder } from '../../../src/engine/ports.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { toEncoderInput } from '../../../src/engine/text/encoder-input.ts';
import type { LabelledRow } from '../../../src/engine/training/data/labelled-rows.ts';
import { chooseChecks } from '../../../src/engine/training/evaluate/choose-checks.ts';
import { findUnfamiliarRows, type LearnedRows } from '../../../src/engine/training/evaluate/familiarity.ts';
import { train } from '../../../src/engine/training/train.ts';
import { runModel } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { sha256 } from '../bundle-fixture.ts';
import { createDefinition, createExample, createRequest, ignoring } from '../training-request.ts';

const dimensions = 24;
/** Directions along which options differ; along the others texts of every option vary widely. */
const tellingDimensions = 8;
const plan: FeaturePlan = {
  format: 1,
  fields: [],
  tabular_size: 0,
  left_out: [],
  text: { fields: [['text']], ngrams: null, encoder: { dimensions, max_tokens: 256, scale: 1 } },
};
const ignore = () => undefined;

function createNormal(seed: number): () => number {
  const random = createRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Where the texts of an option lie; the same option always lies at the same place. */
function drawCentre(option: number): number[] {
  const normal = createNormal(1_000 + option);
  return Array.from({ length: tellingDimensions }, normal);
}

/** Unit embeddings of texts of the options, `perOption` each. */
function drawRows(options: readonly number[], perOption: number, seed: number): LearnedRows {
  const normal = createNormal(seed);
  const rows: LabelledRow[] = [];
  const vectors: number[] = [];
  for (const option of options) {
    const centre = drawCentre(option);
    for (let i = 0; i < perOption; i++) {
      const vector = Array.from({ length: dimensions }, (_, d) =>
        d < tellingDimensions ? (centre[d] ?? 0) + 0.25 * normal() : 2 * normal(),
      );
      const length = Math.hypot(...vector);
      vectors.push(...vector.map((value) => Math.fround(value / length)));
      const text = `${option} ${i} ${seed}`;
      rows.push({
        id: text,
        content: text,
        input: { text },
        decision: `option ${option}`,
        label: options.indexOf(option),
        source: 'user',
        reasonCodes: [],
      });
    }
  }
  const none = {
    starts: new Int32Array(rows.length + 1),
    indices: new Int32Array(0),
    values: new Float64Array(0),
    width: 0,
  };
  const built = {
    count: rows.length,
    dense: Float64Array.from(vectors),
    denseWidth: dimensions,
    fields: [],
    sparse: none,
  };
  return { plan, rows, built, texts: new Map() };
}

/**
 * The rows with words that say nothing of their option, and embeddings of which 4 in 100 lie as far from their option's
 * mean as those of other options, which all lie at right angles: half of the loss does not reach beyond these.
 */
function tellApartByMeans(drawn: LearnedRows): LearnedRows {
  const random = createRandom(9);
  const dense = new Float64Array(drawn.built.count * dimensions);
  drawn.rows.forEach(({ label }, i) => {
    const noise = 12 + (i % 12);
    const [own, other] = i % 25 === 0 ? [0.05, 0.999] : [0.8, 0.6];
    dense[i * dimensions + label] = own;
    dense[i * dimensions + noise] = other;
  });
  const texts = new Map(
    drawn.rows.map(({ input }) => {
      const words = Array.from({ length: 6 }, () => `word${Math.floor(random() * 50)}`);
      return [String(input['text']), { words, ids: [], embedding: new Float32Array(dimensions), truncated: false }];
    }),
  );
  const ngrams = {
    words: ['word1'],
    pairs: [],
    letters: [],
    texts: drawn.rows.length,
    df: [3],
    unknown: true,
    scale: 1,
  };
  const text = { ...drawn.plan.text, fields: [['text']], ngrams, encoder: drawn.plan.text?.encoder ?? null };
  return { ...drawn, plan: { ...drawn.plan, text }, built: { ...drawn.built, dense }, texts };
}

const optionsFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const share = (flags: readonly boolean[]) => flags.filter(Boolean).length / flags.length;

describe('how a policy tells unfamiliar inputs is chosen by leaving options out [THR-8]', () => {
  const learned = drawRows(optionsFrom(0, 12), 30, 1);
  const chosen = chooseChecks(learned, () => [], ignore);

  it('takes the nearest example where texts of every option vary more than the options differ', () => {
    expect(chosen.checks).toEqual(['nearest']);
    expect(chosen.file?.embedding).toBeNull();
    expect(chosen.near?.of).toBe(learned.rows.length);
  });

  it('says before it is used how much it notices of options that nobody taught it, and what it loses', () => {
    const known = drawRows(optionsFrom(0, 12), 40, 2);
    const unknown = drawRows(optionsFrom(100, 40), 10, 3);
    expect(share(findUnfamiliarRows(chosen.file, known))).toBeLessThan(0.1);
    const noticed = share(findUnfamiliarRows(chosen.file, unknown));
    expect(noticed).toBeGreaterThan(0.3);
    expect(noticed).toBeGreaterThan((chosen.near?.low ?? 1) - 0.1);
    expect(noticed).toBeLessThan((chosen.near?.high ?? 0) + 0.1);
  });

  it('keeps the usual checks where the others notice fewer texts about other things', () => {
    const findFar = (file: FamiliarityFile | null) => (file?.nearest === undefined ? [true, true] : [true, false]);
    const usual = chooseChecks(learned, findFar, ignore);
    expect(usual.checks).toEqual(['embedding']);
    expect(usual.file?.nearest).toBeUndefined();
    expect(usual.near?.share).toBeLessThan(chosen.near?.low ?? 0);
  });

  it('leaves the words out where the means alone notice more with the whole loss', () => {
    const told = tellApartByMeans(drawRows(optionsFrom(0, 12), 40, 6));
    const chosenOf = chooseChecks(told, () => [true], ignore);
    expect(chosenOf.checks).toEqual(['embedding']);
    expect(chosenOf.file?.words).toBeNull();
  });

  it('compares nothing below four options, and learns nothing below 40 rows', () => {
    expect(chooseChecks(drawRows(optionsFrom(0, 3), 30, 4), () => [], ignore)).toMatchObject({
      checks: ['embedding'],
      near: null,
    });
    expect(chooseChecks(drawRows(optionsFrom(0, 5), 7, 5), () => [], ignore)).toMatchObject({ file: null, near: null });
  });

  it('says tick by tick that it is at work, so that a training can be cancelled', () => {
    const cancel = () => {
      throw new Error('cancelled');
    };
    expect(() => chooseChecks(learned, () => [], cancel)).toThrow('cancelled');
  });

  it('is small and fits the plan, and a file that does not fit is refused', () => {
    const { file } = chosen;
    if (file?.nearest === undefined) throw new Error('expected nearest examples');
    expect(familiaritySchema.safeParse(file).success).toBe(true);
    expect(fitsPlan(file, plan)).toBe(true);
    expect(file.nearest.examples.length).toBeLessThanOrEqual(1_024);
    expect(file.nearest.basis.length).toBe(11);
    const change = (part: Partial<typeof file.nearest>) => ({ ...file, nearest: { ...file.nearest, ...part } });
    for (const part of [{ scale: [1] }, { offset: [] }, { basis: [[1]] }, { examples: [[1]] }]) {
      expect(fitsPlan(change(part) as FamiliarityFile, plan)).toBe(false);
    }
    expect(familiaritySchema.safeParse(change({ examples: [[128]] })).success).toBe(false);
  });
});

describe('a training on texts of eight options [THR-8]', () => {
  const textModel = openTextModel(fileURLToPath(new URL('../../../resources', import.meta.url)));
  const tokenizer = textModel.tokenizer();
  const meanings = new Map<string, Float32Array>();
  const find = (ids: readonly number[]) => meanings.get(ids.join(' ')) ?? new Float32Array(384).fill(0.05);
  /** Knows what every text of the story means. */
  const encoder: BatchTextEncoder = {
    sha256: textModel.encoderSha256,
    dimensions: 384,
    embed: (ids) => Promise.resolve(find(ids)),
    embedBatch: (texts) => Promise.resolve(texts.map(find)),
  };
  const ports = {
    encoder,
    tokenizer,
    tokenizerSha256: textModel.tokenizerSha256,
    runModel,
    runtimeVersion: 'onnxruntime test',
    sha256,
    now: () => 0,
    progress: ignore,
  };

  /** Texts whose words say nothing, with the embeddings of {@link drawRows} in the first columns. */
  function writeTexts(options: readonly number[], perOption: number, seed: number) {
    const { rows, built } = drawRows(options, perOption, seed);
    return rows.map(({ decision }, i) => {
      const text = `please look at case ${seed} number ${i}`;
      const embedding = new Float32Array(384);
      embedding.set(built.dense.subarray(i * dimensions, (i + 1) * dimensions));
      meanings.set(toEncoderInput(tokenizer.encode(text), 256).ids.join(' '), embedding);
      return { text, decision };
    });
  }

  it('reports near and far inputs with intervals, and its bundle notices options that nobody taught it', async () => {
    const options = optionsFrom(0, 8);
    const taught = writeTexts(options, 30, 1);
    const { bundle, metrics } = await train(
      createRequest(
        taught.map(({ text, decision }, i) => createExample(`row-${i}`, { text }, decision)),
        createDefinition(
          options.map((option) => `option ${option}`),
          { escalation_policy: { ...ignoring, unfamiliar: 'escalate' } },
        ),
        { config: trainingConfigSchema.parse({ tune_hyperparams: false, augment: false, auto_generate: false }) },
      ),
      ports,
    );
    const effect = metrics.familiarity;
    expect(effect?.checks).toEqual(['nearest']);
    expect(effect?.near?.low).toBeLessThan(effect?.near?.share ?? 0);
    expect(effect?.far).toMatchObject({ of: 40, count: effect?.probes_noticed });
    const unpacked = unpackBundle(bundle, sha256);
    expect(unpacked.modelCard).toContain('option was left out of learning');
    const decider = compileDecider(unpacked, ports);
    expect(await runGolden(unpacked, decider)).toMatchObject({ failures: [] });
    const decide = async (text: string) => {
      const result = await decider.decide({ text }, { trace: true });
      if (!result.ok) throw new Error('expected a decision');
      expect(result.trace?.familiarity.map(({ check }) => check)).toEqual(['nearest']);
      return result.decision.unfamiliar;
    };
    const decideAll = async (texts: readonly { text: string }[]) => {
      const flags: boolean[] = [];
      for (const { text } of texts) flags.push(await decide(text));
      return share(flags);
    };
    const known = await decideAll(writeTexts(options, 20, 2));
    const unknown = await decideAll(writeTexts(optionsFrom(100, 20), 5, 3));
    expect(known).toBeLessThan(0.15);
    expect(unknown).toBeGreaterThan(known + 0.15);
  });
});
