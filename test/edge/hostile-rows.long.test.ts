/** Odd rows have one answer, or one refusal, with its confidence and reasons: at every door, by JSON and of files. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { openAddress } from '../e2e/tools/browser-page.ts';
import { decideFile, decideInChromium } from '../e2e/tools/program-page.ts';
import { requireEdgePython } from '../edge-python.ts';
import { makeWorkbook } from '../fixtures/make-workbook.ts';
import { runCommand } from '../server/wire/command-process.ts';
import {
  deployForAll,
  forAll,
  loanExamples,
  loanType,
  makeDataDir,
  removeDataDir,
  startWorkbench,
} from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';
import { Service } from './served.ts';

const edge = buildForAll();
const { sample } = fc;
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
type Decided = Record<string, any>;

const anyOf = <T>(...values: T[]) => fc.constantFrom(...values);
const anyNumber = anyOf<unknown>(
  ...[700, 55_000, 0, -0, 1e308, 5e-324, '2^53+1', '700', ' 700 ', '7e2', '1,000.5', '٧', 'NaN', '=1+1', '', '#N/A'],
  ...[null, true, [700], { a: 1 }, '9007199254740993'],
);
const anyText = anyOf<unknown>(
  ...[
    'car',
    'home',
    'Car',
    'car ',
    'ｃａｒ',
    'ca\u200br',
    '\u202ecar',
    '',
    'null',
    '<script>',
    '🙂'.repeat(99),
    'e\u0301',
    '-',
    "'=a",
  ],
  ...['a\u0000b', '\ud800', null, 7, true, ['car'], { car: 1 }],
);
const anyFlag = anyOf<unknown>(true, false, 'true', 'yes', 'ja', '1', 1, 0, '', null, 'n/a', [true]);
const anyExtra = anyOf(
  '',
  '__proto__',
  'constructor',
  'toString',
  'AMOUNT',
  'amount ',
  'a\u0000b',
  'applicant.score',
  'note',
);
const usual = loanExamples(40).map((example) => (example as { input: object }).input);
/** Rows as JSON, which has more keys and digits than an object: usual ones, of which most have something odd. */
const anyRow = fc
  .record({
    row: fc.constantFrom(...usual),
    odd: fc.record({
      applicant: fc.oneof(fc.record({ score: anyNumber, email: anyText }, { requiredKeys: [] }), anyText),
      amount: fc.oneof(anyNumber, fc.integer({ min: 0, max: 60_000 })),
      purpose: anyText,
      employed: anyFlag,
    }),
    fields: fc.subarray(['applicant', 'amount', 'purpose', 'employed'], { maxLength: 2 }),
    extra: fc.option(fc.tuple(anyExtra, fc.oneof(anyText, anyNumber)), { freq: 3 }),
  })
  .map(({ row, odd, fields, extra }) => {
    const [key, value] = (extra ?? ['employed', true]).map((part) => JSON.stringify(part));
    const changed = Object.entries(odd).filter(([name]) => fields.includes(name));
    const text = JSON.stringify({ ...row, ...Object.fromEntries(changed) });
    return (extra === null ? text : `${text.slice(0, -1)},${key}:${value}}`).replaceAll('"2^53+1"', '9007199254740993');
  });

const loan = deployForAll({ ...loanType, fallback_option: 'decline' }, loanExamples(40));
const rulesOfRows = [
  { name: 'too much', condition: 'ctx.amount > 50000', then: 'decline', reason_code: 'TOO_MUCH', priority: 1 },
  { name: 'a car', condition: 'ctx.purpose.startsWith("ca") && ctx.amount < 9', then: 'approve', priority: 2 },
];

/** A decision, or that there is none, without the words of its door. */
const toSame = (answer: Decided): unknown => {
  if (answer['decision'] === undefined) return 'refused';
  const { decision, confidence, classifier_choice, classifier_probability, stage, escalate, unfamiliar } = answer;
  const { reason_codes, rules_triggered, rule_errors, fallback_used, class_probabilities, unread } = answer;
  const numbers = { confidence, classifier_probability, ...class_probabilities };
  const rounded = Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, value === null ? null : Number(value).toFixed(5)]),
  );
  const reasons = { reason_codes, rules_triggered, rule_errors, unread };
  return { decision, classifier_choice, stage, escalate, unfamiliar, fallback_used, ...rounded, ...reasons };
};

const bench = forAll(
  async () => {
    const opened = await startWorkbench(loan.dataDir, { edgeDir: edge.folder });
    const changed = await opened.call('PUT', loan.url.replace('/api/v1', ''), { hard_rules: rulesOfRows });
    if (changed.status !== 200) throw new Error(changed.text);
    const headers = { host: '127.0.0.1', authorization: `Bearer ${opened.token}` };
    const folder = makeDataDir();
    const load = async (path: string, name: string) => {
      const file = join(folder, name);
      writeFileSync(file, (await opened.app.inject({ url: `${loan.url}/${path}`, headers })).rawPayload);
      return file;
    };
    const files = { bundle: await load('export', 'loan.zip'), page: await load('export/page', 'loan.html') };
    return { ...opened, ...files, folder };
  },
  async ({ stop, folder }) => {
    await stop();
    removeDataDir(folder);
  },
);

it('decides 600 hostile rows, or refuses them, alike at every door, with confidence and reasons [EDG-9] [SRV-1]', async () => {
  const service = await Service.startForStory(bench.bundle);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const rows = sample(anyRow, { seed, numRuns: 600 });
  const expected: unknown[] = [];
  const served: Decided[] = [];
  for (const row of rows) {
    const body = `{"decision_type":"loan","input":${row}}`;
    expected.push(toSame((await bench.call('POST', '/decide?dry_run=true', body)).body));
    served.push((await service.ask('POST', '/decide', body)).body);
  }
  const inputs = rows.map((row) => JSON.parse(row));
  const predictor = await edge.node.loadBundle(bench.bundle);
  const doors: Record<string, readonly Decided[]> = {
    served,
    node: await predictor.decideEach(inputs),
    browser: (await decideInChromium(edge.folder, readFileSync(bench.bundle), inputs)).made,
    python: await decideInPython(bench.bundle, rows),
  };
  for (const [door, answers] of Object.entries(doors))
    for (const [at, answer] of answers.entries())
      expect(toSame(answer), JSON.stringify({ seed, door, row: rows[at] })).toEqual(expected[at]);
  const stages = Map.groupBy(expected, (one) => (one as { stage?: string }).stage ?? 'refused');
  expect([...stages.keys()].sort()).toEqual(['classifier', 'fallback', 'refused', 'rules']);
});

it.each(['rows.csv', 'rows.xlsx'])(
  'decides 600 hostile rows of %s alike in a saved page and by the command [EDG-13] [CMD-7]',
  async (name) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    // A file with U+0000 is refused as a whole.
    const rows = sample(anyRow, { seed, numRuns: 900 }).filter((row) => !row.includes('\\u0000'));
    const cells = [tableFields, ...rows.slice(0, 600).map(toCells)];
    const bytes = name.endsWith('.csv') ? toCsv(cells) : Buffer.from(makeWorkbook({ Loans: cells }));
    const file = join(bench.folder, name);
    writeFileSync(file, bytes);
    const command = ['decide', file, '--type', 'loan', '--dry-run', '--data-dir', loan.dataDir];
    const { lines, told } = await runCommand(command);
    expect(lines.length, told).toBe(600);
    const { page, faults, close } = await openAddress(pathToFileURL(bench.page).href);
    onTestFinished(close);
    await page.getByText('decided as in the workbench').waitFor();
    const { sheet, read } = await decideFile(page, name, bytes);
    const decided = sheet.rows.map((row) => pageColumns.map((column) => String(read(row, column) ?? '')));
    for (const [at, line] of lines.entries())
      expect(decided[at], JSON.stringify({ seed, row: cells[at + 1] })).toEqual(toColumns(line));
    expect(faults).toEqual([]);
  },
);

const pageColumns = [
  'decision',
  'confidence',
  'classifier_choice',
  'classifier_probability',
  'stage',
  'reasons',
  'review',
];

/** The columns that a saved page adds to a file, from an answer of the command. */
function toColumns(answer: Decided): string[] {
  if (answer['decision'] === undefined) return ['', '', '', '', 'refused', '', 'yes'];
  const { decision, confidence, classifier_choice, classifier_probability, stage, escalate } = answer;
  const failed = answer['rule_errors'].filter(({ error }: { error: string }) => error !== 'missing_field');
  const reasons = [
    ...answer['reason_codes'],
    ...answer['rules_triggered'].map((rule: string) => `rule ${rule}`),
    ...failed.map(({ name, error }: Record<string, string>) => `rule ${name} failed: ${error?.replaceAll('_', ' ')}`),
    ...answer['unread'],
  ].join('; ');
  const cells = [
    decision,
    confidence,
    classifier_choice,
    classifier_probability,
    stage,
    reasons,
    escalate ? 'yes' : '',
  ];
  return cells.map((cell) => String(cell ?? ''));
}

const tableFields = ['applicant.score', 'applicant.email', 'amount', 'purpose', 'employed'];

/** A row as cells of a table, which has no place for half a character. */
function toCells(row: string): (string | number | boolean)[] {
  const { applicant, amount, purpose, employed } = JSON.parse(row);
  return [applicant?.score, applicant?.email, amount, purpose, employed].map((cell) => {
    if (typeof cell === 'string') return cell.toWellFormed();
    return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : (cell ?? '');
  });
}

const toCsv = (rows: readonly (readonly unknown[])[]) =>
  Buffer.from(rows.map((cells) => cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')).join('\n'));

async function decideInPython(file: string, rows: readonly string[]): Promise<Decided[]> {
  const { stdout, stderr } = spawnSync(await requireEdgePython(), ['-m', 'decision_edge', 'predict', file], {
    input: rows.map((row) => `${row}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length, stderr).toBe(rows.length);
  return lines.map((line) => JSON.parse(line));
}
