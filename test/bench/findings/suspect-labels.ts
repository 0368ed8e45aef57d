/**
 * `node test/bench/findings/suspect-labels.ts FOLDER [--only NAME]… [--seeds N] [--rows N] [--python PATH] [--encodings FOLDER]`
 *
 * Flips 5% of the labels of every data set of the folder (`NAME/train.jsonl` and `NAME/test.jsonl`), trains, and says
 * how well the doubt of a label finds the flipped ones, beside cleanlab on the same out-of-fold probabilities. `--rows`
 * takes a part of larger sets, `--seeds` repeats with other labels flipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import { checkLabels } from '../../../src/engine/training/evaluate/label-checks.ts';
import { predictOutOfFold } from '../../../src/engine/training/evaluate/out-of-fold.ts';
import { createProgressReporter } from '../../../src/engine/training/progress.ts';
import type { TrainRequest } from '../../../src/engine/training/request.ts';
import { fitClassifier } from '../../../src/engine/training/stages/classifier.ts';
import { compareTextModels } from '../../../src/engine/training/stages/compare-text-models.ts';
import { planFeatures } from '../../../src/engine/training/stages/features.ts';
import { generateExamples } from '../../../src/engine/training/stages/generate.ts';
import { prepareExamples } from '../../../src/engine/training/stages/prepare.ts';
import { chooseTextModel } from '../../../src/engine/training/stages/text-model.ts';
import { withEncodingCache } from '../../../src/server/runtime/encoder/encoding-cache.ts';
import { openEncoder } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest } from '../../engine/training-request.ts';
import { preparePython } from '../quality/accuracy-peers.ts';

type Row = { input: JsonObject; decision: string };
type Scores = Record<string, { average_precision: number; listed: number; precision: number; recall: number }>;

const flippedShare = 0.05;
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string', default: '1' },
    rows: { type: 'string' },
    python: { type: 'string' },
    encodings: { type: 'string' },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const [folder = ''] = positionals;
if (!existsSync(folder)) {
  print('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}
const python = await preparePython(flags.python ?? null, flags.python === undefined ? ['cleanlab'] : []);
const model = openTextModel();
const opened = await openEncoder(model.encoderPath, model.encoderSha256);
const kept = flags.encodings === undefined ? null : withEncodingCache(opened, flags.encodings, Date.now());
const ports = await openTrainPorts({ encoder: kept ?? opened });

function readRows(name: string, random: Random): Row[] {
  const lines = ['train', 'test'].flatMap((side) =>
    readFileSync(join(folder, name, `${side}.jsonl`), 'utf8').split('\n'),
  );
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => ({ row: JSON.parse(line) as Row, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, Number(flags.rows ?? Number.POSITIVE_INFINITY))
    .map(({ row }) => row);
}

const toRequest = (rows: readonly Row[], options: string[]) =>
  createRequest(
    rows.map(({ input, decision }, i) => createExample(`${i}`, input, decision)),
    createDefinition(options),
    { config: trainingConfigSchema.parse({ n_tuning_trials: 10 }) },
  );

/** Trains as the program does and checks all labels; with the seconds that choosing and checking take. */
async function checkAll(request: TrainRequest) {
  const run = { request, ports, progress: createProgressReporter(ports) };
  const generated = { ...run, ...(await generateExamples(run)) };
  const prepared = { ...generated, ...prepareExamples(generated) };
  const seen = { ...prepared, ...planFeatures(prepared) };
  const planned = { ...seen, ...(await compareTextModels(seen)) };
  const textModel = await chooseTextModel(planned);
  const { choice } = fitClassifier({ ...planned, ...textModel });
  const started = performance.now();
  const { rows, trainRows, presentOptions } = prepared;
  const { options } = request.definition;
  const outOfFold = predictOutOfFold({
    choice,
    rows,
    trainRows,
    presentOptions,
    optionCount: options.length,
    texts: textModel.texts,
    seed: request.seed,
    report: () => undefined,
  });
  const { checks } = checkLabels(rows, outOfFold, options);
  return { rows, outOfFold, checks, seconds: (performance.now() - started) / 1_000 };
}

function comparePeers(question: object): Scores {
  const script = join(import.meta.dirname, 'suspect_labels_peers.py');
  const ran = spawnSync(python, [script], { input: JSON.stringify(question), encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (ran.status !== 0) throw new Error(`cleanlab could not be asked:\n${ran.stderr}`);
  return JSON.parse(ran.stdout) as Scores;
}

const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'train.jsonl')));
for (const name of names.filter((each) => flags.only.length === 0 || flags.only.includes(each))) {
  for (let seed = 1; seed <= Number(flags.seeds); seed++) {
    const random = createRandom(1_000 + seed);
    const right = readRows(name, random);
    const options = [...new Set(right.map(({ decision }) => decision))].sort();
    const flipped = right.map(() => random() < flippedShare);
    const given = right.map((row, i) => {
      const others = options.filter((option) => option !== row.decision);
      return flipped[i] ? { ...row, decision: others[Math.floor(random() * others.length)] ?? '' } : row;
    });
    const { rows, outOfFold, checks, seconds } = await checkAll(toRequest(given, options));
    const checked = rows.flatMap((row, i) => (outOfFold[i] ? [{ row, probabilities: outOfFold[i] }] : []));
    const scores = comparePeers({
      labels: checked.map(({ row }) => options.indexOf(row.decision)),
      probabilities: checked.map(({ probabilities }) => probabilities),
      flipped: checked.map(({ row }) => flipped[Number(row.id)]),
      doubt: checks.map(({ doubt }) => doubt),
      suspect: checks.map(({ suspect }) => suspect),
    });
    print(
      `\n${name}, seed ${seed}: ${rows.length} rows, ${options.length} options, checked in ${seconds.toFixed(1)} s`,
    );
    print('                                 average precision   listed  precision  recall');
    for (const [method, score] of Object.entries(scores)) {
      const { average_precision: ap, listed, precision, recall } = score;
      const shown = [
        ap.toFixed(4).padStart(17),
        `${listed}`.padStart(9),
        precision.toFixed(2).padStart(11),
        recall.toFixed(2).padStart(8),
      ];
      print(method.padEnd(33) + shown.join(''));
    }
  }
}
kept?.close();
process.exit(0);
