/**
 * `node test/bench/quality/text-models.ts FOLDER [--only NAME]… [--per-option N|full]… [--draws N]`
 *
 * What the choice of the text model reaches on the test side, right and log-loss, beside each model alone: with 8, 16
 * and 38 examples an option and in full, untuned, on the same draws. Data sets as for the accuracy bench.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { createRandom } from '../../../src/engine/random.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { openLanguageDetector } from '../../../src/server/runtime/language-detector.ts';
import { openCandidates, openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createRequest } from '../../engine/training-request.ts';
import type { Row } from './accuracy-training.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    'per-option': { type: 'string', multiple: true, default: ['8', '16', '38', 'full'] },
    draws: { type: 'string', default: '5' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const [folder] = positionals;
if (folder === undefined) {
  print('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}

const candidates = await openCandidates();
const usual = await openTrainPorts({ openLanguageDetector });
const [fast = usual, english = usual] = candidates;
const choices: [name: string, ports: TrainPorts][] = [
  ['auto', { ...usual, candidates }],
  ['words', { ...usual, ...english, encoder: null }],
  ['fast', { ...usual, ...fast }],
  ['english', { ...usual, ...english }],
];

const readRows = (name: string, side: string): Row[] =>
  readFileSync(join(folder, name, `${side}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);

const names = flags.only.length > 0 ? flags.only : readdirSync(folder);
for (const name of names.sort()) {
  const [known, held] = [readRows(name, 'train'), readRows(name, 'test')];
  const options = [...new Set(known.map(({ decision }) => decision))];
  for (const size of flags['per-option']) {
    const isFull = size === 'full';
    for (let draw = 1; draw <= (isFull ? 1 : Number(flags.draws)); draw++) {
      const random = createRandom(draw);
      const mixed = known.map((row) => ({ row, place: random() })).sort((a, b) => a.place - b.place);
      const rows = options.flatMap((option) =>
        mixed.filter(({ row }) => row.decision === option).slice(0, isFull ? undefined : Number(size)),
      );
      const examples = [...rows.map(({ row }) => ({ row, test: false })), ...held.map((row) => ({ row, test: true }))];
      const config = { min_per_option: 8, rare_options: 'set_aside', tune_encoder: false, seed: draw };
      const request = createRequest(
        examples.map(({ row, test }, i) => ({ ...row, id: `${i}`, reasonCodes: [], source: 'user', test })),
        createDefinition(options),
        { config: trainingConfigSchema.parse(config) },
      );
      const cells: string[] = [];
      for (const [choice, ports] of choices) {
        const { metrics } = await train(request, ports);
        const chosen = metrics.text_models?.find((trial) => trial.chosen)?.text_model;
        const taken = chosen === undefined ? '' : ` (${chosen})`;
        cells.push(`${choice}${taken} ${metrics.accuracy.toFixed(3)}/${metrics.log_loss.toFixed(3)}`);
      }
      print(`${name} ${size} ${draw}: ${cells.join('  ')}`);
    }
  }
}
process.exit(0);
