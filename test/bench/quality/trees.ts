/**
 * `node test/bench/quality/trees.ts [--venv DIR] [--data DIR]…`: training on tables beside LightGBM and scikit-learn on the
 * same features in the same run, and how time grows with the rows. `--data` names folders with train.jsonl and
 * test.jsonl. Machines are noisy: read ratios, not absolutes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileScorer } from '../../../src/engine/classifiers/model.ts';
import { fitTrees } from '../../../src/engine/classifiers/trees.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { softmaxInPlace } from '../../../src/engine/numeric.ts';
import { readClassifier } from '../../../src/engine/onnx/classifier.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest } from '../../engine/training-request.ts';
import { mixedTable, type TableRow } from '../tables.ts';

const root = resolve(import.meta.dirname, '../../..');
const print = (line = '') => process.stdout.write(`${line}\n`);
const flags = (name: string) => process.argv.flatMap((value, i) => (value === name ? [process.argv[i + 1] ?? ''] : []));

/** A virtual environment with the peers; made at the first run. */
function peersPython(): string {
  const folder = flags('--venv')[0] ?? join(tmpdir(), 'decision-workbench-bench-venv');
  const python = join(folder, 'bin/python');
  if (!existsSync(python)) {
    spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    spawnSync(python, ['-m', 'pip', 'install', '-q', 'lightgbm', 'scikit-learn'], { stdio: 'inherit' });
  }
  return python;
}

type Peer = { seconds: number; log_loss: number; accuracy: number };
type Peers = Record<'logistic regression' | 'HistGradientBoosting' | 'LightGBM' | 'same_rounds', Peer>;
type Table = { name: string; train: TableRow[]; test: TableRow[] };

const rounds = 100;
const scratch = mkdtempSync(join(tmpdir(), 'trees-bench-'));
const ports = await openTrainPorts();

function readTable(folder: string): Table {
  const read = (part: string) =>
    readFileSync(join(folder, `${part}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TableRow);
  return { name: basename(folder), train: read('train'), test: read('test') };
}

const optionsOf = (rows: readonly TableRow[]) => [...new Set(rows.map((row) => row.decision))].sort();

/** Fits the peers on the dense vectors of the table's plan; also our trees with the same rounds as LightGBM. */
function compareFits(table: Table): { peers: Peers; ours: Peer } {
  const options = optionsOf(table.train);
  const plan = inferPlan(
    table.train.map((row) => row.input),
    null,
  );
  const built = (rows: readonly TableRow[]) =>
    buildFeatureRows(
      { ...plan, text: null },
      rows.map((row) => row.input),
      new Map(),
    );
  const [trainRows, testRows] = [built(table.train), built(table.test)];
  const labelsOf = (rows: readonly TableRow[]) => Int32Array.from(rows, (row) => options.indexOf(row.decision));
  const file = (name: string, dense: Float64Array) => {
    writeFileSync(join(scratch, name), Buffer.from(Float32Array.from(dense).buffer));
    return join(scratch, name);
  };
  const facts = {
    width: trainRows.denseWidth,
    rounds,
    train: file('train', trainRows.dense),
    test: file('test', testRows.dense),
    train_labels: [...labelsOf(table.train)],
    test_labels: [...labelsOf(table.test)],
  };
  writeFileSync(join(scratch, 'table.json'), JSON.stringify(facts));
  const script = join(root, 'test/bench/quality/trees_peers.py');
  // One thread for everybody: more only wait for each other on a busy machine.
  const env = { ...process.env, OMP_NUM_THREADS: '1' };
  const { stdout, stderr } = spawnSync(peersPython(), [script, join(scratch, 'table.json')], { encoding: 'utf8', env });
  if (!stdout) throw new Error(stderr);
  const labels = labelsOf(table.train);
  const settings = { rounds, maxLeaves: 31, minRows: 20, l2: 0, learningRate: 0.1, rowShare: 1, fieldShare: 1 };
  const times: number[] = [];
  let log_loss = 0;
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    const request = { rows: trainRows, labels, optionCount: options.length, settings, seed: 1 };
    const fitted = fitTrees({ ...request, precision: 'final' });
    times.push((performance.now() - started) / 1000);
    const logits = fitted.logits(testRows);
    log_loss = 0;
    labelsOf(table.test).forEach((label, row) => {
      const scores = softmaxInPlace(logits.subarray(row * options.length, (row + 1) * options.length));
      log_loss -= Math.log(Math.max(1e-15, scores[label] ?? 0)) / testRows.count;
    });
  }
  const ours = { seconds: times.sort((a, b) => a - b)[1] ?? 0, log_loss, accuracy: Number.NaN };
  return { peers: JSON.parse(stdout) as Peers, ours };
}

/** `cpuSeconds` tell what the work costs where other programs slow the clock's seconds down. */
type Trained = { seconds: number; cpuSeconds: number; bundle: ReturnType<typeof unpackBundle> };

/** A whole training with the default options: tuning on, 20 trials, refit. */
async function trainOn(name: string, rows: readonly TableRow[]): Promise<Trained> {
  const started = performance.now();
  const before = process.cpuUsage();
  const outcome = await train(
    createRequest(
      rows.map(({ input, decision }, i) => createExample(`${i}`, input, decision)),
      createDefinition(optionsOf(rows)),
      { decisionType: name, config: trainingConfigSchema.parse({}) },
    ),
    ports,
  );
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6, bundle: unpackBundle(outcome.bundle, sha256) };
}

async function compareQuality(table: Table): Promise<void> {
  const { peers, ours } = compareFits(table);
  const { seconds, cpuSeconds, bundle } = await trainOn(table.name, table.train);
  const decider = compileDecider(bundle, ports);
  let loss = 0;
  let hits = 0;
  for (const { input, decision } of table.test) {
    const decided = await decider.decide(input);
    if (!decided.ok) throw new Error('an input was refused');
    const probabilities = decided.decision.class_probabilities;
    const top = Object.entries(probabilities).sort((a, b) => b[1] - a[1])[0]?.[0];
    hits += top === decision ? 1 : 0;
    loss -= Math.log(Math.max(1e-15, probabilities[decision] ?? 0)) / table.test.length;
  }
  const best = Math.min(
    ...(['logistic regression', 'HistGradientBoosting', 'LightGBM'] as const).map((n) => peers[n].log_loss),
  );
  print(`\n${table.name}: ${table.train.length} rows to train on, ${table.test.length} to test\n`);
  print('| classifier | test log-loss | test accuracy | seconds |');
  print('|---|---|---|---|');
  for (const name of ['logistic regression', 'HistGradientBoosting', 'LightGBM'] as const) {
    const peer = peers[name];
    print(`| ${name} | ${peer.log_loss.toFixed(4)} | ${peer.accuracy.toFixed(4)} | ${peer.seconds.toFixed(2)} |`);
  }
  if (bundle.classifier === null) throw new Error('The training gave no classifier.');
  const kind = bundle.manifest.classifier?.kind;
  print(
    `| whole training: ${kind} | ${loss.toFixed(4)} | ${(hits / table.test.length).toFixed(4)} | ${seconds.toFixed(1)} |`,
  );
  print();
  print(`The whole training took ${cpuSeconds.toFixed(1)} s of processor time.`);
  print(`Log-loss ${(loss / best).toFixed(3)} × the best peer (limit 1.03).`);
  print(
    `${rounds} rounds, 31 leaves: ours ${ours.seconds.toFixed(2)} s, LightGBM ${peers.same_rounds.seconds.toFixed(2)} s on one thread: ${(ours.seconds / peers.same_rounds.seconds).toFixed(2)} × (limit 3); log-loss ${ours.log_loss.toFixed(4)} against ${peers.same_rounds.log_loss.toFixed(4)}.`,
  );
  const classifier = readClassifier(bundle.classifier);
  const score = compileScorer(classifier);
  const rows = buildFeatureRows(
    bundle.plan,
    table.test.slice(0, 200).map((row) => row.input),
    new Map(),
  );
  if (classifier.V === 0 && bundle.plan.text === null) {
    const dense = Array.from({ length: rows.count }, (_, i) =>
      Float32Array.from(rows.dense.subarray(i * rows.denseWidth, (i + 1) * rows.denseWidth)),
    );
    const times = Array.from({ length: 50 }, () => dense)
      .flat()
      .map((row) => {
        const started = performance.now();
        score(row, [], []);
        return (performance.now() - started) * 1000;
      });
    times.sort((a, b) => a - b);
    print(
      `Scoring one row: p50 ${times[times.length >> 1]?.toFixed(1)} µs; classifier ${(bundle.classifier.length / 1024).toFixed(0)} KB.`,
    );
  }
}

try {
  const tables = [
    readTable(join(root, 'test/fixtures/german_credit')),
    ...flags('--data').map(readTable),
    { name: 'mixed table', train: mixedTable(12_000, 1), test: mixedTable(4_000, 2) },
  ];
  for (const table of tables) await compareQuality(table);
  print(`\nPeak memory up to here: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB (limit 1024).`);

  print('\nWhole training by number of rows, tuning on:\n');
  let first = 0;
  for (const count of [1_000, 2_000, 5_000, 10_000, 20_000, 50_000]) {
    const { seconds, cpuSeconds } = await trainOn('growth', mixedTable(count, 3));
    const work = count * Math.log(count);
    if (first === 0) first = cpuSeconds / work;
    const share = cpuSeconds / (first * work);
    print(
      `${String(count).padStart(6)} rows ${seconds.toFixed(1).padStart(7)} s, processor ${cpuSeconds.toFixed(1).padStart(6)} s  ${share.toFixed(2)} × n·log n  ${'#'.repeat(Math.ceil(cpuSeconds))}`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
