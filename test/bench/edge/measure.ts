/**
 * `node test/bench/edge/measure.ts [--before FOLDER] [--texts FOLDER]… [--bundles FOLDER] [--venv DIR]`: load, single
 * calls, batches, memory and installed size of the Python package, beside scikit-learn with joblib on the same rows.
 * `--before` names the folder `edge` of an earlier version, measured in turns with this one; `--texts` folders with
 * train.jsonl and test.jsonl, whose `input.text` is read; beside these stands the encoder alone. `--bundles` keeps what
 * was trained for the next time. Machines are noisy: read ratios, and processor time before wall time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packBundle, unpackBundle, withTextModel } from '../../../src/engine/bundle/bundle.ts';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { makeBookings, type Row, rules, trainBundle } from './bundles.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { before: text, texts: { ...text, multiple: true }, bundles: text, venv: text },
});
const root = resolve(import.meta.dirname, '../../..');
const python = process.env['WORKBENCH_PYTHON'] ?? join(root, '.venv-edge/bin/python');
const scratch = mkdtempSync(join(tmpdir(), 'edge-bench-'));
const print = (line = '') => process.stdout.write(`${line}\n`);

type Measured = {
  facts: Record<string, number>;
  decided: [decision: string, confidence: number, stage: string][];
  differing: number;
};
type Column = { name: string; facts: Record<string, number> };
/** Of the package: `folder` is its `edge`. */
type Version = { name: string; folder: string };
const versions: Version[] = [
  ...(values.before === undefined ? [] : [{ name: 'before', folder: resolve(values.before) }]),
  { name: 'now', folder: join(root, 'edge') },
];

/** Runs a program in Python on one thread and returns what it prints. */
function runPython(program: string, script: string, args: readonly string[], source = ''): string {
  const env = { ...process.env, PYTHONPATH: source, OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const options = { encoding: 'utf8', env, maxBuffer: 1 << 28 } as const;
  const { stdout, stderr, status } = spawnSync(program, [join(import.meta.dirname, script), ...args], options);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** A virtual environment with scikit-learn; made at the first run. */
function findPeersPython(): string {
  const folder = values.venv ?? join(tmpdir(), 'decision-workbench-edge-bench-venv');
  const found = join(folder, 'bin/python');
  if (!existsSync(found)) {
    spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    spawnSync(found, ['-m', 'pip', 'install', '-q', 'scikit-learn', 'pandas', 'joblib'], { stdio: 'inherit' });
  }
  return found;
}

const runPeer = (...args: string[]) => runPython(findPeersPython(), 'peers.py', args);

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
}

/** The same bundle without the list of fields, which earlier versions of the package refuse. */
function withoutFields(bytes: Uint8Array): Uint8Array {
  const bundle = unpackBundle(bytes, sha256);
  const {
    files: _files,
    format_version: _format,
    revision: _revision,
    fields: _fields,
    golden_inputs: _golden,
    ...manifest
  } = bundle.manifest;
  const slim = packBundle({ ...bundle, manifest }, sha256);
  if (manifest.text === null) return slim;
  const { tokenizerPath, encoderPath, licensePath } = openTextModel(join(root, 'resources'));
  const text = {
    tokenizer: readFileSync(tokenizerPath),
    encoder: readFileSync(encoderPath),
    license: readFileSync(licensePath),
  };
  return withTextModel(slim, text, sha256);
}

/** What an installation of the package without extras asks for. */
function readDependencies(folder: string): string[] {
  const [, listed = '[]'] =
    /^dependencies = (\[.*\])$/m.exec(readFileSync(join(folder, 'pyproject.toml'), 'utf8')) ?? [];
  return JSON.parse(listed) as string[];
}

/** A bundle that was kept, or else is trained now. */
async function openBundle(name: string, rows: readonly Row[], hardRules: Rule[] = []): Promise<Uint8Array> {
  const kept = join(values.bundles ?? scratch, `${name}.zip`);
  if (!existsSync(kept)) writeFileSync(kept, await trainBundle(name, rows, hardRules));
  return readFileSync(kept);
}

const toLines = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const format = (value: number | undefined) =>
  value === undefined ? '' : value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);

function printTable(title: string, columns: readonly Column[]): void {
  print(`\n${title}\n`);
  print(`| | ${columns.map(({ name }) => name).join(' | ')} |`);
  print(`|---|${'---|'.repeat(columns.length)}`);
  for (const fact of new Set(columns.toReversed().flatMap(({ facts }) => Object.keys(facts)))) {
    print(`| ${fact} | ${columns.map(({ facts }) => format(facts[fact])).join(' | ')} |`);
  }
}

type Beside = { findPeer?: () => Column; hasTables?: boolean };

function measure(title: string, bytes: Uint8Array, rows: string, { findPeer, hasTables }: Beside = {}): void {
  const bundle = write('bundle.zip', withoutFields(bytes));
  const measured = versions.map(({ name, folder }) => ({
    name,
    ...(JSON.parse(
      // Earlier versions take no tables.
      runPython(
        python,
        'measure.py',
        [bundle, rows, '10', ...(hasTables && name === 'now' ? ['tables'] : [])],
        join(folder, 'src'),
      ),
    ) as Measured),
  }));
  printTable(title, findPeer === undefined ? measured : [findPeer(), ...measured]);
  const [first, ...others] = measured.map(({ decided }) => decided);
  const isSame = (row: number, [decision, confidence, stage]: Measured['decided'][number]) =>
    first?.[row]?.[0] === decision && first[row][2] === stage && Math.abs(first[row][1] - confidence) <= 1e-6;
  const different = others.flatMap((decided) => decided.filter((answer, row) => !isSame(row, answer))).length;
  const alone = measured.reduce((sum, each) => sum + each.differing, 0);
  print(`\n${different} decisions differ between the versions, ${alone} between batches and single calls.`);
}

try {
  const [learned, asked] = [makeBookings(3_000, 1), makeBookings(10_000, 2)];
  const [train, test] = [write('train.jsonl', toLines(learned)), write('rows.jsonl', toLines(asked))];
  const fitTrees = () => {
    const model = join(scratch, 'model.joblib');
    runPeer('fit', train, model);
    return { name: 'scikit-learn', facts: JSON.parse(runPeer('measure', model, test, '10')) };
  };
  measure('Bookings: 3,000 rows to learn, 10,000 to decide', await openBundle('hotel', learned), test, {
    findPeer: fitTrees,
    hasTables: true,
  });
  measure('The same behind two rules', await openBundle('hotel-rules', learned, rules), test);
  for (const folder of values.texts ?? []) {
    const read = (part: string) =>
      readFileSync(join(folder, `${part}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
    const few = read('train').filter((_, at) => at % 5 === 0);
    const some = read('test').slice(0, 1_500);
    const texts = write('texts.jsonl', toLines(some));
    const model = join(root, 'resources/models/all-MiniLM-L6-v2');
    const embed = () => ({
      name: 'bare encoder',
      facts: JSON.parse(runPython(python, 'bare_encoder.py', [model, texts])),
    });
    const name = basename(folder);
    const title = `Texts of ${name}: ${few.length} to learn, ${some.length} to decide`;
    measure(title, await openBundle(name, few), texts, { findPeer: embed });
  }
  const weigh = (program: string, names: readonly string[]) => JSON.parse(runPython(program, 'installed.py', names));
  printTable('Installed, in MB', [
    { name: 'scikit-learn', facts: weigh(findPeersPython(), ['scikit-learn', 'pandas']) },
    ...versions.map(({ name, folder }) => ({ name, facts: weigh(python, readDependencies(folder)) })),
  ]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
