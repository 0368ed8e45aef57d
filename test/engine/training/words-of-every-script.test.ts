import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { train } from '../../../src/engine/training/train.ts';
import { findEdgePython } from '../../edge-python.ts';
import { sha256 } from '../bundle-fixture.ts';
import { openTrainPorts } from '../train-ports.ts';
import { createDefinition, createExample, createRequest } from '../training-request.ts';

const python = await findEdgePython();
const root = fileURLToPath(new URL('../../..', import.meta.url));
const ports = { ...(await openTrainPorts()), encoder: null };
const withoutTextModel = { encoder: null, tokenizer: null, now: () => performance.now() };
const config = trainingConfigSchema.parse({ tune_hyperparams: false });

type Row = { text: string; outcome: string };
const readRows = (name: string): Row[] =>
  readFileSync(join(root, 'test/fixtures/cases/words-of-every-script', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

function learn(rows: readonly Row[]) {
  const examples = rows.map(({ text, outcome }, i) => createExample(`${i}`, { text }, outcome));
  const options = [...new Set(rows.map(({ outcome }) => outcome))];
  return train(createRequest(examples, createDefinition(options), { config }), ports);
}

const decideInPython = `
import json, sys
from decision_edge import EdgePredictor
inputs = json.load(open(sys.argv[2], encoding="utf-8"))
decided = EdgePredictor.from_bundle(sys.argv[1]).predict_many(inputs)
json.dump([[each.class_probabilities, each.unfamiliar] for each in decided], sys.stdout)
`;

describe('a policy that reads texts by their words', () => {
  it.each(['amharic', 'khmer', 'emoji'])('tells the words of %s apart [TRN-29]', async (name) => {
    const { metrics } = await learn(readRows(name));
    expect(metrics.accuracy).toBeGreaterThanOrEqual(0.9);
  });

  it.skipIf(python === null)(
    'needs no tokenizer, and decides 1,500 texts of twenty scripts as Python does [TRN-29]',
    async () => {
      const { bundle } = await learn(['amharic', 'khmer', 'emoji'].flatMap(readRows));
      const unpacked = unpackBundle(bundle, sha256);
      expect(unpacked.manifest).toMatchObject({ min_reader: '0.4.0', text: { tokenizer_sha256: null, slim: false } });
      const { cases } = JSON.parse(readFileSync(join(root, 'test/cases/words.json'), 'utf8')) as { cases: string[][] };
      const inputs = cases.flatMap(([text = '']) => (text.isWellFormed() ? [{ text }] : []));
      const decider = compileDecider(unpacked, withoutTextModel);
      const folder = mkdtempSync(join(tmpdir(), 'words-'));
      try {
        writeFileSync(join(folder, 'bundle.zip'), bundle);
        writeFileSync(join(folder, 'inputs.json'), JSON.stringify(inputs));
        const files = [join(folder, 'bundle.zip'), join(folder, 'inputs.json')];
        const ran = spawnSync(python ?? '', ['-c', decideInPython, ...files], {
          encoding: 'utf8',
          env: { ...process.env, PYTHONPATH: join(root, 'edge/src') },
        });
        expect(ran.stderr).toBe('');
        const decided = JSON.parse(ran.stdout) as [Record<string, number>, boolean][];
        for (const [at, input] of inputs.entries()) {
          const [probabilities = {}, unfamiliar] = decided[at] ?? [];
          const result = await decider.decide(input, {});
          if (!result.ok) throw new Error('The input was refused.');
          expect(unfamiliar).toBe(result.decision.unfamiliar);
          for (const [option, probability] of Object.entries(result.decision.class_probabilities)) {
            expect(probabilities[option]).toBeCloseTo(probability, 6);
          }
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('is as sure of new texts as folds say, whose words are new to each of them, too', async () => {
    const random = createRandom(5);
    const below = (limit: number) => Math.floor(random() * limit);
    const syllables = ['ba', 'ko', 'mi', 'tu', 're', 'sa', 'no', 'pe', 'li', 'du'];
    const names = ['refund', 'parcel', 'invoice', 'login', 'address', 'cancel'];
    const draw = () => Array.from({ length: 4 }, () => syllables[below(10)]).join('');
    // Eight rows of each option: one word tells it more often than not, the others occur once.
    const examples = Array.from({ length: 348 }, (_, i) => {
      const words = Array.from({ length: 7 }, draw);
      words.splice(below(8), 0, names[random() < 0.6 ? i % 6 : below(6)] ?? '');
      return { ...createExample(`${i}`, { text: words.join(' ') }, `option ${i % 6}`), test: i >= 48 };
    });
    const options = [...new Set(examples.map(({ decision }) => decision ?? ''))];
    const few = trainingConfigSchema.parse({ tune_hyperparams: false, min_per_option: 8 });
    const { metrics } = await train(createRequest(examples, createDefinition(options), { config: few }), ports);
    expect(metrics.accuracy).toBeGreaterThan(0.6);
    expect(metrics.log_loss).toBeLessThan(1.45);
  });
});
