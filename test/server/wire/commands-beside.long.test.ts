/** The commands beside a running workbench, and what they refuse. */
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBundlePlace } from '../../../src/server/command-line/export.ts';
import { deployForAll, deployRules, loanExamples, loanType, startWorkbench, temporaryFolder } from '../workbench.ts';
import { runCommand, serveFolder } from './command-process.ts';

const trained = deployForAll(loanType, loanExamples(40));

describe('a command on the data folder of a running workbench', () => {
  it('decides rows in their order as REST decides them, and tells a row that is refused [CMD-6] [CMD-7]', async () => {
    const dataDir = trained.copy();
    const rest = await serveFolder(dataDir);
    await rest('PUT', trained.url, { input_schema: { type: 'object', required: ['amount'] } });
    const inputs = [...(loanExamples(20) as { input: object }[]).map(({ input }) => input), { purpose: 'car' }];
    const input = inputs.map((row) => JSON.stringify(row)).join('\n');
    const { code, lines, told } = await runCommand(['decide', '--data-dir', dataDir, '--dry-run'], { input });
    const last = lines.pop();
    for (const [index, line] of lines.entries()) {
      const body = { decision_type: 'loan', input: inputs[index] };
      const answer = await rest<Record<string, unknown>>('POST', '/api/v1/decide?dry_run=true', body);
      expect({ ...line, latency_ms: 0, request_id: '' }).toEqual({ ...answer, latency_ms: 0, request_id: '' });
    }
    expect(last).toMatchObject({ line: inputs.length, error: { code: 'validation_error' } });
    expect([code, lines.length, told.trimEnd().split('\n')]).toEqual([
      2,
      40,
      [
        'Not set as personal fields: applicant.email.',
        'Column “applicant.email”: It tells who somebody is.',
        '1 of 41 rows were refused; their lines say why.',
      ],
    ]);
  });
});

describe('a row that is odd', () => {
  it('turns no other row: cells are read as fields, not as their column looks [CMD-6] [CMD-7]', async () => {
    const dataDir = path.join(temporaryFolder(), 'data');
    const bench = await startWorkbench(dataDir);
    const hard_rules = [{ name: 'small', condition: 'ctx.amount < 5000.0', then: 'approve' }];
    await deployRules(bench, { name: 'loan', options: ['decline', 'approve'], fallback_option: 'decline', hard_rules });
    await bench.stop();
    const file = path.join(temporaryFolder(), 'rows.csv');
    writeFileSync(file, 'amount,note\n100,a\nunknown,b\n102,c\n9007199254740993,d\n');
    const decide = (...given: Parameters<typeof runCommand>) =>
      runCommand(['decide', '--data-dir', dataDir, ...given[0]], given[1]);
    const failed = { decision: 'decline', rule_errors: [{ name: 'small', error: 'type_mismatch' }] };
    const approved = { decision: 'approve', rule_errors: [] };
    expect((await decide([file])).lines).toMatchObject([approved, failed, approved, failed]);
    const lines = ['{"amount":3}', '{"amount":4,"":null}', '{"amount":5,"__proto__":{}}', '{"amount":6,"extra":1}'];
    const read = await decide([], { input: lines.join('\n') });
    expect(read.lines).toMatchObject([approved, approved, { line: 3, error: { code: 'validation_error' } }, approved]);
    expect(JSON.stringify(read.lines[2])).toContain('__proto__');
  });
});

describe('a line of JSON Lines that is no input', () => {
  it('costs itself its answer and no other one, and is told in its place [CMD-11]', async () => {
    const lines = ['{"amount":5,"purpose":"car"}', '{bad', '[1]', '', '{"amount":9,"purpose":"car"}', '{"a":1,"a":2}'];
    const dataDir = trained.copy();
    const run = (input: string) => runCommand(['decide', '--data-dir', dataDir, '--dry-run'], { input });
    const decided = await run(lines.join('\r\n'));
    expect(decided).toMatchObject({ code: 2, told: '3 of 5 rows were refused; their lines say why.\n' });
    expect(decided.lines).toEqual([
      expect.objectContaining({ stage: expect.any(String) }),
      { line: 2, error: expect.objectContaining({ code: 'validation_error', message: 'The line holds no input.' }) },
      {
        line: 3,
        error: expect.objectContaining({ details: [expect.objectContaining({ msg: 'line 3: not an object' })] }),
      },
      expect.objectContaining({ stage: expect.any(String) }),
      { line: 6, error: expect.objectContaining({ code: 'validation_error' }) },
    ]);
    const whole = ['{"input":{"amount":5,"purpose":"car"}}', '{"amount":9}', '{"input":{"amount":9,"purpose":"car"}}'];
    expect((await run(whole.join('\n'))).lines).toEqual([
      expect.objectContaining({ stage: expect.any(String) }),
      {
        line: 2,
        error: expect.objectContaining({ details: [expect.objectContaining({ msg: 'line 2: "input" is missing' })] }),
      },
      expect.objectContaining({ stage: expect.any(String) }),
    ]);
    const other = await run('amount,purpose\n5,car\n');
    expect(other).toMatchObject({ code: 2, lines: [], told: expect.stringContaining('standard input.jsonl') });
  });
});

describe('the place of a bundle', () => {
  it('is refused before any work where it cannot be written or something else lies there; a bundle is replaced [CMD-12]', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    writeFileSync(at('loans.csv'), 'amount,result\n1,yes\n2,no\n');
    writeFileSync(at('mine.zip'), 'PK\x03\x04 of another program');
    symlinkSync(at('loans.csv'), at('link.zip'));
    mkdirSync(at('folder'));
    const before = readdirSync(folder).sort();
    const refusals: [string, RegExp][] = [
      [
        at('loans.csv'),
        /loans\.csv is there already and is no bundle\. Only a bundle is replaced; name another file\.$/,
      ],
      [at('link.zip'), /is there already and is no bundle/],
      [at('mine.zip'), /is there already and is no bundle/],
      [at('folder'), /folder is a folder\. Name a file in it\.$/],
      [`${at('folder')}/`, /is a folder/],
      [at('nowhere/policy.zip'), /cannot be written .* Name a file in a folder that is there and yours\.$/],
      [at(`${'x'.repeat(250)}.zip`), /cannot be written/],
      ['/dev/null', /is no bundle/],
    ];
    for (const [out, sentence] of refusals) expect(() => checkBundlePlace(out), out).toThrow(sentence);
    const flags = ['--label', 'result', '--out', at('loans.csv')];
    expect(await runCommand(['train', at('loans.csv'), ...flags], { scratch: folder })).toMatchObject({
      code: 2,
      lines: [],
      told: expect.stringMatching(/is no bundle.*another file\.\n$/),
    });
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(readFileSync(at('loans.csv'), 'utf8')).toContain('1,yes');

    const dataDir = trained.copy();
    const exportTo = (out: string) => runCommand(['export', '--data-dir', dataDir, '--out', out]);
    // A file of the user's beside it is not taken for an unfinished bundle.
    writeFileSync(at('policy.zip.part'), 'mine');
    for (let turn = 0; turn < 2; turn += 1) expect(await exportTo(at('policy.zip'))).toMatchObject({ code: 0 });
    expect(statSync(at('policy.zip')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(folder).sort()).toEqual([...before, 'policy.zip', 'policy.zip.part'].sort());
    expect(readFileSync(at('policy.zip.part'), 'utf8')).toBe('mine');
  });
});

describe('a command that is refused', () => {
  it('ends with 2, says where and what to do, and leaves nothing [CMD-5] [FIL-2]', async () => {
    const folder = temporaryFolder();
    const [file, ragged] = [path.join(folder, 'loans.csv'), path.join(folder, 'ragged.csv')];
    writeFileSync(file, 'amount,result\n1,yes\n2,no\n');
    writeFileSync(ragged, 'amount,result\n1,yes\n2,no,maybe\n');
    const dated = path.join(folder, 'dated.csv');
    writeFileSync(dated, 'am;result\n03.04.2024;yes\n05.06.2024;no\n');
    const refusals: [string[], string][] = [
      [
        ['train', file, '--label', 'outcome'],
        'there is no column "outcome"; there are amount, result (--label COLUMN)',
      ],
      [['train', ragged, '--label', 'result'], 'line 3: 3 cells instead of 2'],
      [['train', dated, '--label', 'result'], 'Choose date_day_first or date_month_first (--read-as COLUMN=KIND)'],
      [
        ['train', dated, '--label', 'result', '--read-as', 'am=day'],
        '--read-as takes COLUMN=KIND, not "am=day". Kinds: ',
      ],
      [['train', file, '--label', 'result', '--fail-under', '90'], '--fail-under must be a share from 0 to 1'],
      [['train', file, '--label', 'result', '--split', 'date'], '--split takes random, date:FIELD, group:FIELD or'],
      [['decide', '--data-dir', path.join(folder, 'none')], 'no data of the workbench'],
    ];
    const ended = await Promise.all(refusals.map(([args]) => runCommand(args, { scratch: folder })));
    for (const [index, { code, lines, told }] of ended.entries()) {
      expect([code, lines]).toEqual([2, []]);
      expect(told).toContain(refusals[index]?.[1]);
    }
    expect(readdirSync(folder).sort()).toEqual(['dated.csv', 'loans.csv', 'ragged.csv']);
  });
});

describe('the examples of a type as a file', () => {
  it('are written in the format that the file is called by, and replace nothing; an import takes them again [XPT-8] [XPT-9] [XPT-14]', async () => {
    const dataDir = trained.copy();
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const run = (...args: string[]) => runCommand(['export-examples', '--data-dir', dataDir, ...args]);
    expect(await run('loan', '--out', at('loans.csv'))).toMatchObject({
      code: 0,
      lines: [{ decision_type: 'loan', format: 'csv', rows: 80 }],
    });
    const lines = readFileSync(at('loans.csv'), 'utf8').trim().split('\r\n');
    expect([lines.length, lines[0]?.includes('applicant.score')]).toEqual([81, true]);
    // and in again: the same examples, changed where the file says so
    const edited = readFileSync(at('loans.csv'), 'utf8').replace(',approve,', ',decline,');
    writeFileSync(at('edited.csv'), edited);
    const importing = (...args: string[]) =>
      runCommand(['import', at('edited.csv'), '--type', 'loan', '--data-dir', dataDir, ...args]);
    expect(await importing()).toMatchObject({
      code: 0,
      lines: [{ merge: { added: 0, changed: 1, unchanged: 79, conflicts: 0 } }],
    });
    // what the policy was trained from, with the label of then although another one has come since
    const given = await run('--policy', 'v1', '--out', at('v1.csv'));
    expect(given).toMatchObject({
      code: 0,
      lines: [
        {
          policy: 'v1',
          rows: 80,
          examples: 80,
          changed: 1,
          is_exact: false,
          snapshot_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
    const columns = (file: string, names: readonly string[]) => {
      const [head = '', ...rows] = readFileSync(at(file), 'utf8').trim().split('\r\n');
      const places = names.map((name) => head.split(',').indexOf(name));
      return rows.map((row) => places.map((place) => row.split(',')[place]));
    };
    expect(columns('v1.csv', ['id', 'expected_decision'])).toEqual(columns('loans.csv', ['id', 'expected_decision']));
    const sides = columns('v1.csv', ['side', 'policy']).map((cells) => cells.join(' '));
    expect(new Set(sides)).toEqual(new Set(['learned v1', 'held_out v1']));
    expect(await run('--policy', 'v9', '--out', at('v9.csv'))).toMatchObject({
      code: 2,
      told: expect.stringContaining('no policy v9'),
    });
    // An older label is no newer one: an import of it asks.
    const older = ['import', at('v1.csv'), '--type', 'loan', '--data-dir', dataDir];
    expect(await runCommand(older)).toMatchObject({ code: 2, told: expect.stringContaining('choose keep') });
    rmSync(at('v1.csv'));
    expect(await importing('--on-conflict', 'both')).toMatchObject({ code: 2, told: expect.stringContaining('flag') });
    rmSync(at('edited.csv'));
    expect(await run('--out', at('loans.csv'))).toMatchObject({
      code: 2,
      told: expect.stringContaining('there already'),
    });
    expect(await run('--out', at('loans.pdf'))).toMatchObject({ code: 2, told: expect.stringContaining('--format') });
    expect(await run('--out', at('no/loans.csv'))).toMatchObject({ code: 2 });
    expect(readdirSync(folder)).toEqual(['loans.csv']);
    // Without a file they stand on the standard output, for the next command of a line.
    const piped = await run('loan');
    expect([piped.code, piped.lines.length, piped.lines[0]]).toMatchObject([
      0,
      80,
      { input_payload: expect.any(Object) },
    ]);
  });
});

describe('a decision type that moves', () => {
  it('is written to a file and read from it, and goes on with bundles [MOV-5]', async () => {
    const dataDir = trained.copy();
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const run = (...args: string[]) => runCommand(args);
    expect(await run('export-type', 'loan', '--out', at('loan.zip'), '--data-dir', dataDir)).toMatchObject({
      code: 0,
      lines: [{ decision_type: 'loan', file: at('loan.zip') }],
    });
    expect(await run('import-type', at('loan.zip'), '--name', 'credit', '--data-dir', at('production'))).toMatchObject({
      code: 0,
      lines: [{ decision_type: 'credit', examples: 80, policies: 1, releases: 1 }],
    });
    await run('export', '--out', at('policy.zip'), '--slim', '--data-dir', dataDir);
    const importing = (...args: string[]) => run('import-bundle', ...args, '--data-dir', at('production'));
    expect(await importing(at('policy.zip'), '--type', 'credit', '--reason', 'Week 12')).toMatchObject({
      code: 0,
      lines: [{ policy_version: 'v2', release: 2 }],
    });
    const made = await run('import-bundle', at('policy.zip'), '--data-dir', at('new'));
    expect(made).toMatchObject({ code: 0, lines: [{ decision_type: 'loan', policy_version: 'v1', release: 1 }] });
    const [again, none] = await Promise.all([
      run('export-type', '--out', at('loan.zip'), '--data-dir', dataDir),
      importing(at('none.zip')),
    ]);
    expect(again).toMatchObject({ code: 2, told: expect.stringContaining('is there already') });
    expect(none).toMatchObject({ code: 2, told: expect.stringContaining('cannot be read') });
  });
});

describe('the log of a service at the edge', () => {
  it('comes home with what is wrong in it told by file and line, and costs no other line [HOM-4] [HOM-5]', async () => {
    const dataDir = trained.copy();
    const rest = await serveFolder(dataDir);
    const body = { decision_type: 'loan', input: { amount: 5, purpose: 'car' } };
    const { escalate: escalated, ...answer } = await rest<object & { escalate: boolean }>(
      'POST',
      '/api/v1/decide?dry_run=true',
      body,
    );
    const made = { ...answer, ...body, escalated, created_at: new Date().toISOString() };
    const toLine = (changes: object = {}) => JSON.stringify({ ...made, id: randomUUID(), ...changes });
    const folder = temporaryFolder();
    const [newest, older] = [path.join(folder, 'd.jsonl'), path.join(folder, 'd.jsonl.1')];
    const unknown = { digest: 'f'.repeat(64) };
    const long = toLine({ input: { note: 'x'.repeat(1_600_000) } });
    const odd = [toLine({ confidence: 2 }), '{"id": 1', toLine(unknown), long, Buffer.from([0xff]), '\0', ''];
    const first = [toLine({ request_id: 'a' }), ...odd, toLine({ request_id: 'b' }), ''];
    writeFileSync(older, Buffer.concat(first.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
    const many = Array.from({ length: 400 }, (_, at) => toLine({ request_id: `c${at}` }));
    writeFileSync(newest, [...many, toLine().slice(0, 90)].join('\n'));
    utimesSync(older, 1, 1);
    const run = () => runCommand(['import-log', newest, older, '--data-dir', dataDir]);
    const { code, lines, told } = await run();
    const counts = { files: 2, lines: 408, added: 402, known: 0, expired: 0, unknown: 1, refused: 5, unfinished: 1 };
    expect([code, lines], told).toEqual([2, [counts]]);
    const unreadable = 'it is longer than a line may be, or not UTF-8.';
    expect(told.trim().split('\n').sort()).toEqual([
      expect.stringMatching(
        /^1 line is of a release that no decision type here has: “loan”, digest f{64}\. Import its/,
      ),
      'd.jsonl ends within line 401, which is left out: it is being written, or a stop came between.',
      'd.jsonl.1, line 2: confidence: must be at most 1.',
      expect.stringContaining('d.jsonl.1, line 3: is not JSON: '),
      ...[5, 6, 7].map((line) => `d.jsonl.1, line ${line}: ${unreadable}`),
    ]);
    expect((await run()).lines).toEqual([{ ...counts, added: 0, known: 402 }]);
    // The older file came first, whatever the order of their names.
    const log = await rest<{ items: { request_id: string }[] }>('GET', `${trained.url}/logs?page_size=1`);
    expect(log.items[0]?.request_id).toBe('c399');
    for (const files of [[], [path.join(folder, 'none')], [folder]]) {
      const refused = await runCommand(['import-log', ...files, '--data-dir', dataDir]);
      expect(refused).toMatchObject({
        code: 2,
        lines: [],
        told: expect.stringMatching(/Name the file|cannot be read/),
      });
    }
  });
});
