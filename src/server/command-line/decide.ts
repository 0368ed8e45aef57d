/** `workbench decide` and `evaluate`: rows of a file, decided, and how often that is right. */
import { buffer } from 'node:stream/consumers';
import { putAt } from '../../engine/export/example-columns.ts';
import { readPath } from '../../engine/features/values.ts';
import { chooseColumnKind, readPlain } from '../../engine/import/field-kinds.ts';
import type { ColumnRole } from '../../engine/import/plan-import.ts';
import type { ColumnKind } from '../../engine/import/sheet.ts';
import { measureShare } from '../../engine/measure/whole-decision.ts';
import type { WholeDecision } from '../../engine/measured.ts';
import { inputNames, splitName } from '../../engine/readings/inputs.ts';
import { ApiError, type Client } from '../contract/client.ts';
import type { ImportChoice } from '../contract/examples/imports.ts';
import type { OutputOf } from '../contract/operations.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { commonOptions, defineCommand, endCodes, readDetail, readShare, refuse, type Surroundings } from './command.ts';
import {
  type Column,
  columnOptions,
  describeReading,
  type FileFlags,
  type FileRow,
  type FileSource,
  openSource,
  readAsHelp,
  refuseLack,
  toChoice,
  type UnreadLine,
  withRows,
} from './example-file.ts';
import { findPolicy, findType, requireDataDir, withWorkbench } from './with-workbench.ts';

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
async function* decideRows<R extends FileRow | UnreadLine>(
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

/** The figures that a pipeline reads; `accuracy` is the one to quote. */
type Figures = Pick<WholeDecision, 'accuracy' | 'automatic' | 'error_automatic' | 'escalated'> & {
  baseline: Pick<NonNullable<WholeDecision['baseline']>, 'option' | 'accuracy'> | null;
};

/** Whether an accuracy reaches the share that is asked for; says so on stderr where it does not. */
export function isReached(
  { share }: WholeDecision['accuracy'],
  least: number | null,
  say: Surroundings['say'],
): boolean {
  if (least === null || (share !== null && share >= least)) return true;
  say(
    share === null
      ? `No accuracy was measured; ${least} is asked for.`
      : `The accuracy of ${share.toFixed(4)} is under ${least}.`,
  );
  return false;
}

async function measureRows(
  client: Client,
  type: DecisionType,
  file: string,
  rows: AsyncIterable<FileRow | UnreadLine>,
  signal: AbortSignal,
): Promise<Figures> {
  const counts = { rows: 0, right: 0, automatic: 0, wrongAutomatic: 0 };
  const byOption = new Map<string, number>();
  for await (const { row, answer } of decideRows(client, type.name, rows, true)) {
    signal.throwIfAborted();
    if ('error' in answer) {
      const { msg = `line ${row.line}: ${answer.error.message}` } =
        'error' in row ? readDetail(row.error.details[0]) : {};
      throw refuse(`${file}, ${msg}`);
    }
    if ('error' in row || row.decision === null) continue;
    const isRight = answer.decision === row.decision;
    counts.rows += 1;
    counts.right += Number(isRight);
    counts.automatic += Number(!answer.escalate);
    counts.wrongAutomatic += Number(!answer.escalate && !isRight);
    byOption.set(row.decision, (byOption.get(row.decision) ?? 0) + 1);
  }
  const [commonest] = [...byOption].sort(([, left], [, right]) => right - left);
  return {
    accuracy: measureShare(counts.right, counts.rows),
    automatic: measureShare(counts.automatic, counts.rows),
    error_automatic: measureShare(counts.wrongAutomatic, counts.automatic),
    escalated: measureShare(counts.rows - counts.automatic, counts.rows),
    baseline: commonest ? { option: commonest[0], accuracy: measureShare(commonest[1], counts.rows) } : null,
  };
}

function measureFile(client: Client, type: DecisionType, source: FileSource, { say, signal }: Surroundings) {
  const { file, flags } = source;
  return withRows(
    client,
    type,
    source,
    () => toChoice(flags),
    signal,
    (rows, plan) => {
      for (const line of describeReading(file, plan)) say(line);
      refuseLack(file, plan);
      return measureRows(client, type, file, rows, signal);
    },
  );
}

const evaluateHelp = `workbench evaluate [FILE] [--label COLUMN] [--policy V] [--type NAME] [--fail-under SHARE] [--data-dir DIR]
Prints how often rules, classifier and thresholds together are right, with its 95% interval, beside always giving the
commonest answer: on the examples that the policy's training held out or, with a file, on its rows, which the deployed
policy decides without log records. Give it rows that the policy has not learned from.

  --label COLUMN      the column of the file with the answers; otherwise the one that is named like an answer
  ${readAsHelp}
  --policy V          version or id of the policy, without a file (the deployed one)
  --type NAME         the decision type (the only one there is)
  --fail-under SHARE  end with 1 where the accuracy is under it
  --data-dir DIR      data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const evaluateCommand = defineCommand(
  evaluateHelp,
  { ...commonOptions, ...columnOptions, policy: { type: 'string' }, 'fail-under': { type: 'string' } },
  async ({ values, file: name }, around) => {
    const least = readShare('--fail-under', values['fail-under']);
    if (name !== undefined && values.policy !== undefined) {
      throw refuse('A file is decided by the deployed policy: leave out --policy.');
    }
    const folder = requireDataDir(values['data-dir'], around.env);
    const source = name === undefined ? null : await openSource(name, values);
    return withWorkbench(folder, around.env, async (client) => {
      const type = await findType(client, values.type);
      const { id, version } = await findPolicy(client, type, values.policy);
      const params = { decision_type_id: type.id, policy_id: id };
      const measure = async (): Promise<Figures> => {
        if (source !== null) return measureFile(client, type, source, around);
        const whole = await client.call('policies.whole', { params, query: {} });
        around.say(whole.headline);
        return whole;
      };
      const figures = await measure();
      const { accuracy, automatic, error_automatic, escalated, baseline } = figures;
      await around.answer({
        decision_type: type.name,
        policy_id: id,
        policy_version: `v${version}`,
        accuracy,
        automatic,
        error_automatic,
        escalated,
        baseline,
      });
      return isReached(accuracy, least, around.say) ? endCodes.done : endCodes.under;
    });
  },
);
