/** Each stage of a training run at its interface: what it takes, what it adds, what it refuses. */

import { beforeEach, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { TrainingExample } from '../../../src/engine/domain/training.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { nothingRare } from '../../../src/engine/training/data/rare-options.ts';
import { createProgressReporter } from '../../../src/engine/training/progress.ts';
import type { TrainPorts, TrainRequest } from '../../../src/engine/training/request.ts';
import { fitClassifier } from '../../../src/engine/training/stages/classifier.ts';
import { compareTextModels } from '../../../src/engine/training/stages/compare-text-models.ts';
import { decideUnits } from '../../../src/engine/training/stages/decide-units.ts';
import { evaluateClassifier } from '../../../src/engine/training/stages/evaluate.ts';
import { planFeatures } from '../../../src/engine/training/stages/features.ts';
import { followUp } from '../../../src/engine/training/stages/follow-up.ts';
import { generateExamples } from '../../../src/engine/training/stages/generate.ts';
import { packagePolicy } from '../../../src/engine/training/stages/package.ts';
import { prepareExamples } from '../../../src/engine/training/stages/prepare.ts';
import type { Run } from '../../../src/engine/training/stages/state.ts';
import { chooseTextModel } from '../../../src/engine/training/stages/text-model.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { runModel } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import {
  config,
  createDefinition,
  createExample,
  createInteractionRows,
  createRequest,
  messages,
} from '../training-request.ts';

const { tokenizer, tokenizerSha256, encoderSha256 } = openTextModel();
const realTokenizer = tokenizer();
let encodedTexts = 0;
let reports: string[] = [];

beforeEach(() => {
  encodedTexts = 0;
  reports = [];
});

/** An encoder whose embedding counts token ids by their remainder: fast, and enough to tell messages apart. */
const encoder = {
  sha256: encoderSha256,
  dimensions: 16,
  async embed(ids: readonly number[]) {
    encodedTexts += 1;
    const counts = new Float32Array(16);
    for (const id of ids) counts[id % 16] = (counts[id % 16] ?? 0) + 1;
    const length = Math.hypot(...counts);
    return counts.map((count) => count / length);
  },
  embedBatch: (texts: readonly (readonly number[])[]) => Promise.all(texts.map((ids) => encoder.embed(ids))),
};

function startRun(request: TrainRequest, changes: Partial<TrainPorts> = {}): Run {
  const ports: TrainPorts = {
    encoder,
    tokenizer: realTokenizer,
    tokenizerSha256,
    runModel,
    runtimeVersion: 'onnxruntime test',
    sha256,
    now: () => performance.now(),
    progress: ({ stage, message }) => reports.push(`${stage}: ${message}`),
    ...changes,
  };
  return { request, ports, progress: createProgressReporter(ports) };
}

const pairs = (count: number): TrainingExample[] =>
  Array.from({ length: count }, (_, i) => createExample(`${i}`, { amount: i }, i % 2 === 0 ? 'a' : 'b'));
/** Rows so few, and with such hashes, that none is held out. */
const few = pairs(4).filter((_, i) => i !== 2);

/** The state before the text_model stage reads texts. */
async function planRun(request: TrainRequest, changes: Partial<TrainPorts> = {}) {
  const run = startRun(request, changes);
  const generated = { ...run, ...(await generateExamples(run)) };
  const prepared = { ...generated, ...prepareExamples(generated) };
  const planned = { ...prepared, ...planFeatures(prepared) };
  return { ...planned, ...(await compareTextModels(planned)) };
}

/** The state after the classifier stage. */
async function classifyRun(request: TrainRequest, changes: Partial<TrainPorts> = {}) {
  const planned = await planRun(request, changes);
  const textModelled = { ...planned, ...(await chooseTextModel(planned)) };
  return { ...textModelled, ...fitClassifier(textModelled) };
}

describe('the generate stage', () => {
  it('hands on the examples as they are where nothing is asked for', async () => {
    const request = createRequest(pairs(10), createDefinition(['a', 'b']));
    const generated = await generateExamples(startRun(request));
    expect(generated.examples).toEqual(request.examples);
    expect(generated.origins.augmentation.status).toBe('not_requested');
    expect(generated.notes).toEqual([]);
    expect(reports.at(-1)).toBe('generate: No examples were generated');
  });

  it('refuses rules that do not compile, by their name', async () => {
    const rule = { name: 'broken', condition: 'ctx.amount >', then: 'a', reason_code: null, priority: 1 };
    const request = createRequest(pairs(10), createDefinition(['a', 'b'], { hard_rules: [rule] }));
    await expect(generateExamples(startRun(request))).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('Rule "broken" cannot be used'),
    });
  });

  it('leaves to the rules what they decide, masked values aside, where it is asked to [LFT-1]', async () => {
    const small = { name: 'small', condition: 'ctx.amount < 10', then: 'a', reason_code: null, priority: 1 };
    const named = { ...small, name: 'named', condition: 'has(ctx.name) && ctx.name != null' };
    const masked = createExample('masked', { amount: 31, name: `pii:${'0'.repeat(24)}` }, 'b');
    const known = createExample('known', { amount: 33, name: 'Ada' }, 'b');
    const rows = [...pairs(40), masked, known];
    const request = { ...createRequest(rows, createDefinition(['a', 'b'], { hard_rules: [small, named] })) };
    const run = (train_on: 'all' | 'left_by_rules') =>
      generateExamples(startRun({ ...request, piiFields: ['name'], config: { ...config, train_on } }));
    expect((await run('all')).ruled).toEqual([]);
    const { ruled, examples } = await run('left_by_rules');
    expect(ruled.map(({ id }) => id)).toEqual([...Array.from({ length: 10 }, (_, i) => `${i}`), 'known']);
    expect(examples).toEqual(rows.filter(({ id }) => !ruled.some((one) => one.id === id)));
  });

  it('fills up with the embedded teacher what a failing connected one leaves out, and notes the failure', async () => {
    const request = createRequest(messages, createDefinition(['refund', 'tracking']), {
      config: { ...config, auto_generate: true },
    });
    let requests = 0;
    const teach = async () => {
      requests += 1;
      throw new Error('No answer.');
    };
    const { examples, notes, origins } = await generateExamples(startRun(request, { teach }));
    expect(requests).toBe(1);
    expect(notes).toEqual(['The connected teacher failed: No answer.', 'The connected teacher wrote 0 examples.']);
    expect(examples.length).toBe(messages.length + origins.auto_generation.generated_count);
    expect(origins.auto_generation).toMatchObject({ status: 'completed', minimum_required: 38 });
  });

  it('takes a cancellation while the teacher writes for what it is', async () => {
    const request = createRequest(pairs(20), createDefinition(['a', 'b']), {
      config: { ...config, auto_generate: true },
    });
    let isCancelled = false;
    const teach: TrainPorts['teach'] = async ({ option, count }) => {
      isCancelled = true;
      return Array.from({ length: count }, (_, i) => ({
        input: { amount: 1000 + 7 * i },
        decision: option,
        reasonCodes: [],
      }));
    };
    let milliseconds = 0;
    const now = () => {
      milliseconds += 1000;
      return milliseconds;
    };
    const run = startRun(request, { teach, now, cancelled: () => isCancelled });
    await expect(generateExamples(run)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the prepare stage', () => {
  const prepare = (examples: TrainingExample[], options: string[]) => {
    const run = startRun(createRequest(examples, createDefinition(options)));
    return prepareExamples({ ...run, rare: nothingRare, examples, ruled: [], notes: ['Before.'] });
  };

  it('holds a fifth out, and numbers the options that have examples', () => {
    const prepared = prepare(pairs(50), ['never', 'a', 'b']);
    expect([prepared.rows.length, prepared.trainRows.length, prepared.testRows.length]).toEqual([50, 41, 9]);
    expect(prepared.split).toEqual({
      rule: 'hash',
      field: null,
      found: false,
      sentence: '',
      refitted: true,
      near_duplicates: 0,
      near_duplicate_ids: [],
      corrections: 0,
      corrections_held_out: 0,
      near_repeats: 0,
      put_aside: 0,
      one_case: expect.stringMatching(/^Each of the \d+ examples is a case of its own\.$/),
    });
    expect(prepared.measuredRows).toBe(prepared.testRows);
    expect(prepared.presentOptions).toEqual([1, 2]);
    expect(prepared.notes).toEqual(['Before.', 'Options without examples are never predicted: never.']);
  });

  it('measures on the training rows where there are too few to hold any out', () => {
    const prepared = prepare(few, ['a', 'b']);
    expect(prepared.testRows).toEqual([]);
    expect(prepared.measuredRows).toEqual(prepared.trainRows);
    expect(prepared.notes.at(-1)).toMatch(/^There are too few examples to hold any out/);
  });

  it('measures on the marked test rows alone, fits none of them, and refuses an option that has only such [TRN-15]', () => {
    const marked = pairs(20).map((example, i) => ({ ...example, test: i < 4 }));
    const prepared = prepare(marked, ['a', 'b']);
    expect(prepared.testRows.map(({ id }) => id).sort()).toEqual(
      marked
        .slice(0, 4)
        .map(({ id }) => id)
        .sort(),
    );
    expect(prepared.split).toMatchObject({ rule: 'test_rows', refitted: false });
    expect(prepared.notes.at(-1)).toMatch(/no model learns from these/);
    const texts = marked.map((example, i) => ({ ...example, input: { text: `Parcel ${i} is late` } }));
    const reworded = texts.slice(0, 2).map((example, i) => ({ ...example, input: { text: `Late is parcel ${i}!` } }));
    const twins = reworded.map((example, i) => ({ ...example, id: `twin ${i}`, test: false }));
    expect(prepare([...texts, ...twins], ['a', 'b']).notes).toContain(
      '2 examples nearly repeat a test row and were left out, because learning from them would flatter the figures.',
    );
    const none = pairs(20).map((example) => ({ ...example, test: example.decision === 'a' }));
    expect(() => prepare(none, ['a', 'b'])).toThrow(
      'Every example of the option "a" is a test row or nearly repeats one.',
    );
  });

  it('refuses examples of one option only', () => {
    expect(() => prepare(pairs(10), ['a'])).toThrow('Only one option has examples');
  });
});

describe('the features stage', () => {
  it('plans fields from the training rows and says what it leaves out', async () => {
    const examples = pairs(60).map((example) => ({ ...example, input: { ...example.input, same: 1 } }));
    const { fieldPlan, notes } = await planRun(createRequest(examples, createDefinition(['a', 'b'])));
    expect(fieldPlan.fields.map(({ path }) => path)).toEqual([['amount']]);
    expect(notes.some((note) => note.startsWith('Field same is left out.'))).toBe(true);
  });

  it('learns the days between dates, says so, and leaves them out where that is asked [FEA-10]', async () => {
    const day = (count: number) => new Date(Date.UTC(2024, 0, 1 + count)).toISOString().slice(0, 10);
    const examples = pairs(60).map((example, i) => ({ ...example, input: { from: day(i), to: day(i + (i % 7)) } }));
    const definition = createDefinition(['a', 'b']);
    const request = createRequest(examples, definition);
    const { fieldPlan, notes } = await planRun(request);
    expect(fieldPlan.fields.length).toBe(3);
    expect(notes).toContain('Days between dates are learned as inputs: “to − from, days”.');
    const without = await planRun({ ...request, config: { ...request.config, days_between: false } });
    expect(without.fieldPlan.fields.map(({ kind }) => kind)).toEqual(['date', 'date']);
    expect(without.fieldPlan.tabular_size).toBe(16);
  });

  it('writes no value into the plan that lies below a path of personal data', async () => {
    const examples = pairs(60).map((example, i) => ({
      ...example,
      input: { ...example.input, person: { city: ['Rome', 'Oslo', 'Lima'][i % 3] ?? '' } },
    }));
    const definition = createDefinition(['a', 'b']);
    const open = await planRun(createRequest(examples, definition));
    expect(JSON.stringify(open.fieldPlan)).toContain('Oslo');
    const { fieldPlan } = await planRun(createRequest(examples, definition, { piiFields: ['person'] }));
    expect(JSON.stringify(fieldPlan)).not.toContain('Oslo');
  });

  it('does not compile before the rows are prepared', () => {
    const run = startRun(createRequest(pairs(10), createDefinition(['a', 'b'])));
    // @ts-expect-error The training rows are missing.
    expect(() => planFeatures(run)).toThrow();
  });
});

describe('the text_model stage', () => {
  it('never asks the encoder where there is no text', async () => {
    const planned = await planRun(createRequest(pairs(60), createDefinition(['a', 'b'])));
    const { texts, textChoice } = await chooseTextModel(planned);
    expect([encodedTexts, texts.size, textChoice.textUse]).toEqual([0, 0, 'none']);
  });

  it('encodes every different text once, says which are too long, and uses text that helps', async () => {
    const long = `please refund ${'very '.repeat(300)}much`;
    const examples = [
      ...messages,
      createExample('long', { message: long, amount: 1 }, 'refund'),
      createExample('again', { message: long, amount: 2 }, 'refund'),
    ];
    const planned = await planRun(createRequest(examples, createDefinition(['refund', 'tracking'])));
    const { texts, textChoice, notes } = await chooseTextModel(planned);
    expect([encodedTexts, texts.size]).toEqual([messages.length + 1, messages.length + 1]);
    expect(texts.get(long)?.truncated).toBe(true);
    expect(notes.at(-1)).toMatch(/^1 of 49 texts are longer than the sentence encoder reads/);
    expect(textChoice.textUse).not.toBe('none');
    expect(textChoice.comparison?.rows.length).toBe(planned.trainRows.length);
  });

  it('reads more texts than a text model reads in a minute by their words, and says how to have one [TRN-26]', async () => {
    const words = Array.from({ length: 60 }, (_, i) => `parcel${i}`);
    const examples = Array.from({ length: 2_100 }, (_, i) => {
      const message = Array.from({ length: 130 }, (_word, at) => words[(i * (at + 1) + at * at) % 60]).join(' ');
      return createExample(`${i}`, { message: `${i} ${message}` }, i % 2 === 0 ? 'a' : 'b');
    });
    const candidate = { encoder, tokenizer: realTokenizer, tokenizerSha256, isOwn: false, languages: [], sizeMb: 20 };
    const definition = createDefinition(['a', 'b']);
    const candidates = [{ ...candidate, name: 'english' }];
    const { ports, notes, textModels } = await planRun(createRequest(examples, definition), { candidates });
    expect([encodedTexts, ports.encoder, textModels]).toEqual([0, null, null]);
    expect(notes.at(-1)).toBe(
      'Texts are read by words: reading 2,100 of them by a text model would take minutes, so none was tried. To have them read by one all the same, choose it when you train.',
    );
  });

  it('uses all of the text, uncompared, where there are hardly any rows', async () => {
    const few = [...messages.slice(0, 5), ...messages.slice(-5)];
    const planned = await planRun(createRequest(few, createDefinition(['refund', 'tracking'])));
    const { textChoice } = await chooseTextModel(planned);
    expect(textChoice).toMatchObject({ textUse: 'both', comparison: null });
  });
});

describe('the classifier stage', () => {
  const definition = createDefinition(['a', 'b']);

  it('takes trees where the option hangs on fields together, and states the figures', async () => {
    const { choice, measuredModel, notes } = await classifyRun(createRequest(createInteractionRows(), definition));
    expect(choice.trees).not.toBeNull();
    expect(['trees', 'blend']).toContain(measuredModel.calibrated.kind);
    expect(notes).toContain('No field is read as text: one with few different values is a category.');
    expect(notes.at(-1)).toMatch(/^Cross-validated log-loss: logistic regression .*, boosted trees .*, both together/);
    expect(reports).toContain('classifier: Fitting the classifier');
  });

  it('says where the text model that was asked for is not used', async () => {
    const rows = createInteractionRows().map((row, i) => ({
      ...row,
      input: { ...row.input, message: `we write about case ${(i * 7_919) % 1_009} and ${(i * 104_729) % 997}` },
    }));
    const config = trainingConfigSchema.parse({ text_model: 'fast', tune_encoder: false });
    const { notes } = await classifyRun(createRequest(rows, definition, { config }));
    expect(notes.join('\n')).toContain('So the text model “fast”, which was asked for, is not used.');
  });

  it('blends plain trees with the linear classifier where few noisy rows say little about settings', async () => {
    const noisy = Array.from({ length: 150 }, (_, i) =>
      createExample(`${i}`, { amount: i / 2, days: (i * 37) % 100 }, i > 75 === (i * 29) % 10 > 2 ? 'a' : 'b'),
    );
    const { choice, measuredModel } = await classifyRun(createRequest(noisy, definition));
    expect(measuredModel.calibrated.kind).toBe('blend');
    expect(choice.trees?.settings).toMatchObject({ rounds: 80, learningRate: 0.05, maxLeaves: 8 });
    expect(choice.linear?.weight).toBeGreaterThan(0.4);
  });

  it('stays with the linear classifier below 60 rows, and fits on the training rows only', async () => {
    const state = await classifyRun(createRequest(pairs(50), definition));
    expect(state.choice.trees).toBeNull();
    expect(state.measuredModel.rows.count).toBe(state.trainRows.length);
  });
});

describe('the evaluate stage', () => {
  const definition = createDefinition(['a', 'b']);

  it('measures on the held-out rows, and fits the final model on all rows', async () => {
    const state = await classifyRun(createRequest(createInteractionRows(), definition));
    const { evaluation, finalModel, finalRows } = await evaluateClassifier(state);
    expect(evaluation.heldOut.map((row) => row.example_id)).toEqual(state.testRows.map((row) => row.id));
    expect(evaluation.figures.accuracy).toBeGreaterThan(0.9);
    expect(finalRows).toBe(state.rows);
    expect(finalModel.rows.count).toBe(240);
  });

  it('keeps the measured model where a refit is not wanted', async () => {
    const state = await classifyRun(createRequest(pairs(50), definition, { config: { ...config, refit: false } }));
    const { finalModel, finalRows } = await evaluateClassifier(state);
    expect(finalModel).toBe(state.measuredModel);
    expect(finalRows).toBe(state.trainRows);
  });
});

describe('the package stage', () => {
  const request = createRequest(pairs(60), createDefinition(['a', 'b']), {
    config: { ...config, escalation_threshold: 0.9 },
  });
  const evaluateRun = async (changes: Partial<TrainPorts> = {}) => {
    const classified = await classifyRun(request, changes);
    return { ...classified, ...(await evaluateClassifier(classified)) };
  };

  it('packs a bundle that decides, and completes the metrics', async () => {
    const state = await evaluateRun();
    const { bundle, metrics, heldOut } = await packagePolicy({ ...state, otherWays: null });
    const unpacked = unpackBundle(bundle, sha256);
    expect(unpacked.manifest).toMatchObject({ policy_version: 'v3', text: null });
    expect(unpacked.manifest.confidence_thresholds).toEqual({ auto_decide: 0.9, escalation: 0.9 });
    const decider = compileDecider(unpacked, { encoder: null, tokenizer: null, now: () => 0 });
    expect(await decider.decide({ amount: 3 })).toMatchObject({ ok: true });
    expect(metrics).toMatchObject({ train_size: 48, test_size: 12, feature_count: state.finalModel.calibrated.D });
    expect(metrics.notes).toEqual(state.notes);
    expect(metrics).toMatchObject({ learning_curve: null, follow_up: { state: 'pending' } });
    expect(heldOut).toEqual(state.evaluation.heldOut);
  });

  it('reads the exported graph back where there is no ONNX Runtime, and packs the same bundle', async () => {
    const state = await evaluateRun();
    const { runModel: _, ...ports } = state.ports;
    const [byRuntime, byEngine] = [state, { ...state, ports }].map((each) =>
      packagePolicy({ ...each, otherWays: null }),
    );
    expect((await byEngine)?.bundle).toEqual((await byRuntime)?.bundle);
  });

  it('refuses an exported graph that gives other numbers than the model', async () => {
    const state = await evaluateRun({
      runModel: async (model, inputs) => {
        const outputs = await runModel(model, inputs);
        return { ...outputs, probabilities: outputs['probabilities']?.map((p) => p + 0.001) ?? new Float32Array(0) };
      },
    });
    await expect(packagePolicy({ ...state, otherWays: null })).rejects.toThrow('differs from the trained one');
  });

  it('keeps no policy that is certainly less often right than it was measured and cross-validated', async () => {
    const halves = Array.from({ length: 400 }, (_, i) => createExample(`${i}`, { amount: i }, i < 200 ? 'a' : 'b'));
    const classified = await classifyRun(createRequest(halves, createDefinition(['a', 'b'])));
    const state = { ...classified, ...(await evaluateClassifier(classified)), otherWays: null };
    const { calibrated } = state.finalModel;
    const bias = calibrated.bias.map((logit, option) => (option === 0 ? logit + 100 : logit));
    const finalModel = { ...state.finalModel, calibrated: { ...calibrated, bias } };
    expect((await packagePolicy(state)).metrics.accuracy).toBeGreaterThan(0.95);
    await expect(packagePolicy({ ...state, finalModel })).rejects.toThrow(
      /^The finished policy answers \d+ of \d+ known examples correctly, though models that had not seen them were right/,
    );
  });
});

describe('the way in which rows are held out', () => {
  it('is none that leaves a new option without examples to learn from, by which the training would be refused [HLD-7]', async () => {
    const toDay = (day: number) => new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
    const findWay = (newFrom: number) => {
      const rows = Array.from({ length: 300 }, (_, i) => {
        const old = i % 2 === 0 ? 'a' : 'b';
        return createExample(`${i}`, { opened: toDay(i), size: i % 7 }, i >= newFrom ? 'new' : old);
      });
      return decideUnits(startRun(createRequest(rows, createDefinition(['a', 'b', 'new'])), { encoder: null }));
    };
    const byDate = { split: { by: 'date', field: 'opened' } };
    expect(await findWay(200)).toMatchObject({ isFound: false, tried: [byDate] });
    expect(await findWay(260)).toMatchObject({ isFound: false, tried: [] });
  });
});

describe('what follows a training', () => {
  const definition = createDefinition(['a', 'b']);
  const followUpRun = async (classified: Awaited<ReturnType<typeof classifyRun>>) =>
    followUp({ ...classified, ...(await evaluateClassifier(classified)) }, null);

  it('draws the learning curve, and checks the label of every row', async () => {
    const { metrics, labelChecks } = await followUpRun(
      await classifyRun(createRequest(createInteractionRows(), definition)),
    );
    expect(metrics.learning_curve?.points.map(({ share }) => share)).toEqual([0.25, 0.5, 0.75, 1]);
    expect(metrics.follow_up?.state).toBe('done');
    expect(labelChecks).toHaveLength(240);
  });

  it('asks for no examples of what rules decide, although the classifier cannot learn it', async () => {
    const rules = ['a', 'b'].map((then, rest) => ({
      ...{ name: `rest ${rest}`, condition: `ctx.amount % 2 == ${rest}`, then, reason_code: null, priority: rest },
    }));
    const advise = async (hard_rules: typeof rules) => {
      const state = await classifyRun(createRequest(pairs(200), createDefinition(['a', 'b'], { hard_rules })));
      return (await followUpRun(state)).metrics.learning_curve?.advice;
    };
    // One of the two is hardly ever found in a number that says nothing.
    expect((await advise([]))?.some(({ advice }) => advice !== 'enough')).toBe(true);
    expect(await advise(rules)).toEqual(
      ['a', 'b'].map((option) => ({
        option,
        advice: 'enough',
        sentence: `"${option}" has enough data: 100% of its examples are found.`,
      })),
    );
  });

  it('draws no curve where nothing is held out', async () => {
    const { metrics } = await followUpRun(await classifyRun(createRequest(few, definition)));
    expect(metrics.learning_curve).toBeNull();
  });
});
