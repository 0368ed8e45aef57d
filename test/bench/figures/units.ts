/**
 * `node test/bench/figures/units.ts FOLDER [--only NAME]… [--draws N] [--first N]`: what a training says of tables whose
 * rows repeat, beside what its policy gets right on untouched rows: of other customers, later times or other wordings
 * where the cases have such. FOLDER holds data sets as `NAME/train.jsonl` and `NAME/test.jsonl`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom, drawNormal, type Random, shuffle } from '../../../src/engine/random.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { config, createDefinition, createRequest } from '../../engine/training-request.ts';

type Row = { input: JsonObject; decision: string };
type Table = { known: Row[]; fresh: Row[] };
type Case = { kind: 'few' | 'copies' | 'units' | 'time' | 'clean'; make(random: Random): Table };

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    draws: { type: 'string', default: '3' },
    first: { type: 'string', default: '1' },
  },
});
const folder = positionals[0] ?? '';
const print = (line = '') => process.stdout.write(`${line}\n`);

const pick = <T>(values: readonly T[], random: Random): T => values[Math.floor(random() * values.length)] as T;
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const answer = (share: number, random: Random) => (random() < share ? 'grant' : 'deny');
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Rows drawn one by one: each is a case of its own. */
const single = (rows: number, make: (random: Random) => Row, kind: Case['kind']): Case => ({
  kind,
  make: (random) => ({ known: times(rows, () => make(random)), fresh: times(2_000, () => make(random)) }),
});

/** A table of the folder: some rows are known, as `repeat` makes them, the others fresh. */
function ofFolder(name: string, kind: Case['kind'], known: number, repeat: (row: Row, random: Random) => Row[]): Case {
  return {
    kind,
    make(random) {
      const rows = ['train', 'test'].flatMap((part) =>
        readFileSync(join(folder, name, `${part}.jsonl`), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Row),
      );
      const shuffled = shuffle(rows, random);
      const first = shuffled.slice(0, known).flatMap((row) => repeat(row, random));
      return { known: shuffle(first, random), fresh: shuffled.slice(known, known + 1_500) };
    },
  };
}

const words = ['phone', 'mail', 'shop', 'chat', 'letter', 'app'];
const agents = times(12, (at) => `agent ${at}`);
const asIs = (row: Row) => [row];
const withWords = (count: number) => (row: Row, random: Random) =>
  times(count, () => ({
    ...row,
    input: { ...row.input, channel: pick(words, random), agent: pick(agents, random) },
  }));

/** Customers with an answer of their own, seen several times in different words. */
function ofCustomers(customers: number, visits: number, tell: (random: Random, at: number) => JsonObject): Case {
  const draw = (count: number, from: number, each: number, random: Random) =>
    times(count, (at) => {
      const traits = tell(random, from + at);
      const pull = drawNormal(random) + (traits['plan'] === 'gold' ? 1 : 0) - (traits['plan'] === 'basic' ? 1 : 0);
      const decision = answer(sigmoid(3 * pull), random);
      return times(each, () => ({
        input: { ...traits, channel: pick(words, random), agent: pick(agents, random) },
        decision: random() < 0.05 ? answer(0.5, random) : decision,
      }));
    }).flat();
  return {
    kind: 'units',
    make: (random) => ({
      known: shuffle(draw(customers, 0, visits, random), random),
      fresh: draw(1_500, customers, 1, random),
    }),
  };
}
const plan = (random: Random) => pick(['gold', 'silver', 'basic'], random);

const day = 86_400;
/** What is right changes every 50 days. */
function drifting(tell: (seconds: number) => JsonObject): Case {
  return {
    kind: 'time',
    make(random) {
      const spells = times(20, () => Object.fromEntries(words.map((word) => [word, random()])));
      const draw = (from: number, to: number) => {
        const at = from + (to - from) * random();
        const [word, amount] = [pick(words, random), Math.round(1_000 * random())];
        const share = sigmoid(8 * ((spells[Math.floor(at / 50)]?.[word] ?? 0) - 0.5) + (amount - 500) / 400);
        return {
          input: { ...tell(1_600_000_000 + Math.floor(at * day)), word, amount },
          decision: answer(share, random),
        };
      };
      return { known: times(1_500, () => draw(0, 600)), fresh: times(1_500, () => draw(600, 750)) };
    },
  };
}

const starts = ['Please', 'Kindly', 'Could you', 'We ask you to', 'Today we want you to', 'I would like you to'];
const verbs = ['change', 'cancel', 'send', 'check', 'return', 'confirm', 'repair', 'block', 'renew', 'explain'];
const things = ['the order', 'the contract', 'my invoice', 'our card', 'the parcel', 'the account', 'the meter'];
const ends = ['before the weekend', 'as soon as possible', 'because it is wrong', 'like last year', 'without a fee'];
const wordings = shuffle(
  starts.flatMap((a) => verbs.flatMap((b) => things.flatMap((c) => ends.map((d) => `${a} ${b} ${c} ${d}`)))),
  createRandom(1),
);
/** Mails from templates, whose answer hangs on the template alone. */
const ofTemplates = (templates: number): Case => ({
  kind: 'units',
  make(random) {
    const own = shuffle(wordings, random);
    const teams = ['sales', 'billing', 'service', 'legal'];
    const teamOf = new Map(own.map((text) => [text, pick(teams, random)]));
    const draw = (from: readonly string[]) => {
      const text = pick(from, random);
      const subject = `${text} number ${Math.floor(9e5 * random())} for ${pick(['Anna', 'Jan', 'Mia'], random)} ${pick(['Berg', 'Roth', 'Lind'], random)}`;
      return { input: { subject }, decision: teamOf.get(text) ?? '' };
    };
    return {
      known: times(900, () => draw(own.slice(0, templates))),
      fresh: times(600, () => draw(own.slice(templates, templates + 600))),
    };
  },
});

const department = [0.62, 0.6, 0.35, 0.33, 0.25, 0.07];
const cases: Record<string, Case> = {
  'one column of three': single(
    600,
    (random) => {
      const at = Math.floor(3 * random());
      return {
        input: { tier: ['gold', 'silver', 'bronze'][at] ?? '' },
        decision: answer([0.95, 0.6, 0.1][at] ?? 0, random),
      };
    },
    'few',
  ),
  'two by two': single(
    400,
    (random) => {
      const [p, q] = [pick(['x', 'y'], random), pick(['u', 'v'], random)];
      return { input: { p, q }, decision: answer((p === 'x') === (q === 'u') ? 0.95 : 0.05, random) };
    },
    'few',
  ),
  'tier by region': single(
    900,
    (random) => {
      const at = Math.floor(3 * random());
      const input = { tier: 'abc'[at] ?? '', region: pick(['north', 'south'], random) };
      return { input, decision: answer([0.9, 0.2, 0.5][at] ?? 0, random) };
    },
    'few',
  ),
  'twelve kinds': single(
    2_500,
    (random) => {
      const [at, sex] = [Math.floor(6 * random()), pick(['f', 'm'], random)];
      return {
        input: { dept: 'ABCDEF'[at] ?? '', sex },
        decision: answer((department[at] ?? 0) + (sex === 'f' ? 0.05 : 0), random),
      };
    },
    'few',
  ),
  'three answers of 1 to 5': single(
    1_500,
    (random) => {
      const marks = times(3, () => 1 + Math.floor(5 * random()));
      const input = Object.fromEntries(marks.map((mark, at) => [`q${at + 1}`, mark]));
      return { input, decision: answer(sigmoid(marks.reduce((sum, mark) => sum + mark, -9) / 1.5), random) };
    },
    'few',
  ),
  'each twice': ofFolder('german_credit', 'copies', 500, (row) => [row, row]),
  'half copied': ofFolder('german_credit', 'copies', 600, (row, random) => (random() < 0.5 ? [row, row] : [row])),
  'credit, four rows each, two words differ': ofFolder('german_credit', 'units', 500, withWords(4)),
  'charges, four rows each': ofCustomers(300, 4, (random) => ({
    plan: plan(random),
    monthly: Math.round(20 + 9_000 * random()) / 100,
    total: Math.round(4e5 * random()) / 100,
  })),
  'charges, 19 rows each': ofCustomers(100, 19, (random) => ({
    plan: plan(random),
    monthly: Math.round(20 + 9_000 * random()) / 100,
    total: Math.round(4e5 * random()) / 100,
  })),
  'an id, five rows each': ofCustomers(300, 5, (random, at) => ({ customer_id: `c${at}`, plan: plan(random) })),
  'zip, birth and device': ofCustomers(300, 5, (random) => ({
    plan: plan(random),
    zip: 10_000 + Math.floor(120 * random()),
    birth_year: 1940 + Math.floor(65 * random()),
    device: pick(
      times(9, (at) => `device ${at}`),
      random,
    ),
  })),
  date: drifting((seconds) => ({ booked: new Date(seconds * 1_000).toISOString().slice(0, 10) })),
  'epoch seconds': drifting((seconds) => ({ ts: seconds })),
  'year, month, day': drifting((seconds) => {
    const date = new Date(seconds * 1_000);
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  }),
  '60 templates': ofTemplates(60),
  credit: ofFolder('german_credit', 'clean', 700, asIs),
  cars: ofFolder('car_evaluation', 'clean', 1_000, asIs),
  complaints: ofFolder('complaint_routing', 'clean', 1_000, asIs),
  sms: ofFolder('sms_spam', 'clean', 1_500, asIs),
  'stable epoch': single(
    1_200,
    (random) => {
      const amount = Math.round(1_000 * random());
      const input = { ts: 1_600_000_000 + Math.floor(400 * day * random()), word: pick(words, random), amount };
      return { input, decision: answer(sigmoid((amount - 500) / 200), random) };
    },
    'clean',
  ),
};

const ports = await openTrainPorts();

/** Trains on the known rows; gives what is said, and what is right on the fresh ones. */
async function run({ known, fresh }: Table, seed: number) {
  const examples = known.map(({ input, decision }, at) => ({
    ...{ id: `01940000-0000-7000-${String(at).padStart(12, '0')}`, input, decision },
    ...{ reasonCodes: [], source: 'user' as const },
  }));
  const options = [...new Set(known.map(({ decision }) => decision))].sort();
  const settings = { ...config, tune_hyperparams: false, rare_options: 'measure' as const, text_model: 'words' };
  const request = createRequest(examples, createDefinition(options), { config: settings, seed, identifying: [] });
  const startedAt = process.cpuUsage().user;
  const { bundle, metrics } = await train(request, ports);
  const seconds = (process.cpuUsage().user - startedAt) / 1e6;
  const decider = compileDecider(unpackBundle(bundle, sha256), ports);
  const counts = { right: 0, alone: 0, wrongAlone: 0 };
  for (const { input, decision } of fresh) {
    const decided = await decider.decide(input);
    if (!decided.ok) continue;
    const isRight = decided.decision.decision === decision;
    counts.right += Number(isRight);
    if (decided.decision.escalate) continue;
    counts.alone += 1;
    counts.wrongAlone += Number(!isRight);
  }
  return { metrics, seconds, counts, fresh: fresh.length };
}

const percent = (share: number | null | undefined) => (share == null ? '–' : (100 * share).toFixed(1));
print('| case | draw | said (95%) | held out by | true | holds | wrong alone: said (95%) | true | s |');
print('|---|---|---|---|---|---|---|---|---|');
for (const [name, each] of Object.entries(cases)) {
  if (flags.only.length > 0 && !flags.only.some((part) => name.includes(part) || each.kind === part)) continue;
  if (!existsSync(folder)) throw new Error('Name the folder of the data sets.');
  for (let draw = Number(flags.first); draw < Number(flags.first) + Number(flags.draws); draw++) {
    const { metrics, seconds, counts, fresh } = await run(each.make(createRandom(draw)), draw);
    const { accuracy, error_automatic: error } = metrics.whole ?? {};
    const truth = counts.right / fresh;
    const isHeld = accuracy !== undefined && truth >= accuracy.low && truth <= accuracy.high;
    const way = metrics.split?.field ? `${metrics.split.rule} ${metrics.split.field}` : (metrics.split?.rule ?? '');
    print(
      `| ${name} | ${draw} | ${percent(accuracy?.share)} (${percent(accuracy?.low)}–${percent(accuracy?.high)}) | ${way} | ${percent(truth)} | ${isHeld ? 'yes' : 'no'} | ${percent(error?.share)} (${percent(error?.low)}–${percent(error?.high)}) | ${percent(counts.wrongAlone / Math.max(1, counts.alone))} of ${counts.alone} | ${seconds.toFixed(1)} |`,
    );
  }
}
