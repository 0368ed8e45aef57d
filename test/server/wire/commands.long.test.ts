/** The commands on real rows: from a file to a bundle, and every way in which that ends early. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';
import { temporaryFolder } from '../workbench.ts';
import { runCommand, runStep, serveFolder, startCommand, writeCreditTable } from './command-process.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const listDataFolders = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('workbench-'));

describe('a pipeline step', () => {
  it('of the example workflow trains a policy from a table and writes its bundle, in a folder that is gone afterwards [CMD-3] [CMD-2]', async () => {
    const scratch = temporaryFolder();
    renameSync(writeCreditTable(scratch, 'train').file, path.join(scratch, 'data.csv'));
    symlinkSync(root, path.join(scratch, 'workbench'));
    const workflow = readFileSync(path.join(root, 'docs/examples/train-policy.yml'), 'utf8');
    const step = /run: (npm .* train .*) > policy.json/.exec(workflow)?.[1] ?? '';
    expect(step).toContain('--fail-under 0.9');
    const { code, lines, told } = await runStep(`${step.replace('0.9', '0.6')} --seed 11`, scratch);
    expect([code, lines.length]).toEqual([0, 1]);
    const [answer = {}] = lines;
    const bytes = readFileSync(path.join(scratch, 'policy.zip'));
    const { manifest } = unpackBundle(bytes, sha256);
    expect(answer).toMatchObject({
      decision_type: 'data',
      policy_version: 'v1',
      seed: 11,
      rows: 800,
      passed: true,
      bundle: 'policy.zip',
      revision: manifest.revision,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      baseline: { option: 'good risk' },
    });
    const { share, low, high } = answer['accuracy'] as Record<'share' | 'low' | 'high', number>;
    expect([low < share, share < high, share > 0.65]).toEqual([true, true, true]);
    expect(manifest.decision_type).toBe('data');
    expect(told).toMatch(/Train classifier \(5 of 7\), about \d+ s left\n.*Correct on \d/s);
    expect(listDataFolders(scratch)).toEqual([]);
  });

  it('ends with 1 where the accuracy is under what is asked for, and puts nothing to work [CMD-4]', async () => {
    const scratch = temporaryFolder();
    const { file } = writeCreditTable(scratch, 'train');
    const [out, dataDir] = [path.join(scratch, 'policy.zip'), path.join(scratch, 'data')];
    const flags = ['--label', 'result', '--out', out, '--fail-under', '0.99', '--data-dir', dataDir];
    const { code, lines, told } = await runCommand(['train', file, ...flags], { scratch });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.objectContaining({ passed: false, deployed: false, bundle: null, sha256: null })]);
    expect(told).toMatch(/The accuracy of 0\.\d{4} is under 0\.99\.\n$/);
    expect(existsSync(out)).toBe(false);
    const undecided = await runCommand(['decide', '--data-dir', dataDir], { input: '{"age":30}' });
    expect(undecided).toMatchObject({ code: 2, lines: [], told: expect.stringContaining('No policy is deployed') });
  });

  it('imports a workbook of 100,000 rows and 20 columns, which REST reads whole [CMD-9] [FIL-6]', async () => {
    const scratch = temporaryFolder();
    const file = path.join(scratch, 'large.xlsx');
    const columns = Array.from({ length: 19 }, (_, column) => `column ${column}`);
    const rows = Array.from({ length: 100_000 }, (_, row) => [
      ...columns.map((name, column) => (column % 4 === 0 ? `${name} ${(row * 7) % 97}` : (row * column) % 9_000)),
      row % 3 === 0 ? 'reject' : 'approve',
    ]);
    writeFileSync(file, makeWorkbook({ Data: [[...columns, 'decision'], ...rows] }));
    const dataDir = path.join(scratch, 'data');
    const { code, lines } = await runCommand(['import', file, '--data-dir', dataDir], { scratch });
    expect([code, lines]).toEqual([
      0,
      [expect.objectContaining({ decision_type: 'large', rows: 100_000, labelled: 100_000 })],
    ]);
  });

  it('says what to do with a file that is too large [CMD-5]', async () => {
    const scratch = temporaryFolder();
    const file = path.join(scratch, 'letters.csv');
    writeFileSync(file, 'letter,result\n');
    truncateSync(file, 100_000_001);
    const dataDir = path.join(scratch, 'data');
    const { code, told } = await runCommand(['train', file, '--label', 'result', '--data-dir', dataDir], { scratch });
    expect([code, told]).toEqual([2, expect.stringContaining('at most 100 MB are read. Import it in several parts.')]);
    const rest = await serveFolder(dataDir);
    expect(await rest('GET', '/api/v1/decision-types')).toMatchObject({ total: 0 });
  });

  it('cancels its training on Ctrl+C and leaves nothing of it; another one waits behind it [CMD-8]', async () => {
    const scratch = temporaryFolder();
    const dataDir = path.join(scratch, 'data');
    const texts = path.join(import.meta.dirname, '../../fixtures/sms_spam/train.jsonl');
    const out = path.join(scratch, 'policy.zip');
    const flags = ['--data-dir', dataDir, '--type', 'spam', '--out', out];
    const { child, ended } = startCommand(['train', texts, ...flags], { scratch });
    const listen = (to: typeof child) => {
      let told = '';
      to.stderr.on('data', (data) => {
        told += String(data);
      });
      return (pattern: RegExp) => vi.waitUntil(() => pattern.test(told), { timeout: 600_000 });
    };
    await listen(child)(/\([34] of 7\)/);
    const second = startCommand(['train', '--data-dir', dataDir], { scratch });
    await listen(second.child)(/Place 1 in the queue/);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, lines: [] });
    // The service was that of the first command.
    expect(await second.ended).toMatchObject({ code: 3, lines: [] });
    const rest = await serveFolder(dataDir);
    expect(await rest('GET', '/api/v1/decision-types')).toMatchObject({ total: 0 });
    expect([existsSync(out), readdirSync(path.join(dataDir, 'artifacts'))]).toEqual([false, []]);
  });
});

describe('the commands on one data folder', () => {
  it('read a workbook, and ask for the order of dates that no value tells [CMD-10]', async () => {
    const scratch = temporaryFolder();
    const [file, dataDir] = [path.join(scratch, 'Buchungen.xlsx'), path.join(scratch, 'data')];
    const day = (index: number) => `0${1 + (index % 9)}.04.2024`;
    const rows = Array.from({ length: 20 }, (_, i) => [day(i), `${i},50 €`, i % 2 === 0 ? 'behalten' : 'storniert']);
    writeFileSync(file, makeWorkbook({ Deckblatt: [['Bericht']], Daten: [['Anreise', 'Preis', 'Ergebnis'], ...rows] }));
    const run = (...flags: string[]) => runCommand(['import', file, '--data-dir', dataDir, ...flags], { scratch });
    const asked = await run('--label', 'Ergebnis');
    expect([asked.code, asked.told]).toEqual([2, expect.stringContaining('(--read-as COLUMN=KIND)')]);
    expect(await run('--label', 'Ergebnis', '--read-as', 'Anreise=date_day_first')).toMatchObject({
      code: 0,
      lines: [{ decision_type: 'Buchungen', created: true, rows: 20, labelled: 20, duplicates: 0 }],
    });
    const rest = await serveFolder(dataDir);
    const examples = await rest<{ items: unknown[] }>(
      'GET',
      `/api/v1/decision-types/${await findTypeId(rest)}/examples?page_size=100`,
    );
    expect(examples.items).toContainEqual(
      expect.objectContaining({ input_payload: { Anreise: '2024-04-01', Preis: 0.5 }, expected_decision: 'behalten' }),
    );
  });

  it('take the folder of the window where none is named, and it stays [CMD-6]', async () => {
    const scratch = temporaryFolder();
    const { file } = writeCreditTable(scratch, 'test');
    expect(await runCommand(['import', file, '--label', 'result'], { scratch })).toMatchObject({ code: 0 });
    const rest = await serveFolder(path.join(scratch, '.decision-workbench'));
    expect(await rest('GET', '/api/v1/decision-types')).toMatchObject({ items: [{ name: 'credit-test' }] });
  });

  it('import, train, measure, export and decide through a running workbench and without one [CMD-6] [CMD-9]', async () => {
    const scratch = temporaryFolder();
    const dataDir = path.join(scratch, 'data');
    const run = (...args: string[]) => runCommand([...args, '--data-dir', dataDir], { scratch });
    const train = writeCreditTable(scratch, 'train');
    const test = writeCreditTable(scratch, 'test');

    const added = await run('import', train.file, '--label', 'result', '--type', 'credit');
    expect(added.lines).toEqual([{ decision_type: 'credit', created: true, rows: 800, labelled: 800, duplicates: 0 }]);
    const rest = await serveFolder(dataDir);
    const again = await run('train', train.file, '--label', 'result', '--type', 'credit');
    expect([again.code, again.told]).toEqual([
      2,
      expect.stringContaining('There is a decision type "credit" already.'),
    ]);
    const [trained] = (await run('train')).lines;
    expect(trained).toMatchObject({ decision_type: 'credit', deployed: true, passed: true, bundle: null });

    const [measured] = (await run('evaluate')).lines;
    expect(measured?.['accuracy']).toEqual(trained?.['accuracy']);
    const judged = await run('evaluate', test.file, '--label', 'result', '--fail-under', '0.999');
    const decided = await run('decide', test.file, '--label', 'result');
    const right = decided.lines.filter(({ decision }, index) => decision === test.rows[index]?.decision).length;
    expect(judged).toMatchObject({ code: 1, lines: [{ accuracy: { count: right, of: 200 } }] });
    const logged = await rest<{ total: number }>('GET', `/api/v1/decision-types/${await findTypeId(rest)}/logs`);
    expect(logged.total).toBe(200);

    const out = path.join(scratch, 'v1.zip');
    const [exported] = (await run('export', '--out', out, '--policy', 'v1')).lines;
    expect(exported).toMatchObject({ policy_id: trained?.['policy_id'], sha256: sha256(readFileSync(out)) });
    const missing = await run('export', '--out', out, '--policy', '9');
    expect([missing.code, missing.told]).toEqual([2, expect.stringContaining('Name one of these by --policy: v1')]);
  });
});

async function findTypeId(rest: Awaited<ReturnType<typeof serveFolder>>): Promise<string> {
  const { items } = await rest<{ items: { id: string }[] }>('GET', '/api/v1/decision-types');
  return items[0]?.id ?? '';
}
