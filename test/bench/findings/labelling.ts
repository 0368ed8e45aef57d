/**
 * `node test/bench/findings/labelling.ts FOLDER [--only NAME]… [--rows N] [--encodings FOLDER]`
 *
 * Labels the data sets of a folder (`NAME/{train,test}.jsonl`) as the labelling queue would have somebody do it, twenty
 * rows at a time, and prints how many labels it takes until the labelling model is right on 95% of what it is right on with
 * all labels, beside rows in random order. Then the times of a label and of the next row at 20,000 rows of 384 columns.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toRowNumber } from '../../../src/engine/drawn-rows.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { LabellingModel } from '../../../src/engine/labelling/labelling-model.ts';
import { writeOptionTexts } from '../../../src/engine/labelling/option-texts.ts';
import { fitRowEncoder } from '../../../src/engine/labelling/row-encoder.ts';
import { RowMatrix } from '../../../src/engine/labelling/row-matrix.ts';
import { limits } from '../../../src/engine/limits.ts';
import { computePercentile } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { toEncoderInput } from '../../../src/engine/text/encoder-input.ts';
import { withEncodingCache } from '../../../src/server/runtime/encoder/encoding-cache.ts';
import { openEncoder } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';

type Row = { input: JsonObject; decision: string };
type Encoded = { row: Float64Array; label: number };

const batch = 20;
const maxTestRows = 500;
const randomOrders = 3;
const print = (line = '') => process.stdout.write(`${line}\n`);

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '2000' },
    encodings: { type: 'string' },
  },
});
const folder = positionals[0] ?? '';
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => flags.only.length === 0 || flags.only.includes(name))
  : [];

const textModel = openTextModel();
const opened = await openEncoder(textModel.encoderPath, textModel.encoderSha256);
const encodings = flags.encodings ?? mkdtempSync(join(tmpdir(), 'encodings-'));
const encoder = withEncodingCache(opened, encodings, Date.now());
const tokenizer = textModel.tokenizer();
const embed = (text: string) => encoder.embed(toEncoderInput(tokenizer.encode(text), limits.maxEncoderTokens).ids);

function readRows(name: string, side: 'train' | 'test', count: number): Row[] {
  const rows = readFileSync(join(folder, name, `${side}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
  const random = createRandom(1);
  return rows
    .map((row) => ({ row, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ row }) => row);
}

async function prepare(name: string) {
  const train = readRows(name, 'train', Number(flags.rows));
  const test = readRows(name, 'test', maxTestRows);
  const options = [...new Set([...train, ...test].map(({ decision }) => decision))].sort();
  const rowEncoder = fitRowEncoder(
    train.slice(0, 1_000).map(({ input }) => input),
    null,
  );
  const isText = rowEncoder.embeddingWidth > 0;
  const encode = async ({ input, decision }: Row): Promise<Encoded> => {
    const text = rowEncoder.readText(input);
    const embedding = isText && text !== '' ? await embed(text) : null;
    return { row: rowEncoder.encode(input, embedding), label: options.indexOf(decision) };
  };
  const encodeAll = async (rows: Row[]) => {
    const encoded: Encoded[] = [];
    for (const row of rows) encoded.push(await encode(row));
    return encoded;
  };
  const optionRows: Float64Array[] = [];
  if (isText) {
    for (const text of writeOptionTexts({ options, hard_rules: [] }, ''))
      optionRows.push(rowEncoder.encodeText(await embed(text)));
  }
  return {
    train: await encodeAll(train),
    test: await encodeAll(test),
    width: rowEncoder.width,
    options,
    optionRows: isText ? optionRows : null,
  };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

/** A model that knows the rows of both sides; those of the test side are never to be chosen. */
function openModel({ train, test, width, options, optionRows }: Prepared): LabellingModel {
  const model = new LabellingModel(width, options.length, optionRows);
  for (const [n, { row }] of train.entries()) model.addRow(`train ${n}`, row, 'open', toRowNumber(String(n)));
  for (const [n, { row }] of test.entries()) model.addRow(`test ${n}`, row, 'aside', 1);
  return model;
}

function measureAccuracy(model: LabellingModel, test: readonly Encoded[]): number {
  const right = test.filter(({ label }, n) => model.suggest(`test ${n}`)?.option === label).length;
  return right / test.length;
}

/** Labels until the aim is reached; the accuracy without labels is that at 0. */
function countLabels(prepared: Prepared, aim: number, next: (model: LabellingModel) => string[]): number {
  const model = openModel(prepared);
  for (let labels = 0; ; ) {
    if (measureAccuracy(model, prepared.test) >= aim) return labels;
    const ids = next(model);
    if (ids.length === 0) return labels;
    for (const id of ids) model.setState(id, prepared.train[Number(id.slice('train '.length))]?.label ?? 'open');
    labels += ids.length;
  }
}

function inRandomOrder(count: number, seed: number): (model: LabellingModel) => string[] {
  const random = createRandom(seed);
  const order = Array.from({ length: count }, (_, n) => ({ id: `train ${n}`, at: random() })).sort(
    (a, b) => a.at - b.at,
  );
  let from = 0;
  return () => {
    from += batch;
    return order.slice(from - batch, from).map(({ id }) => id);
  };
}

async function measureSavings(name: string): Promise<void> {
  const prepared = await prepare(name);
  const all = openModel(prepared);
  const before = measureAccuracy(all, prepared.test);
  for (const [n, { label }] of prepared.train.entries()) all.setState(`train ${n}`, label);
  const full = measureAccuracy(all, prepared.test);
  const aim = 0.95 * full;
  const queue = countLabels(prepared, aim, (model) => model.choose(batch, new Set()).map(({ id }) => id));
  const random = Array.from({ length: randomOrders }, (_, seed) =>
    countLabels(prepared, aim, inRandomOrder(prepared.train.length, seed + 1)),
  );
  const mean = random.reduce((sum, count) => sum + count, 0) / random.length;
  print(
    `${name.padEnd(20)} rows ${String(prepared.train.length).padStart(5)}  without labels ${before.toFixed(3)}  full ${full.toFixed(3)}  to 95%: queue ${String(queue).padStart(4)}, random ${mean.toFixed(0).padStart(4)} (${random.join(', ')})`,
  );
}

function measureTimes(optionCount: number): void {
  const width = limits.embeddingDimensions + 1;
  const random = createRandom(3);
  const model = new LabellingModel(width, optionCount, null);
  const rows = 20_000;
  const started = performance.now();
  for (let n = 0; n < rows; n++) {
    const row = Float64Array.from({ length: width }, () => (random() - 0.5) / 10);
    row[n % optionCount] = 0.5;
    row[width - 1] = 1;
    model.addRow(String(n), row, 'open', toRowNumber(String(n)));
  }
  const loadedMs = performance.now() - started;
  const labelMs = noTimes();
  const nextMs = noTimes();
  for (let n = 0; n < 100; n++) {
    const [next] = time(nextMs, () => model.choose(1, new Set()));
    if (next !== undefined) time(labelMs, () => model.setState(next.id, Number(next.id) % optionCount));
  }
  const passMs = noTimes();
  const direction = Float64Array.from({ length: width }, random);
  const matrix = new RowMatrix(width);
  for (let n = 0; n < rows; n++) matrix.add(String(n), direction);
  for (let pass = 0; pass < 100; pass++) {
    time(passMs, () => {
      for (let place = 0; place < rows; place++) matrix.multiply(place, direction);
    });
  }
  const mean = (times: number[]) => times.reduce((sum, each) => sum + each, 0) / labelMs.cpu.length;
  const at95 = ({ wall, cpu }: Times) =>
    `${computePercentile(wall, 0.95).toFixed(1)} ms (processor ${computePercentile(cpu, 0.95).toFixed(1)})`;
  print(
    `${rows} rows of ${width - 1} columns, ${optionCount} options: read in ${(loadedMs / 1_000).toFixed(1)} s; a label ${at95(labelMs)}, the next row ${at95(nextMs)}, one product of each row in the same run ${at95(passMs)}, all at the 95th percentile; both of a label ${mean([...labelMs.cpu, ...nextMs.cpu]).toFixed(1)} ms of the processor in the mean, limit 60`,
  );
}

type Times = { wall: number[]; cpu: number[] };
const noTimes = (): Times => ({ wall: [], cpu: [] });

/** Times of the clock, and of the processor: where others use the machine, too, only the latter tells. */
function time<T>({ wall, cpu }: Times, work: () => T): T {
  const from = performance.now();
  const used = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(used);
  wall.push(performance.now() - from);
  cpu.push((user + system) / 1_000);
  return result;
}

for (const optionCount of [3, 77]) measureTimes(optionCount);
for (const name of names) await measureSavings(name);
encoder.close();
