/** The commands beside a running workbench, and what they refuse. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deployForAll, loanExamples, loanType, temporaryFolder } from '../workbench.ts';
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
    expect([code, lines.length, told]).toEqual([2, 40, '1 of 41 rows were refused; their lines say why.\n']);
  });
});

describe('a command that is refused', () => {
  it('ends with 2, says where and what to do, and leaves nothing [CMD-5] [FIL-2]', async () => {
    const folder = temporaryFolder();
    const [file, ragged] = [path.join(folder, 'loans.csv'), path.join(folder, 'ragged.csv')];
    writeFileSync(file, 'amount,result\n1,yes\n2,no\n');
    writeFileSync(ragged, 'amount,result\n1,yes\n2\n');
    const dated = path.join(folder, 'dated.csv');
    writeFileSync(dated, 'am;result\n03.04.2024;yes\n05.06.2024;no\n');
    const refusals: [string[], string][] = [
      [
        ['train', file, '--label', 'outcome'],
        'no column "outcome". Name the one with the answers by --label: amount, result',
      ],
      [['train', ragged, '--label', 'result'], 'line 3: 1 cells instead of 2'],
      [['train', dated, '--label', 'result'], 'Choose date_day_first or date_month_first by --read-as COLUMN=KIND.'],
      [
        ['train', dated, '--label', 'result', '--read-as', 'am=day'],
        '--read-as takes COLUMN=KIND, not "am=day". Kinds: ',
      ],
      [['train', file, '--label', 'result', '--fail-under', '90'], '--fail-under must be a share from 0 to 1'],
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
