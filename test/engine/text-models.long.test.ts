/** What texts are read by where nobody says it: chosen by their language and on folds, and said with the figures. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../src/engine/bundle/bundle.ts';
import { trainingConfigSchema } from '../../src/engine/domain/training.ts';
import { readLanguages } from '../../src/engine/text/languages.ts';
import type { CandidateTextModel } from '../../src/engine/training/request.ts';
import { train } from '../../src/engine/training/train.ts';
import { sha256 } from '../../src/server/process/clock.ts';
import { openTextModels } from '../../src/server/runtime/encoder/text-model.ts';
import { openLanguageDetector } from '../../src/server/runtime/language-detector.ts';
import { frenchMessages, frenchOptions } from './french-messages.ts';
import { openCandidates, openTrainPorts } from './train-ports.ts';
import { createDefinition, createExample, createRequest, messages } from './training-request.ts';

let candidates: CandidateTextModel[];
const models = openTextModels();

beforeAll(async () => {
  candidates = await openCandidates();
});

const quick = { tune_hyperparams: false, tune_encoder: false, min_per_option: 8 } as const;

async function trainOn(
  examples: readonly { input: object; decision: string | null }[],
  options: string[],
  changes = {},
) {
  const request = createRequest(
    examples.map(({ input, decision }, i) => createExample(`e${i}`, { ...input }, decision)),
    createDefinition(options),
    { config: trainingConfigSchema.parse({ ...quick, ...changes }) },
  );
  const { bundle, metrics } = await train(request, await openTrainPorts({ candidates, openLanguageDetector }));
  return { metrics, text: unpackBundle(bundle, sha256).manifest.text };
}

const tokenizerOf = (name: string) => models.find((model) => model.name === name)?.tokenizerSha256;
const namesOf = (trials: readonly { text_model: string }[] | null) => trials?.map(({ text_model }) => text_model);

describe('texts in the language', { timeout: 600_000 }, () => {
  it('French are read by the multilingual model, and the English one is not even tried [TRN-26] [TRN-27]', async () => {
    const { metrics, text } = await trainOn(frenchMessages, frenchOptions);
    expect(metrics.languages).toMatchObject([{ language: 'fr' }]);
    expect(metrics.languages?.[0]?.share).toBeGreaterThan(0.9);
    expect(namesOf(metrics.text_models)).toEqual(['words', 'fast']);
    expect(metrics.text_models?.find(({ chosen }) => chosen)?.text_model).toBe('fast');
    expect(text?.tokenizer_sha256).toBe(tokenizerOf('fast'));
    expect(metrics.notes.join(' ')).toContain('The texts are in French');
  });

  it('English are read by the smallest way that is about as good as the best of three [TRN-26]', async () => {
    const { metrics, text } = await trainOn(messages, ['refund', 'tracking']);
    const trials = metrics.text_models ?? [];
    expect(namesOf(trials)).toEqual(['words', 'fast', 'english']);
    const best = Math.min(...trials.map(({ log_loss }) => log_loss));
    const at = trials.findIndex(({ chosen }) => chosen);
    expect(trials.filter(({ chosen }) => chosen)).toHaveLength(1);
    const smaller = trials.filter(({ size_mb }) => size_mb < (trials[at]?.size_mb ?? 0));
    for (const { log_loss } of smaller) expect(log_loss).toBeGreaterThan(best);
    // Words need no tokenizer.
    const chosen = trials[at]?.text_model ?? '';
    expect(text?.tokenizer_sha256 ?? null).toBe(tokenizerOf(chosen) ?? null);
    expect(metrics.notes.join(' ')).toMatch(/Texts are read by \w+, the smallest way/);
  });

  it('Greek are learned by their words, which is said [TRN-27]', async () => {
    const greek: Record<string, string[]> = {
      refund: ['Θέλω τα χρήματά μου πίσω για', 'Παρακαλώ επιστρέψτε την πληρωμή για', 'Ζητώ επιστροφή χρημάτων για'],
      tracking: ['Πού βρίσκεται', 'Πότε θα παραλάβω', 'Δεν έχει έρθει ακόμα'],
    };
    const things = ['το δέμα μου', 'την μπλε καρέκλα', 'τη λάμπα', 'το τηλέφωνο', 'το κόκκινο χαλί'];
    const examples = Object.entries(greek).flatMap(([decision, starts]) =>
      starts.flatMap((start) => things.map((thing) => ({ input: { message: `${start} ${thing}` }, decision }))),
    );
    const { metrics } = await trainOn(examples, ['refund', 'tracking']);
    expect(metrics.languages).toMatchObject([{ language: 'el' }]);
    expect(metrics.notes.join(' ')).toContain('The texts are in Greek; no text model of the program reads Greek');
  });

  it('are read by the model that can be tuned where a tuning is asked for [TRN-18]', async () => {
    const { metrics, text } = await trainOn(messages, ['refund', 'tracking'], {
      tune_encoder: true,
      tuning_tokens: 10_000,
    });
    expect(metrics.text_models).toBeNull();
    expect(text?.tokenizer_sha256).toBe(tokenizerOf('english'));
  });

  it('are never tuned for where words alone are asked for [TRN-18]', async () => {
    const english = candidates.find(({ name }) => name === 'english');
    // Some wrong labels leave room for a tuning.
    const examples = messages.map(({ id, input, decision }, i) =>
      createExample(id, input, i % 6 === 0 ? 'refund' : decision),
    );
    const request = createRequest(examples, createDefinition(['refund', 'tracking']), {
      config: trainingConfigSchema.parse({ ...quick, tune_encoder: 'auto' }),
    });
    const { tuneLater } = await train(request, await openTrainPorts({ ...english, encoder: null }));
    expect(tuneLater).toBeNull();
  });

  it('that the page says to be read are those of the models', () => {
    expect(readLanguages).toEqual([...new Set(models.flatMap(({ facts }) => facts.languages))].sort());
  });
});
