/** Files as people have them: the page, REST, the command line, agents and the tab read each alike, or refuse it alike. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { planImport, proposeImport, toExampleColumns } from '../../../src/engine/import/plan-import.ts';
import { type SheetFields, toSheetChoice } from '../../../src/engine/import/planning/import-file.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { describeFile } from '../../../src/engine/import/report.ts';
import { createRowReader } from '../../../src/engine/import/row-reader.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import {
  describeReading,
  type FileFlags,
  type FileRow,
  openSource,
  toChoice,
  withRows,
} from '../../../src/server/command-line/example-file.ts';
import { importFile } from '../../../src/server/command-line/import.ts';
import { ApiError, type Client } from '../../../src/server/contract/client.ts';
import { describeTable, planProject, readTable } from '../../../src/tab/read-table.ts';
import files from '../../cases/files.json' with { type: 'json' };
import { callerOf, clientOf, openForAll, openForTest, sendForm, temporaryFolder } from '../workbench.ts';

type Case = {
  file: string;
  text?: string;
  label?: string;
  options?: SheetFields;
  inputs?: object[];
  labels?: (string | null)[];
  reasons?: Readonly<Record<string, string>>;
  notes?: string[];
  refusal?: string;
  says?: string;
  /** Its name alone tells what it is; an agent gives none. */
  isNamed?: boolean;
};
/** What a door says of a file: its inputs and the reasons of its columns, or why it is refused. */
type Answer = Pick<Case, 'inputs' | 'labels' | 'reasons' | 'notes' | 'refusal' | 'says'>;

/** Rows that the answer to an import shows. */
const maxPreviewed = 20;
const folder = path.join(import.meta.dirname, '../../fixtures/cases');

/** The path of a case's file, which is written where the case holds its text. */
function toPath({ file, text }: Case): string {
  if (text === undefined) return path.join(folder, file);
  const made = path.join(temporaryFolder(), file);
  writeFileSync(made, text);
  return made;
}

async function readByPage(given: Case): Promise<Answer> {
  const { file, label = 'label', options = {} } = given;
  const bytes = new Uint8Array(readFileSync(toPath(given)));
  const sheet = await readFile({ name: path.basename(file), bytes }, toSheetChoice(options), { maxBytes: 1e6 });
  const [refused] = sheet.refused;
  if (refused !== undefined && sheet.rows.length === 0) return { refusal: refused.message };
  const surveys = surveyColumns(sheet, 2026);
  const proposal = proposeImport({ sheet, surveys }, [], label);
  const columns = toExampleColumns(sheet.columns, proposal.roles);
  const { readings } = planImport({ sheet, surveys }, proposal, { columns, kinds: {}, settled: [] });
  const { readRow } = createRowReader(sheet, columns, readings);
  const reasons = Object.fromEntries(surveys.map(({ name, reason }) => [name, reason]));
  const says = describeFile(sheet).join('. ');
  const rows = sheet.rows.map(readRow);
  return {
    inputs: rows.map(({ input }) => input),
    labels: rows.map(({ label }) => label),
    reasons,
    notes: sheet.notes,
    says,
  };
}

/** The examples that a tab makes of a file, which it reads as it finds it. */
async function readByTab(given: Case): Promise<Answer> {
  const table = await readTable(path.basename(given.file), new Uint8Array(readFileSync(toPath(given))));
  const newId = () => '';
  const { examples } = planProject(table, given.label ?? 'label', newId, 0);
  return {
    inputs: examples.map(({ input }) => input),
    labels: examples.map(({ decision }) => decision),
    says: describeTable(table).sentences.join('. '),
  };
}

/** An input as decisions are asked for: examples keep an empty cell as null, and a decision has no such field. */
function leaveOutEmpty(input: object): object {
  const filled = Object.entries(input).flatMap(([name, value]) => {
    const left = typeof value === 'object' && value !== null && !Array.isArray(value) ? leaveOutEmpty(value) : value;
    const isEmpty = left === null || (left !== value && Object.keys(left).length === 0);
    return isEmpty ? [] : [[name, left]];
  });
  return Object.fromEntries(filled);
}

const options = ['keep', 'drop'];

/** The rows of a file as the commands `evaluate` and `decide` get them. */
async function readByCommand(client: Client, given: Case, flags: FileFlags) {
  const { file } = given;
  const [type] = (await client.call('decision_types.list', { query: {} })).items;
  if (type === undefined) throw new Error('There is no type.');
  const source = await openSource(toPath(given), flags);
  return withRows(
    client,
    type,
    source,
    () => toChoice(flags),
    new AbortController().signal,
    async (read, plan) => {
      const rows: FileRow[] = [];
      for await (const row of read) {
        if ('error' in row) throw new WorkbenchError('validation_error', row.error.message, row.error.details);
        rows.push(row);
      }
      return { rows, says: describeReading(file, plan).join(' ') };
    },
  );
}

/** What a door throws where it refuses a file, as a sentence. */
async function orRefusal(read: Promise<Answer>): Promise<Answer> {
  return read.catch((error: unknown) => {
    const details = error instanceof WorkbenchError || error instanceof ApiError ? JSON.stringify(error.details) : '';
    return { refusal: `${error} ${details}` };
  });
}

it('names the command for another column of answers on the command line [FIL-43]', async () => {
  const file = path.join(temporaryFolder(), 'calls.csv');
  const row = (index: number) => `note ${index},${['kept', 'left'][index % 2]},${['calm', 'cross', 'glad'][index % 3]}`;
  writeFileSync(file, ['note,outcome,tone', ...Array.from({ length: 30 }, (_, index) => row(index))].join('\n'));
  const said: string[] = [];
  const { app, token } = await openForTest();
  const around = { say: (text: string) => said.push(text), signal: new AbortController().signal };
  await importFile(clientOf(app, token), await openSource(file, {}), 'calls', around);
  expect(said).toContain(
    `Column “tone” is left out: It looks like the answer of another decision type. Make that type by: workbench import "${file}" --label "tone" --type "calls-tone"`,
  );
});

describe('a file of others', () => {
  const bench = openForAll();
  let id = '';
  let url = '';
  let client: Client;
  beforeAll(async () => {
    const type = { name: 'files', options };
    client = clientOf(bench.app, bench.token);
    id = (await bench.call('POST', '/decision-types', type)).body.id;
    url = `/decision-types/${id}/examples/import`;
  });
  it.each([
    'sdk-label-studio.csv',
    'sdk-label-studio-min.json',
    'sdk-argilla.json',
    'sdk-datasets.parquet',
    'python-lists.csv',
  ])('has the labels that the tool of its export knows: %s [FIL-33]', async (name) => {
    const { rows } = await readByCommand(client, { file: path.join('labelling-exports', name) }, {});
    expect(rows.map(({ decision }) => decision)).toEqual(['keep', 'drop', 'keep', 'drop', 'keep', 'drop']);
    const inputs = rows.map(({ input: { id: _, ...rest } }) => rest);
    expect(inputs).toEqual(rows.map((_, index) => ({ text: `ticket ${index} about cups` })));
  });

  it('reads labels without signs that nobody sees [FIL-33]', async () => {
    const file = path.join('invisible-signs-in-labels', 'labels.xlsx');
    const { rows } = await readByCommand(client, { file }, { label: 'outcome' });
    expect(new Set(rows.map(({ decision }) => decision))).toEqual(new Set(['grant', 'deny']));
  });

  const readOverRest = async (given: Case): Promise<Answer> => {
    const { file, label, options = {} } = given;
    const mapping = label === undefined ? {} : { mapping: { decision: label } };
    const fields = Object.entries({ ...options, ...mapping }).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const bytes = new File([readFileSync(toPath(given))], path.basename(file));
    const { status, body, text } = await sendForm(bench.call, url, bytes, Object.fromEntries(fields));
    if (status !== 200) return { refusal: text };
    const columns: { name: string; reason: string }[] = body.columns;
    return {
      says: body.file.report.account.join('. '),
      inputs: body.first_examples.map((row: { input_payload: object }) => row.input_payload),
      labels: body.first_examples.map((row: { expected_decision: string | null }) => row.expected_decision),
      reasons: Object.fromEntries(columns.map(({ name, reason }) => [name, reason])),
    };
  };

  /** What an agent is answered about a text; null for files that are no text, or whose parts have to be named. */
  const readByAgent = async (given: Case) => {
    const content = readFileSync(toPath(given)).toString('utf8');
    if (content.includes('\ufffd') || content.includes('\0') || given.options || given.isNamed) return null;
    const mapping = given.label === undefined ? {} : { mapping: { decision: given.label } };
    const format = /\.(?:jsonl|ndjson)$/.test(given.file) ? { format: 'jsonl' } : {};
    const params = { name: 'import_examples', arguments: { decision_type_id: id, content, ...mapping, ...format } };
    const call = callerOf(bench.app, { authorization: `Bearer ${bench.token}` });
    const headers = { accept: 'application/json, text/event-stream' };
    const { text } = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
    const { isError, structuredContent, content: said } = JSON.parse(text.replace(/^(?:.*\n)*?data: /, '')).result;
    return isError
      ? { refusal: JSON.stringify(said) }
      : { examples: structuredContent.examples, labelled: structuredContent.labelled };
  };

  it.each(files.cases as Case[])(
    'is read or refused alike by page, REST, command line, agents and tab: $file [FIL-1] [FIL-24]',
    async (given) => {
      const byAgent = await readByAgent(given);
      const byPage = await orRefusal(readByPage(given));
      const overRest = await readOverRest(given);
      const flags = Object.entries({
        label: 'label',
        ...given.options,
        ...(given.label && { label: given.label }),
      }).map(([name, value]) => [name.replace('_', '-'), String(value)]);
      const byCommand = readByCommand(client, given, Object.fromEntries(flags)).then(({ rows, says }) => ({
        inputs: rows.map(({ input }) => leaveOutEmpty(input)),
        labels: rows.map(({ decision }) => decision ?? null),
        says,
      }));
      const decided = await orRefusal(byCommand);
      // A tab takes no word on how to read, and makes projects of two options or more.
      const found = new Set(byPage.labels?.filter((label) => label !== null));
      const isProject = given.options === undefined && (byPage.labels === undefined || found.size > 1);
      const inTab = isProject ? [await orRefusal(readByTab(given))] : [];
      for (const answer of [byPage, overRest, decided, ...inTab]) {
        const { inputs, labels, refusal = '', says = '' } = answer;
        if (given.labels !== undefined) expect(labels?.slice(0, maxPreviewed)).toEqual(given.labels);
        expect(says).toContain(given.says ?? '');
        for (const note of given.notes ?? []) expect(says).toContain(note);
        const wanted = given.inputs?.slice(0, maxPreviewed);
        expect(inputs?.slice(0, maxPreviewed)).toEqual(answer === decided ? wanted?.map(leaveOutEmpty) : wanted);
        expect(refusal).toContain(given.refusal ?? '');
      }
      if (byAgent !== null) {
        const { inputs, labels } = byPage;
        const counts = { examples: inputs?.length, labelled: labels?.filter((label) => label !== null).length };
        expect(byAgent).toEqual(
          given.refusal === undefined ? counts : { refusal: expect.stringContaining(given.refusal) },
        );
      }
      if (given.notes !== undefined) expect(byPage.notes).toEqual(given.notes);
      for (const { reasons = {} } of [byPage, overRest]) {
        for (const [column, part] of Object.entries(given.reasons ?? {})) expect(reasons[column]).toContain(part);
      }
    },
  );
});
