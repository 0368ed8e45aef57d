/** Random example files, sent to a real server: each is imported, previewed or refused, quickly, and nobody waits for it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { openSheet, refuseLines } from '../../../src/engine/import/planning/import-file.ts';
import { planColumns, planExamples } from '../../../src/engine/import/planning/plan-file.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { type Sheet, UnreadableFile } from '../../../src/engine/import/sheet.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import { decodeText } from '../../../src/engine/import/tables/decode-text.ts';
import { chooseByMapping, findRowProblem } from '../../../src/server/preparation/imports/import-mapping.ts';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs, measureProcessorMs, runBeside, send } from '../tools/beside-calls.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { type MutatedFile, mutatedFiles } from '../tools/mutated-files.ts';
import { startServerProcess } from '../tools/server-process.ts';

const numRuns = Number(process.env['FUZZ_CASES'] ?? 30);
/** Processor time, because the machine may have more to do. */
const maxCallProcessorMs = inLongRun(2_000);
/** Nobody else waits longer for what the program computes. */
const maxSmallCallMs = inLongRun(100);
const maxResidentMb = inLongRun(1_000);

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

const cell = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      '',
      '1',
      '-2.5e3',
      '1e999',
      'true',
      'approve',
      'a;b',
      '{"a":1}',
      '"a,b"',
      '"a\nb"',
      '=1+1',
    ),
  },
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('"', '"open', 'a"b', '\u0000', '\ufeff', 'x'.repeat(5_000)) },
);
const header = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('a', 'b', 'c', 'd.e', 'decision', 'label', 'input', 'constructor', '名') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', '', '../..', 'a.b', 'reason_codes') },
  { weight: 2, arbitrary: fc.string({ maxLength: 10 }) },
);
const times = fc.constantFrom(1, 1, 2, 50, 2_000);

/** A table: usually as wide everywhere, some rows repeated. */
const table = (delimiter: string) =>
  fc.tuple(fc.uniqueArray(header, { minLength: 1, maxLength: 8 }), times).chain(([names, wider]) => {
    const width = Math.max(1, Math.floor(wider / 10)) * names.length;
    const columns = Array.from(
      { length: width },
      (_, index) => `${names[index % names.length]}${index < names.length ? '' : index}`,
    );
    const row = fc.array(cell, { minLength: names.length, maxLength: names.length });
    const line = fc.tuple(row, times).map(([cells, count]) => {
      const whole = Array.from({ length: width }, (_, index) => cells[index % cells.length] ?? '').join(delimiter);
      return `${whole}\n`.repeat(Math.max(1, Math.floor(count / wider)));
    });
    return fc.array(line, { maxLength: 6 }).map((lines) => `${columns.join(delimiter)}\n${lines.join('')}`);
  });

const record = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ a: fc.jsonValue({ maxDepth: 3 }), decision: fc.constantFrom('approve', 'reject', null, 7) })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"a":1,"a":2}',
      '{"__proto__":1}',
      '{"a":1e999}',
      '{"a":"\\ud800"}',
      '{',
      '[[',
      'nul',
      '{}',
    ),
  },
  { weight: 1, arbitrary: fc.nat(60).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) },
);
const repeated = fc
  .array(fc.tuple(record, times), { maxLength: 6 })
  .map((parts) => parts.flatMap(([text, count]) => Array<string>(count).fill(text)));

const file = fc.oneof(
  fc.record({ format: fc.constant('csv'), content: table(',') }),
  fc.record({ format: fc.constant('tsv'), content: table('\t') }),
  fc.record({ format: fc.constant('json'), content: repeated.map((records) => `[${records.join(',')}]`) }),
  fc.record({ format: fc.constant('jsonl'), content: repeated.map((records) => records.join('\n')) }),
  fc.record({
    format: fc.constantFrom('csv', 'tsv', 'json', 'jsonl'),
    content: fc.string({ unit: 'binary', maxLength: 2_000 }),
  }),
);
/** Usually guessed from the names of the columns. */
const mapping: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      decision: fc.option(header),
      reason_codes: fc.option(header),
      input: fc.option(fc.array(header, { maxLength: 3 })),
    }),
  },
);

describe('random example files', () => {
  it(`are read or refused, quickly, and nobody waits for them (${numRuns} cases) [EXA-13] [LRG-1]`, async () => {
    const caller = { port: server.port, key: folder.key };
    const pid = server.child.pid ?? 0;
    const statuses = new Map<number, number>();
    // The first files that a program reads are compiled while they are read.
    for (const rows of fc.sample(file, { numRuns: 20, seed: 1 })) {
      await send(caller, 'POST', `${folder.url}/examples/import`, Buffer.from(JSON.stringify(rows)));
    }
    const check = fc.assert(
      fc.asyncProperty(file, mapping, fc.nat(9), async (content, chosen, commits) => {
        const body = Buffer.from(JSON.stringify({ ...content, mapping: chosen, commit: commits === 0 }));
        const before = measureProcessorMs(pid);
        const { status, text } = await send(caller, 'POST', `${folder.url}/examples/import`, body);
        expect([200, 400, 422], text.slice(0, 200)).toContain(status);
        expect(measureProcessorMs(pid) - before).toBeLessThan(maxCallProcessorMs);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
      { numRuns, seed: 20_240_131, endOnFailure: true },
    );
    const health = () => send(caller, 'GET', '/health');
    const { smallCallMs, maxResidentMb: residentMb } = await runBeside(check, health, pid, () =>
      measureMainThreadMs(pid),
    );
    const healthMs = [0.5, 0.99, 1].map((part) => smallCallMs[Math.ceil(part * smallCallMs.length) - 1]);
    process.stdout.write(`${JSON.stringify({ statuses: Object.fromEntries(statuses), healthMs, residentMb })}\n`);
    expect(healthMs[2]).toBeLessThan(maxSmallCallMs);
    expect(residentMb).toBeLessThan(maxResidentMb);
    expect(Math.min(statuses.get(200) ?? 0, statuses.get(422) ?? 0)).toBeGreaterThan(numRuns / 10);
  }, 7_200_000);
});

/** Words of programs, which say nothing to somebody with a file; what a message quotes of the file is no such word. */
const wordsOfCode =
  /undefined|TypeError|RangeError|BigInt|\[object|is not (?:a function|iterable)|Cannot (?:read|set|convert|mix)|Invalid (?:time|array)|Unexpected (?:token|end of)|hyparquet|parquet \w+ |zip data|node_modules|\.ts\b/;
const checkMessage = (message: string) => expect(message.replace(/“[^”]*”|"[^"]*"/g, '')).not.toMatch(wordsOfCode);

/** All lines of a file in a sheet: its rows, the refused and skipped ones, and the one that names the columns. */
function countLines({ rows, refused, skipped, header }: Sheet): number {
  const skippedLines = skipped.reduce((sum, { count }) => sum + count, 0);
  return rows.length + refused.length + skippedLines + (header !== null && header.line > 0 ? 1 : 0);
}

/** How many lines or elements a text has that quotes nothing; null where that is harder to say. */
async function countOf({ name, bytes }: MutatedFile, sheet: Sheet): Promise<number | null> {
  const { text } = await decodeText(bytes);
  const clean = text.replace(/^\ufeff/, '').trim();
  if (sheet.workbook !== null || sheet.detected.includes('Parquet')) return null;
  if (sheet.header !== null) {
    const lines = text.split(/\r\n|\n|\r/);
    // Two lines that are joined to one of names are both the header.
    const isJoined = sheet.columns.some((column) => column.includes(' – '));
    return isJoined || /["=]/.test(text) ? null : lines.length - (lines.at(-1) === '' ? 1 : 0);
  }
  if (!/\.jsonl$/.test(name) || !/^\{.*\}$/m.test(clean) || /\}\s*\n\s+\{/.test(clean)) return null;
  return text.split(/\r?\n/).filter((line) => line.trim() !== '').length;
}

/** Reads a file as an import and as the page do; whatever is wrong with it is a sentence. */
async function readBoth(file: MutatedFile): Promise<'read' | 'refused'> {
  try {
    const sheet = await readFile(file, {}, { maxBytes: 1e8 });
    const count = await countOf(file, sheet);
    if (count !== null) expect(countLines(sheet)).toBe(count);
    for (const { message } of sheet.refused) checkMessage(message);
    for (const note of sheet.notes) checkMessage(note);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    checkMessage(error.message);
  }
  try {
    const sheet = await openSheet(file, {});
    refuseLines(sheet);
    const surveyed = { sheet, surveys: surveyColumns(sheet, 2026) };
    const choices = chooseByMapping(surveyed, []);
    const planned = planColumns(surveyed, [], choices);
    const { read } = planExamples(sheet, null, choices, planned, (example) => JSON.stringify(example));
    return sheet.rows.some((row) => findRowProblem(row, read.columns) !== null) ? 'refused' : 'read';
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    expect(error.code).toBe('validation_error');
    checkMessage(JSON.stringify(error.details).replaceAll('\\"', '”'));
    return 'refused';
  }
}

const mutatedRuns = Number(process.env['FUZZ_CASES'] ?? 300);
/** Each case is read by a process of the server twice. */
const servedRuns = Number(process.env['FUZZ_CASES'] ?? 60);

describe('damaged files of every format', () => {
  it(`are read or refused in words, and no line is lost (${mutatedRuns} cases) [EXA-13] [FIL-20]`, async () => {
    const outcomes = { read: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(mutatedFiles, async (file) => {
        outcomes[await readBoth(file)] += 1;
      }),
      { numRuns: mutatedRuns, seed: 20_261_126, endOnFailure: true },
    );
    process.stdout.write(`${JSON.stringify(outcomes)}\n`);
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(mutatedRuns / 10);
  }, 7_200_000);

  it(`answer over REST in words, twice alike, with every line of the file (${servedRuns} cases) [EXA-13] [FIL-20]`, async () => {
    const outcomes = { read: 0, refused: 0 };
    const post = async ({ name, bytes }: MutatedFile, commit: boolean) => {
      const form = new FormData();
      form.set('file', new File([new Uint8Array(bytes)], name));
      form.set('commit', String(commit));
      const url = `http://127.0.0.1:${server.port}${folder.url}/examples/import`;
      const headers = { authorization: `Bearer ${folder.key}` };
      const answer = await fetch(url, { method: 'POST', headers, body: form });
      return { status: answer.status, text: await answer.text() };
    };
    await fc.assert(
      fc.asyncProperty(mutatedFiles, async (file) => {
        const { status, text } = await post(file, false);
        expect([200, 422], text).toContain(status);
        const again = await post(file, true);
        if (status === 422) {
          const { error } = JSON.parse(text);
          expect(JSON.parse(again.text).error.details).toEqual(error.details);
          checkMessage(JSON.stringify([error.message, error.details]).replaceAll('\\"', '”'));
          outcomes.refused += 1;
          return;
        }
        const { file: read, examples, ...seen } = JSON.parse(text);
        const { header, report } = read;
        for (const sentence of report.account) checkMessage(sentence);
        const sheet = await readFile(file, {}, { maxBytes: 1e8 });
        expect(countLines({ ...sheet, skipped: report.skipped })).toBe(countLines(sheet));
        expect([examples + seen.repeated.count, header?.line ?? null, report.notes]).toEqual([
          sheet.rows.length,
          sheet.header?.line ?? null,
          sheet.notes,
        ]);
        // What only a person can answer is asked for by the import alone.
        expect([200, 422], again.text).toContain(again.status);
        if (again.status === 200) expect(JSON.parse(again.text)).toEqual({ ...JSON.parse(text), committed: true });
        expect(seen.committed).toBe(false);
        outcomes.read += 1;
      }),
      { numRuns: servedRuns, seed: 20_261_127, endOnFailure: true },
    );
    process.stdout.write(`${JSON.stringify(outcomes)}\n`);
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(servedRuns / 10);
  }, 7_200_000);
});
