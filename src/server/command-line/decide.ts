/** `workbench decide`: a line of inputs in, a line of decisions out. */
import { ApiError, type Client } from '../contract/client.ts';
import { commonOptions, defineCommand, endCodes } from './command.ts';
import {
  columnOptions,
  type LabelledRow,
  listInputs,
  readAsHelp,
  readInputFile,
  type UnreadLine,
} from './example-file.ts';
import { findType } from './find-by-name.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

/** Decisions that are under way at a time: enough to share commits and the runs of the text encoder. */
const maxUnderWay = 32;

async function decideRow<R extends LabelledRow | UnreadLine>(
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
export async function* decideRows<R extends LabelledRow | UnreadLine>(
  client: Client,
  decisionType: string,
  rows: Iterable<R>,
  dryRun: boolean,
) {
  const part: R[] = [];
  const decidePart = () => Promise.all(part.splice(0).map((row) => decideRow(client, decisionType, row, dryRun)));
  for (const row of rows) {
    part.push(row);
    if (part.length === maxUnderWay) yield* await decidePart();
  }
  yield* await decidePart();
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
    const file = await readInputFile(name, values, values.format, say);
    return withWorkbench(folder, env, async (client) => {
      const type = await findType(client, values.type);
      const unread = file.unread.values();
      let next = unread.next();
      const writeUnread = async (before: number) => {
        for (; !next.done && next.value.line < before; next = unread.next()) await write(next.value);
      };
      let refused = file.unread.length;
      const rows = listInputs(file, type.active_version);
      for await (const { row, answer } of decideRows(client, type.name, rows, values['dry-run'] ?? false)) {
        signal.throwIfAborted();
        if ('error' in answer) refused += 1;
        await writeUnread(row.line);
        await write(answer);
      }
      await writeUnread(Number.POSITIVE_INFINITY);
      if (refused === 0) return endCodes.done;
      say(`${refused} of ${file.sheet.rows.length + file.unread.length} rows were refused; their lines say why.`);
      return endCodes.refused;
    });
  },
);
