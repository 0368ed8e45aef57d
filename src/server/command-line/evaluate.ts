/** `workbench evaluate`: the figures of a policy, on its held-out examples or on a labelled file. */
import { measureShare } from '../../engine/measure/whole-decision.ts';
import type { WholeDecision } from '../../engine/measured.ts';
import type { Client } from '../contract/client.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { commonOptions, defineCommand, endCodes, readDetail, readShare, refuse, type Surroundings } from './command.ts';
import { decideRows } from './decide.ts';
import {
  columnOptions,
  describeReading,
  type FileRow,
  type FileSource,
  openSource,
  readAsHelp,
  refuseLack,
  toChoice,
  type UnreadLine,
  withRows,
} from './example-file.ts';
import { findPolicy, findType } from './find-by-name.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

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

const help = `workbench evaluate [FILE] [--label COLUMN] [--policy V] [--type NAME] [--fail-under SHARE] [--data-dir DIR]
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
  help,
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
