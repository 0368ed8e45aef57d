/** `workbench decide`: a line of inputs in, a line of decisions out. */
import { buffer } from 'node:stream/consumers';
import { putAt } from '../../engine/export/example-columns.ts';
import { readPath } from '../../engine/features/values.ts';
import { chooseColumnKind, readPlain } from '../../engine/import/field-kinds.ts';
import type { ColumnRole } from '../../engine/import/plan-import.ts';
import type { ColumnKind } from '../../engine/import/sheet.ts';
import { inputNames, splitName } from '../../engine/readings/inputs.ts';
import { ApiError, type Client } from '../contract/client.ts';
import type { ImportChoice } from '../contract/examples/imports.ts';
import type { OutputOf } from '../contract/operations.ts';
import { commonOptions, defineCommand, endCodes } from './command.ts';
import {
  type Column,
  columnOptions,
  describeReading,
  type FileFlags,
  type FileRow,
  openSource,
  readAsHelp,
  toChoice,
  type UnreadLine,
  withRows,
} from './example-file.ts';
import { findType } from './find-by-name.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

/** Decisions that are under way at a time: enough to share commits and the runs of the text encoder. */
const maxUnderWay = 32;

async function decideRow<R extends FileRow | UnreadLine>(
  client: Client,
  decisionType: string,
  row: R,
  dryRun: boolean,
) {
  if ('error' in row) return { row, answer: { line: row.line, error: row.error } };
  try {
    const body = { decision_type: decisionType, input: row.input };
    return { row, answer: await client.call('decide', { query: { dry_run: dryRun }, body }) };
  } catch (error) {
    // A refusal by the service answers this row alone.
    if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error;
    const { code, message, details } = error;
    return { row, answer: { line: row.line, error: { code, message, details } } };
  }
}

/** Decides rows by the deployed policy of a type; gives each with its answer, in their order. */
export async function* decideRows<R extends FileRow | UnreadLine>(
  client: Client,
  decisionType: string,
  rows: AsyncIterable<R>,
  dryRun: boolean,
) {
  const part: R[] = [];
  const decidePart = () => Promise.all(part.splice(0).map((row) => decideRow(client, decisionType, row, dryRun)));
  for await (const row of rows) {
    part.push(row);
    if (part.length === maxUnderWay) yield* await decidePart();
  }
  yield* await decidePart();
}

type Field = Pick<NonNullable<OutputOf<'decision_types.get'>['fields']>[number], 'path' | 'kind'>;

/** Takes all columns as input, or the one that holds inputs whole, without the answers and what is to be left out. */
function takeAll(flags: FileFlags, columns: readonly Column[], kinds: ImportChoice['kinds']): ImportChoice {
  const { roles: said, kinds: given, ...choice } = toChoice(flags);
  const whole = columns.find(({ name }) => inputNames.includes(name.toLowerCase()))?.name;
  const roles = columns
    .filter(({ name }) => name !== flags.label)
    .map(({ name }): [string, ColumnRole] => [name, whole === undefined || name === whole ? 'input' : 'ignore']);
  const all = { roles: { ...Object.fromEntries(roles), ...said }, kinds: { ...kinds, ...given } };
  return { ...choice, answer: flags.label ?? null, ...all };
}

/** How columns of a table are read for the fields of the policy: by the fields' kinds, else each cell by itself. */
function chooseKinds(fields: readonly Field[], columns: readonly Column[]) {
  const kinds: Record<string, ColumnKind> = {};
  const byCell: string[] = [];
  for (const { path, kind } of fields) {
    const column = columns.find(({ name }) => name === path);
    const chosen = column && chooseColumnKind(kind, column.read_as);
    if (chosen === 'cell_by_cell') byCell.push(path);
    else if (column && chosen && chosen !== column.read_as && column.read_as !== 'as_is') kinds[path] = chosen;
  }
  return { kinds, byCell };
}

async function* readByCell(rows: AsyncIterable<FileRow | UnreadLine>, names: readonly string[]) {
  for await (const row of rows) {
    if ('input' in row)
      for (const path of names.map(splitName)) {
        const value = readPath(row.input, path);
        if (typeof value === 'string') putAt(row.input, path, readPlain(value));
      }
    yield row;
  }
}

const help = `workbench decide [FILE] [--type NAME] [--dry-run] [--label COLUMN] [--format F] [--data-dir DIR]
Decides each row by the deployed policy: one line of JSON a row on the standard output, in their order, as
POST /api/v1/decide answers. A row that is refused has "line" and "error" instead, and the command ends with 2.

  FILE             CSV, TSV, Excel, Parquet, JSON or JSON Lines (the standard input)
  --type NAME      the decision type (the only one there is)
  --dry-run        without log records and credits
  --label COLUMN   a column with answers, which is left out of the inputs
  ${readAsHelp}
  --format F       csv, json or jsonl, of the standard input (jsonl)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const decideCommand = defineCommand(
  help,
  { ...commonOptions, ...columnOptions, format: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async ({ values, file: name }, { env, signal, answer: write, say }) => {
    const folder = requireDataDir(values['data-dir'], env);
    const read = name === undefined ? () => buffer(process.stdin) : undefined;
    const file = name ?? `standard input.${values.format ?? 'jsonl'}`;
    const source = await openSource(file, values, read);
    return withWorkbench(folder, env, async (client) => {
      const type = await findType(client, values.type);
      const params = { decision_type_id: type.id };
      const { fields } = await client.call('decision_types.get', { params, query: { fields: true } });
      const read: Field[] = (fields ?? []).filter(({ path }) => !Object.hasOwn(type.active_version.readings, path));
      let byCell: string[] = [];
      const choose = (columns: readonly Column[], isTable: boolean) => {
        const chosen = chooseKinds(isTable ? read : [], columns);
        byCell = chosen.byCell;
        return takeAll(values, columns, chosen.kinds);
      };
      return withRows(client, type, source, choose, signal, async (rows, plan) => {
        // Every row has its answer, so their number alone needs no word.
        for (const line of describeReading(file, plan).slice(plan.file.detected.length === 0 ? 1 : 0)) say(line);
        let refused = 0;
        for await (const { answer } of decideRows(
          client,
          type.name,
          readByCell(rows, byCell),
          values['dry-run'] ?? false,
        )) {
          signal.throwIfAborted();
          if ('error' in answer) refused += 1;
          await write(answer);
        }
        if (refused === 0) return endCodes.done;
        say(`${refused} of ${plan.file.rows + plan.file.refused.count} rows were refused; their lines say why.`);
        return endCodes.refused;
      });
    });
  },
);
