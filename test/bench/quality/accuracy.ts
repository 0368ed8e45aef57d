/**
 * `node test/bench/quality/accuracy.ts FOLDER [--only NAME]… [--peers] [--setfit] [--autogluon] [--trials N] [--python PATH]
 * [--encodings FOLDER] [--tuning]`
 *
 * Trains on every data set of the folder (`NAME/train.jsonl` and `NAME/test.jsonl`, one `{"input": {…}, "decision":
 * "…"}` a line) and prints what the packed policy does on the test side, beside the peers when they are asked for. With
 * `--encodings` the embeddings are kept in a folder, so that a second run spends its time on fitting only; with
 * `--tuning` the text model is tuned where that pays.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Learned } from './accuracy-metrics.ts';
import { preparePython, runPeers } from './accuracy-peers.ts';
import type { Order, Row } from './accuracy-training.ts';
import { trainApart } from './train-apart.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    peers: { type: 'boolean', default: false },
    setfit: { type: 'boolean', default: false },
    autogluon: { type: 'boolean', default: false },
    trials: { type: 'string', default: '20' },
    python: { type: 'string' },
    encodings: { type: 'string' },
    tuning: { type: 'boolean', default: false },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const [folder] = positionals;
if (folder === undefined || !existsSync(folder)) {
  print('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}

const hasSides = (name: string) =>
  ['train', 'test'].every((side) => existsSync(join(folder, name, `${side}.jsonl`))) &&
  (flags.only.length === 0 || flags.only.includes(name));
const names = readdirSync(folder).filter(hasSides).sort();
if (names.length === 0) {
  print(`No data set found in ${resolve(folder)}.`);
  process.exit(2);
}

const learners = [
  ...(flags.peers ? ['logistic', 'gradient_boosting', 'lightgbm'] : []),
  ...(flags.setfit ? ['setfit'] : []),
  ...(flags.autogluon ? ['autogluon'] : []),
];
const groups = [
  ...(learners.length > 0 ? ['usual'] : []),
  ...(flags.setfit ? ['setfit'] : []),
  ...(flags.autogluon ? ['autogluon'] : []),
];
const python = learners.length > 0 ? await preparePython(flags.python ?? null, groups) : null;

function readRows(name: string, side: 'train' | 'test'): Row[] {
  const lines = readFileSync(join(folder as string, name, `${side}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Row);
}

const cell = (value: number | null, digits: number, width: number) =>
  (value === null ? '-' : value.toFixed(digits)).padStart(width);

function printLearned(learned: Learned): void {
  if ('problem' in learned) {
    print(`${learned.learner.padEnd(18)} ${learned.problem}`);
    return;
  }
  const f = learned.figures;
  print(
    learned.learner.padEnd(18) +
      cell(f.accuracy, 4, 9) +
      cell(f.macroF1, 4, 9) +
      cell(f.logLoss, 4, 9) +
      cell(f.ece, 4, 8) +
      cell(f.seconds, 1, 9) +
      cell(f.encoderSeconds, 1, 9) +
      cell(f.peakMb, 0, 8) +
      cell(f.decisionMs, 3, 9),
  );
}

for (const name of names) {
  const order: Order = {
    train: readRows(name, 'train'),
    test: readRows(name, 'test'),
    options: [],
    encodingsDir: flags.encodings ?? null,
    trials: Number(flags.trials),
    marked: [],
    tuning: flags.tuning,
    featuresDir: python === null ? null : mkdtempSync(join(tmpdir(), 'workbench-accuracy-')),
  };
  order.options = [...new Set([...order.train, ...order.test].map((row) => row.decision))].sort();
  print(
    `\n${name}: ${order.train.length} rows to train on, ${order.test.length} to test, ${order.options.length} options`,
  );
  print('                    accuracy macro-F1 log-loss     ECE  seconds  encoder peak MB  p50 ms');
  try {
    const { figures, notes } = await trainApart(order);
    printLearned({ learner: 'workbench', figures });
    if (python !== null && order.featuresDir !== null) {
      const expected = order.test.map((row) => row.decision);
      const peers = await runPeers(python, order.featuresDir, learners, expected, order.options);
      for (const learned of peers) printLearned(learned);
    }
    for (const note of notes) print(`  ${note}`);
  } finally {
    if (order.featuresDir !== null) rmSync(order.featuresDir, { recursive: true, force: true });
  }
}
