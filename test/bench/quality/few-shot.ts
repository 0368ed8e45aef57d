/**
 * `node test/bench/quality/few-shot.ts FOLDER [--only NAME]… [--per-option N]… [--seeds N] [--first N] [--options N]
 * [--test-rows N] [--setfit] [--python PATH] [--default]`
 *
 * Few examples per option (8, 16, 38 and 100 unless told otherwise, three draws, the first by seed `--first`): what the
 * packed policy does on the test side with the plain text model and with one that may be tuned, beside SetFit on the
 * same rows where that is asked for. Data sets as for the accuracy bench; `--options` takes the first options only,
 * `--test-rows` part of the test. Both policies read word pieces, too, where a cross-validation says so. A test row of
 * each option is marked as the analyst's own, so that a training learns from all that it is given, as SetFit does.
 * `--default` trains as the program does unless told otherwise: no row is marked, the policy comes first and the
 * background may offer a better one.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../../../src/engine/random.ts';
import type { Figures } from './accuracy-metrics.ts';
import { preparePython, runPeers } from './accuracy-peers.ts';
import type { Order, Row } from './accuracy-training.ts';
import { trainApart } from './train-apart.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    'per-option': { type: 'string', multiple: true, default: ['8', '16', '38', '100'] },
    seeds: { type: 'string', default: '3' },
    first: { type: 'string', default: '1' },
    options: { type: 'string' },
    'test-rows': { type: 'string' },
    setfit: { type: 'boolean', default: false },
    python: { type: 'string' },
    default: { type: 'boolean', default: false },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const [folder] = positionals;
if (folder === undefined) {
  print('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}
const python = flags.setfit ? await preparePython(flags.python ?? null, ['usual', 'setfit']) : null;

function readRows(name: string, side: 'train' | 'test'): Row[] {
  const lines = readFileSync(join(folder as string, name, `${side}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Row);
}

/** Up to `count` rows of every option, drawn at random. */
function draw(rows: readonly Row[], options: readonly string[], count: number, seed: number): Row[] {
  const random = createRandom(seed);
  return options.flatMap((option) =>
    rows
      .filter((row) => row.decision === option)
      .map((row) => ({ row, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, count)
      .map(({ row }) => row),
  );
}

const cell = (value: number, digits: number) => value.toFixed(digits).padStart(9);

function printFigures(learner: string, figures: Figures): void {
  const { accuracy, macroF1, logLoss, seconds, peakMb } = figures;
  print(
    `  ${learner.padEnd(9)}${cell(accuracy, 4)}${cell(macroF1, 4)}${cell(logLoss, 4)}${cell(seconds ?? Number.NaN, 1)}${cell(peakMb ?? Number.NaN, 0)}`,
  );
}

/** The first policy, and what the background offers after it; without an offer only how long that took. */
async function measureDefault(order: Order): Promise<void> {
  const { figures, later, laterSeconds } = await trainApart({ ...order, marked: [], tuning: 'auto' });
  printFigures('first', figures);
  if (later !== null) printFigures('later', later);
  else print(`  nothing better is offered after ${laterSeconds.toFixed(1)} s more`);
}

async function measurePlainAndTuned(order: Order): Promise<void> {
  const plain = await trainApart(order);
  printFigures('frozen', plain.figures);
  const { figures, notes } = await trainApart({ ...order, tuning: true, featuresDir: null });
  printFigures('tuned', figures);
  for (const note of notes) if (/tun(ed|ing)/i.test(note)) print(`    ${note}`);
}

async function measure(order: Order): Promise<void> {
  const featuresDir = python === null ? null : mkdtempSync(join(tmpdir(), 'workbench-few-shot-'));
  try {
    await (flags.default ? measureDefault : measurePlainAndTuned)({ ...order, featuresDir });
    if (python === null || featuresDir === null) return;
    const expected = order.test.map((row) => row.decision);
    for (const learned of await runPeers(python, featuresDir, ['setfit'], expected, order.options)) {
      if ('figures' in learned) printFigures('SetFit', learned.figures);
      else print(`  SetFit    ${learned.problem}`);
    }
  } finally {
    if (featuresDir !== null) rmSync(featuresDir, { recursive: true, force: true });
  }
}

const names = readdirSync(folder).filter((name) => flags.only.length === 0 || flags.only.includes(name));
for (const name of names.sort()) {
  const all = readRows(name, 'train');
  const known = [...new Set(all.map((row) => row.decision))].sort();
  const options = known.slice(0, Number(flags.options ?? known.length));
  const test = readRows(name, 'test').filter((row) => options.includes(row.decision));
  for (const perOption of flags['per-option'].map(Number)) {
    for (let seed = Number(flags.first); seed < Number(flags.first) + Number(flags.seeds); seed++) {
      const train = draw(all, options, perOption, seed);
      const measured = draw(test, options, Math.ceil(Number(flags['test-rows'] ?? test.length) / options.length), 1);
      print(
        `\n${name}: ${perOption} per option, ${options.length} options, draw ${seed}, ${measured.length} test rows`,
      );
      print('            accuracy macro-F1 log-loss  seconds  peak MB');
      await measure({
        train,
        marked: draw(measured, options, 1, 1),
        test: measured,
        options,
        trials: 5,
        encodingsDir: null,
        featuresDir: null,
        tuning: false,
      });
    }
  }
}
