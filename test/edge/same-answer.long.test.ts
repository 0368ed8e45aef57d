/** One question has one answer, or one refusal: at the workbench, at a served bundle, in Node and in a browser. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { measureChoice, measureScore } from '../../src/door/formats/question-answers.ts';
import type { EdgeDecision } from '../../src/edge/api.ts';
import { type BundleParts, packBundle } from '../../src/engine/bundle/bundle.ts';
import { exportClassifier } from '../../src/engine/onnx/classifier.ts';
import { openAddress } from '../e2e/tools/browser-page.ts';
import { decideFile, decideInChromium } from '../e2e/tools/program-page.ts';
import { requireEdgePython } from '../edge-python.ts';
import { amountModel, bundleParts, sha256 } from '../engine/bundle-fixture.ts';
import { makeWorkbook } from '../fixtures/make-workbook.ts';
import { runCommand } from '../server/wire/command-process.ts';
import {
  type Call,
  deployForAll,
  forAll,
  loanExamples,
  loanType,
  makeDataDir,
  openForTest,
  removeDataDir,
  sendForm,
  startWorkbench,
  temporaryFolder,
} from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';
import { Service } from './served.ts';

const edge = buildForAll();

const pair = ['approve', 'decline'];
const grades = ['low', 'middle', 'high'];
const rules = [
  { condition: 'ctx.amount > 3', then: 'approve' },
  { condition: 'size(ctx.note) > 5', then: 'decline' },
];
const claims = { type: 'object', properties: { amount: { type: 'number', minimum: -2 } }, required: ['amount'] };
const gradeModel = {
  ...amountModel,
  dense: Float32Array.of(-1, 0, 1, 0, 0, 0),
  bias: Float32Array.of(0, 0.3, 0),
  K: 3,
};
/** Types that share their options or do not, with rules that fail, a schema, a fallback, and levels. */
const kinds: { [name: string]: BundleParts } = {
  loan: bundleParts({ fallbackOption: 'decline' }),
  claims: bundleParts({ inputSchema: claims, rules }),
  grade: (({ manifest, ...parts }) => ({
    ...parts,
    manifest: { ...manifest, options: grades, reason_codes: [] },
    reasons: { by_option: {}, heads: [] },
    classifier: exportClassifier(gradeModel),
  }))(bundleParts({ thresholds: { auto_decide: 0.7, escalation: 0.5 } })),
};
const names = Object.keys(kinds);

const anyWording = fc
  .tuple(
    fc.constantFrom('Should this be approved', 'Should this be DECLINED', 'Müssen wir  zahlen'),
    fc.constantFrom('', '?', ' ?', '…', '!!'),
    fc.constantFrom('as it is', 'small', 'wide'),
  )
  .map(([words, sign, form]) => {
    const wide = ` ${words.replaceAll(' ', '\n ')} `;
    return (form === 'small' ? words.toLowerCase() : form === 'wide' ? wide : words) + sign;
  });
const anyMarks = (options: readonly string[]) =>
  fc.record({
    yes: fc.array(fc.record({ instructions: anyWording, option: fc.constantFrom(...options) }), {
      minLength: 2,
      maxLength: 5,
    }),
    isOrdered: fc.boolean(),
  });
const anyTypes = fc
  .subarray(names, { minLength: 2 })
  .chain((some) =>
    fc.tuple(
      ...some.map((name) => fc.record({ name: fc.constant(name), marks: anyMarks(kinds[name]!.manifest.options) })),
    ),
  );
const anyState = fc.record(
  {
    amount: fc.oneof(fc.double({ min: -4, max: 4, noNaN: true }), fc.constant('7')),
    note: fc.string(),
    other: fc.nat(),
  },
  { requiredKeys: [] },
);
/** Questions that types of these names may be asked: most of them by a name and with the options that there are. */
const anyQuestion = (some: readonly string[]) =>
  fc.record({
    kind: fc.constantFrom('predicate' as const, 'choice' as const, 'score' as const),
    instructions: anyWording,
    options: fc.constantFrom(pair, pair, grades, grades, pair.toReversed(), grades.toReversed(), [...pair, 'neither']),
    name: fc.constantFrom('q', ...names),
    model: fc.constantFrom('workbench', ...some, ...some, ...some.map((name) => `${name}@prod`), ...names, 'nobody'),
    state: fc.oneof({ weight: 4, arbitrary: anyState.map((state) => ({ amount: 1, ...state })) }, anyState),
  });
type Question = ReturnType<typeof anyQuestion> extends fc.Arbitrary<infer Q> ? Q : never;
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
type Answer = { status: number; body: Record<string, any> };

/** A question in both formats. */
function write({ kind, instructions, options, name, model, state }: Question) {
  const criteria = kind === 'choice' ? Object.fromEntries(options.map((option) => [option, null])) : options;
  const first = kind === 'predicate' ? { type: 'noul', instructions } : { type: kind, instructions, criteria };
  const part =
    kind === 'choice'
      ? { choices: options.map((value) => ({ value })) }
      : { levels: options.map((label) => ({ label })) };
  const second = { type: kind, name, instructions, ...(kind === 'predicate' ? {} : part) };
  return [
    ['/v1/systemone', { model, state, questions: { [name]: first } }],
    ['/v1/decisions', { model, input: JSON.stringify(state), questions: [second] }],
  ] as const;
}

/** An answer or refusal without the words of its door: the number or digest of a release, and where marks are made. */
const toCompared = ({ status, body }: Answer): object =>
  JSON.parse(
    JSON.stringify([status, body], (key, value) =>
      ['x_release', 'x_digest', 'message'].includes(key) ? undefined : value,
    )
      .replaceAll(/"model":"(\w+)@\w+"/g, '"model":"$1"')
      .replaceAll(/(?:Deployed|Served)(?=:)|Say so under Deploy[^.]*\.|Say so with[^.]*\./g, ''),
  );

/** An answer with the decision beside it, as it follows from a decision of the package. */
function toAnswer(decided: EdgeDecision, { kind, options }: Question, { noul }: Answer['body']): object {
  const { classifier_choice, classifier_probability, stage, escalate, unfamiliar } = decided;
  const of = { x_decision: decided.decision, x_confidence: decided.confidence, x_reason_codes: decided.reason_codes };
  const x = { x_classifier_choice: classifier_choice, x_classifier_probability: classifier_probability };
  const outcome = { ...of, ...x, x_stage: stage, x_escalate: escalate, x_unfamiliar: unfamiliar };
  if (kind === 'predicate')
    return { ...outcome, noul: Object.values(decided.class_probabilities).find((p) => p === noul) };
  if (kind === 'score') return { ...outcome, score: measureScore(decided, options).score };
  const { best, confidence } = measureChoice(decided, options);
  return { ...outcome, choice: options[best], probabilities: decided.class_probabilities, confidence };
}

async function importType(call: Call, name: string): Promise<string> {
  const file = new File([Uint8Array.from(packBundle(kinds[name]!, sha256))], 'b.zip');
  const made = await sendForm(call, '/api/v1/decision-types/import', file, { name });
  expect(made.status, made.text).toBe(201);
  return `/api/v1/decision-types/${made.body.decision_type.id}`;
}

const { sample } = fc;

it('answers 1,000 questions, or refuses them, alike at four doors [MDL-4] [MDL-8] [EDG-9]', async () => {
  const { call, app, token } = await openForTest({});
  const headers = { host: '127.0.0.1', authorization: `Bearer ${token}`, 'x-request-id': 'asked' };
  const seed = Math.floor(Math.random() * 2 ** 31);
  const answered = { predicate: 0, choice: 0, score: 0 };
  for (const [round, types] of sample(anyTypes, { seed, numRuns: 4 }).entries()) {
    const folder = temporaryFolder();
    const files = new Map<string, Buffer>();
    const urls: string[] = [];
    for (const { name, marks } of types) {
      const url = await importType(call, name);
      urls.push(url);
      const { options } = kinds[name]!.manifest;
      for (const { instructions, option } of marks.yes)
        await call('POST', `${url}/questions`, { kind: 'predicate', instructions, options: [option] });
      if (marks.isOrdered) await call('POST', `${url}/questions`, { kind: 'score', options });
      await call('PUT', `${url}/aliases/prod`, { release: 1 });
      const bundle = (await app.inject({ url: `${url}/export`, headers })).rawPayload;
      files.set(name, bundle);
      writeFileSync(join(folder, `${name}.zip`), bundle);
    }
    const service = await Service.startForStory(...[...files.keys()].map((name) => join(folder, `${name}.zip`)));
    const decided: { question: Question; answer: Answer['body'] }[] = [];
    for (const question of sample(anyQuestion(types.map(({ name }) => name)), { seed: seed + round, numRuns: 250 })) {
      for (const [url, payload] of write(question)) {
        const { statusCode: status, body } = await app.inject({ method: 'POST', url, headers, payload });
        const here: Answer = { status, body: JSON.parse(body) };
        const there = await service.ask('POST', url, payload, { 'x-request-id': 'asked' });
        expect(toCompared(there), JSON.stringify({ seed, types, question })).toEqual(toCompared(here));
        if (status !== 200 || url !== '/v1/systemone') continue;
        answered[question.kind] += 1;
        decided.push({ question, answer: here.body['answers'][question.name] });
      }
    }
    for (const [name, some] of Map.groupBy(decided, ({ answer }) => answer['x_decision_type'] as string)) {
      const bundle = files.get(name)!;
      const states = some.map(({ question }) => question.state);
      const inNode = await (await edge.node.loadBundle(bundle)).decideMany(states);
      const { made: inBrowser } = await decideInChromium(edge.folder, bundle, states);
      for (const decisions of [inNode, inBrowser])
        for (const [at, { question, answer }] of some.entries())
          expect(answer, JSON.stringify({ seed, types, question })).toMatchObject(
            toAnswer(decisions[at]!, question, answer),
          );
    }
    await service.stop();
    for (const url of urls) await call('DELETE', url);
  }
  expect(Math.min(...Object.values(answered)), JSON.stringify({ seed, answered })).toBeGreaterThan(10);
});

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
const toSame = (answer: Answer['body']): unknown => {
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
  const served: Answer['body'][] = [];
  for (const row of rows) {
    const body = `{"decision_type":"loan","input":${row}}`;
    expected.push(toSame((await bench.call('POST', '/decide?dry_run=true', body)).body));
    served.push((await service.ask('POST', '/decide', body)).body);
  }
  const inputs = rows.map((row) => JSON.parse(row));
  const predictor = await edge.node.loadBundle(bench.bundle);
  const doors: Record<string, readonly Answer['body'][]> = {
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
function toColumns(answer: Answer['body']): string[] {
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

async function decideInPython(file: string, rows: readonly string[]): Promise<Answer['body'][]> {
  const { stdout, stderr } = spawnSync(await requireEdgePython(), ['-m', 'decision_edge', 'predict', file], {
    input: rows.map((row) => `${row}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length, stderr).toBe(rows.length);
  return lines.map((line) => JSON.parse(line));
}
