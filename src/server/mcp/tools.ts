/** The tools that agents are offered: operations of the table, their arguments and their answers included. */
import { z } from 'zod';
import { pick } from '../../engine/domain/records.ts';
import { isInProgress } from '../../engine/domain/training.ts';
import { limits } from '../../engine/limits.ts';
import { countOf } from '../../engine/numeric.ts';
import { decideRequestSchema } from '../contract/deciding/decisions.ts';
import { newExampleSchema } from '../contract/examples/examples.ts';
import type { OutputOf } from '../contract/operations.ts';
import { creditPrices } from '../metering/plans.ts';
import { type Tool, toAct, toTool, toToolOfParts } from './tool.ts';

const decideArguments = z.strictObject({
  decision_type: z.string().min(1).describe('Name of the decision type'),
  input: decideRequestSchema.shape.input,
});
const exampleArguments = newExampleSchema
  .pick({ expected_decision: true, reason_codes: true, test: true })
  .extend({ input_payload: newExampleSchema.shape.input_payload.unwrap() });

const formatCredits = (credits: number) => `${credits} ${credits === 1 ? 'credit' : 'credits'}`;
const toPercent = (part: number) => `${Math.round(part * 100)}%`;
const quoteNames = (values: readonly string[]) => values.map((value) => JSON.stringify(value)).join(', ');

type Made = Pick<OutputOf<'decide'>, 'confidence' | 'classifier_choice' | 'classifier_probability'>;
/** The confidence of an answer, and beside it what the classifier chose where that is another option. */
function describeConfidence({ confidence, classifier_choice: choice, classifier_probability: own }: Made): string {
  const chosen = choice === null ? '' : ` (the classifier chose ${JSON.stringify(choice)}, ${own?.toFixed(2)})`;
  return `confidence ${confidence.toFixed(2)}${chosen}`;
}

/** The next step of an agent that looked at a file: a commit would refuse names that the type does not have. */
function nameNextOfImport(plan: Pick<OutputOf<'examples.import'>, 'questions' | 'new_options' | 'new_reason_codes'>) {
  if (plan.questions.length > 0) return 'a mapping that answers questions';
  if (plan.new_options.length + plan.new_reason_codes.length === 0) return 'the same with commit, or a mapping';
  return 'update_decision_type with new_options and new_reason_codes, which a commit refuses, or a mapping';
}

function groupErrors(errors: OutputOf<'decide.batch'>['errors']) {
  const groups = Map.groupBy(errors, ({ index: _index, request_id: _id, ...error }) => JSON.stringify(error));
  return [...groups].map(([error, equal]) => ({
    ...(JSON.parse(error) as object),
    count: equal.length,
    indexes: equal.map(({ index }) => index),
  }));
}

type Answers = { type: OutputOf<'decision_types.get'>; policy: OutputOf<'policies.get'> };
const shortenType = (type: Answers['type']) => ({
  ...pick(type, ['id', 'name', 'description', 'model_deployed', 'needs_retraining']),
  ...pick(type.active_version, ['options', 'version_number']),
});
const shortenPolicy = (policy: Answers['policy']) => ({
  policy_id: policy.id,
  ...pick(policy, ['version', 'status', 'deployed', 'held_back', 'error']),
  one_case: policy.metrics?.split?.one_case,
  against: policy.verdict.filter(({ state }) => state !== 'passed').map(({ sentence }) => sentence),
});
const followAnalysis = ({ state, progress }: Pick<OutputOf<'policies.slices'>, 'state' | 'progress'>) =>
  state === 'ready' ? null : { percent: Math.round((progress ?? 0) * 100), message: 'Searching' };

/** The parts of a policy's figures, each by its own operation. */
const evaluation = toToolOfParts(
  {
    name: 'evaluate_policy',
    description:
      'How well a policy decides, on held-out examples. part `whole`: rules, classifier and thresholds together, with the figure to quote; `slices`: where it is wrong most; `promise`: the threshold that keeps an error among automatic decisions; `costs`: of 1,000 decisions now, with the best thresholds and by hand; `comparison`: replayed beside the policy `with`, on what both held out; `rules`: replayed with other `rules`, before they are saved. Costs nothing.',
  },
  {
    whole: toAct({
      operation: 'policies.whole',
      omit: ['draft'],
      summarise: ({ sentence }) =>
        `${sentence} Next: part slices shows where it is weak, part promise what can be promised.`,
    }),
    slices: toAct({
      operation: 'policies.slices',
      omit: ['draft'],
      follow: followAnalysis,
      summarise: ({ state, items }) =>
        state === 'computing'
          ? 'The rows are being searched. Next: ask again.'
          : `${items.length} parts are worse than the others. Next: ${
              items.length === 0
                ? 'deploy_policy, or make_decision.'
                : 'add_examples for the worst of them, then train_model.'
            }`,
    }),
    promise: toAct({
      operation: 'policies.promise',
      summarise: ({ sentence, possible }) =>
        `${sentence} Next: ${possible ? 'take threshold as auto_decide with update_decision_type.' : 'add_examples, then train_model.'}`,
    }),
    costs: toAct({
      operation: 'policies.costs',
      omit: ['draft'],
      summarise: ({ sentence, suggested }) =>
        `${sentence} Next: ${
          suggested === null
            ? 'set costs with update_decision_type, or train_model.'
            : 'take suggested.thresholds with update_decision_type where they cost less.'
        }`,
    }),
    rules: toAct({
      operation: 'policies.try_rules',
      omit: ['options', 'reason_codes', 'lists'],
      summarise: ({ sentence }) =>
        `${sentence} Next: save them as hard_rules with update_decision_type where they help.`,
    }),
    comparison: toAct({
      operation: 'policies.compare',
      omit: ['draft', 'page', 'page_size'],
      summarise: ({ sentence }) => `${sentence} Next: deploy_policy for the better one.`,
    }),
  },
);

/** Settings of a type that a person sees to. */
const settingsOfPeople = [
  ...['costs', 'audit', 'escalation_policy', 'groups', 'readings'],
  ...['publish_by_hand', 'publish_by_another', 'retention_days'],
];

export const tools: readonly Tool[] = [
  evaluation,
  toTool({
    name: 'make_decision',
    operation: 'decide',
    body: decideArguments,
    description: `Decides one input with a type's deployed policy. Writes a log record and costs ${formatCredits(creditPrices.decision)}, unless dry_run is true. None deployed: train_model first.`,
    summarise: ({ escalate, dry_run, unread = [], ...made }) =>
      `Decided ${JSON.stringify(made.decision)} by ${made.stage} with ${describeConfidence(made)}. ${
        unread.length === 0 ? '' : `Not read: ${unread.slice(0, 3).join('; ')}. `
      }${
        dry_run
          ? 'This was a dry run: no log record was written; cost: none.'
          : `A log record was written; cost: ${formatCredits(creditPrices.decision)}.`
      } ${
        escalate
          ? 'Next: have a person look at it before acting (escalate is true).'
          : 'Next: act on it, or see get_decision_logs.'
      }`,
  }),
  toTool({
    name: 'batch_decisions',
    operation: 'decide.batch',
    body: z.strictObject({
      decisions: z.array(decideArguments).min(1).max(limits.maxBatchSize).describe('In order'),
    }),
    description: `Decides 1 to ${limits.maxBatchSize} inputs in order. A failed item is null in results, its index in an entry of errors, equal errors in one. Writes a log record and costs ${formatCredits(creditPrices.decision)} for each success, unless dry_run is true.`,
    shorten: ({ errors, ...answer }) => ({ ...answer, errors: groupErrors(errors) }),
    summarise: ({ succeeded, failed, results }) =>
      `${succeeded} decided, ${failed} failed. ${
        results.some((result) => result?.dry_run)
          ? 'This was a dry run: no log records were written; cost: none.'
          : `Log records were written; cost: ${formatCredits(succeeded * creditPrices.decision)}.`
      } Next: ${failed > 0 ? 'see errors; repeat only those that are retryable.' : 'act on results in their order.'}`,
  }),
  toTool({
    name: 'list_decision_types',
    operation: 'decision_types.list',
    shorten: ({ items, ...page }) => ({ items: items.map(shortenType), ...page }),
    description: 'Lists the decision types, page by page. Costs nothing.',
    summarise: ({ items, total, page, pages }) =>
      `${items.length} of ${total} decision types: ${quoteNames(items.map(({ name }) => name)) || 'none'}. Next: ${
        total === 0
          ? 'create_decision_type.'
          : page < pages
            ? `page ${page + 1}.`
            : 'get_decision_type for one of them.'
      }`,
  }),
  toTool({
    name: 'get_decision_type',
    operation: 'decision_types.get',
    body: z.strictObject({ fields: z.literal(true).default(true) }),
    omit: ['fields'],
    description:
      'One decision type with its rules and settings, and the fields that the deployed policy reads. Costs nothing.',
    summarise: ({ name, active_version, model_deployed, fields }) =>
      `${JSON.stringify(name)}, version ${active_version.version_number}, options ${quoteNames(active_version.options)}, ${active_version.hard_rules.length} rules${
        fields ? `, ${fields.length} fields` : ''
      }. Next: ${model_deployed ? 'make_decision.' : 'add_examples and train_model: no policy is deployed.'}`,
  }),
  toTool({
    name: 'create_decision_type',
    operation: 'decision_types.create',
    omit: [...settingsOfPeople, 'one_case', 'lists'],
    shorten: shortenType,
    description:
      'Creates a decision type: a name, at least two options, and optionally more, such as hard rules (CEL over ctx: workbench://guides/rules). Counts towards the plan; costs no credits.',
    summarise: ({ id, name }) =>
      `Created ${JSON.stringify(name)} with id ${id}. Cost: none. Next: add_examples or generate_examples.`,
  }),
  toTool({
    name: 'update_decision_type',
    operation: 'decision_types.update',
    omit: [...settingsOfPeople, 'reason', 'draft'],
    shorten: shortenType,
    description:
      'Changes the given fields of a decision type; a list replaces the earlier one. Rules and thresholds decide from the next call on; a change of logic makes a new version; earlier ones stay. Takes `readings` and `groups` as get_decision_type has them, and `draft`: true for a person to publish. Costs no credits.',
    summarise: ({ name, active_version, needs_retraining, model_deployed }) =>
      `${JSON.stringify(name)} is changed; version ${active_version.version_number} is active. Cost: none. Next: ${
        needs_retraining
          ? 'train_model: the deployed policy still decides among the earlier options.'
          : model_deployed
            ? 'make_decision.'
            : 'add_examples and train_model: no policy is deployed.'
      }`,
  }),
  toTool({
    name: 'add_examples',
    operation: 'examples.create',
    body: z.strictObject({
      examples: z.array(exampleArguments).min(1).max(limits.maxExamplesPerCall).describe('All or none are added'),
    }),
    shorten: (examples) => ({ added: examples.length, first_ids: examples.slice(0, 5).map(({ id }) => id) }),
    description: `Adds examples to a decision type, all or none: input_payload and expected_decision (one of the options, or null). Options with under ${limits.minExamplesPerOption} labels may go to people. Costs nothing.`,
    summarise: (examples) => `${examples.length} examples were added. Cost: none. Next: more of them, or train_model.`,
  }),
  toTool({
    name: 'import_examples',
    operation: 'examples.import',
    omit: ['sheet', 'header_line', 'delimiter', 'quote', 'on_conflict'],
    shorten: ({ committed, examples, labelled, repeated, columns, labels, ...found }) => {
      const { answer, answer_candidates, questions, new_options, new_reason_codes } = found;
      if (committed) return { examples, labelled, repeated: repeated.count };
      return {
        columns: columns.map(({ name, role, read_as }) => ({ name, role, read_as })),
        ...{ answer, answer_candidates, questions, examples, labelled, repeated: repeated.count },
        ...{ labels: labels.slice(0, limits.maxOptions), new_options, new_reason_codes },
      };
    },
    description:
      'Adds the rows of a table or of JSON Lines given as text, all or none; kinds of columns, and a clear label, are found. Without commit it only says what it would do. Costs nothing.',
    summarise: ({ committed, examples, labelled, repeated, ...plan }) =>
      committed
        ? `${examples} rows were added, ${labelled} of them labelled, ${repeated.count} duplicates left out. Cost: none. Next: train_model.`
        : `${examples} rows, ${labelled} of them labelled, ${repeated.count} duplicates left out; nothing is written. Next: ${nameNextOfImport(plan)}.`,
  }),
  toTool({
    name: 'generate_examples',
    operation: 'examples.generate',
    description:
      'Has the teacher propose synthetic examples, all or none; they are stored unreviewed. Costs credits by the tokens used: one for each 100, rounded up.',
    summarise: (examples) =>
      `${examples.length} synthetic examples were added, unreviewed. Their cost is in get_credits. Next: have a person review them, then train_model.`,
  }),
  toTool({
    name: 'next_examples',
    operation: 'examples.next',
    omit: ['restart', 'reader'],
    description:
      'The examples most worth a label, each with a suggestion and why it comes now; kept from others for five minutes: a second call gives others. Costs nothing.',
    summarise: ({ items, remaining }) =>
      `${items.length} of ${remaining} examples that wait. Next: ${
        items.length === 0 ? 'add_examples, or train_model.' : 'label_example for each of them.'
      }`,
  }),
  toTool({
    name: 'label_example',
    operation: 'examples.update',
    omit: ['replaces', 'reader'],
    shorten: (example) => pick(example, ['id', 'expected_decision', 'reason_codes', 'status', 'reviewed', 'test']),
    description:
      'Changes one example: its label (expected_decision, one of the options), reason codes, status (skipped or flagged where it can have none), note and marks. Costs nothing.',
    summarise: ({ status, expected_decision }) =>
      `The example is ${status}${
        expected_decision === null ? '' : ` with the label ${JSON.stringify(expected_decision)}`
      }. Cost: none. Next: label_example for the next one, or next_examples.`,
  }),
  toTool({
    name: 'explain_decision',
    operation: 'logs.explain',
    description:
      'What would change the decision on a logged input, by the release that decided it: the smallest changes of fields or words, the words it rests on, and the examples most like it. Writes no log record, costs nothing.',
    summarise: ({ decision, flips, nearest }) =>
      `Decided ${JSON.stringify(decision)}. ${flips.length} changes would lead elsewhere; ${nearest.length} labelled examples are like it. Next: correct the record where the decision is wrong, or get_decision_logs for another one.`,
  }),
  toTool({
    name: 'get_data_findings',
    operation: 'data_findings.list',
    follow: followAnalysis,
    description:
      'What may be wrong with the examples: contradictions, duplicates, suspect labels, fields that give the answer away; with what to do. Costs nothing.',
    summarise: ({ state, counts, items }) => {
      const found = Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [`${count} ${kind}`]));
      const known = found.length === 0 ? 'Nothing was found' : `Found: ${found.join(', ')}`;
      return `${state === 'ready' ? known : 'The examples are being searched'}. Next: ${
        state === 'ready'
          ? items.length === 0
            ? 'train_model.'
            : 'have a person correct the labels, then train_model.'
          : 'ask again.'
      }`;
    },
  }),
  toTool({
    name: 'train_model',
    operation: 'training.start',
    omit: [
      'augment',
      'augment_target_size',
      'auto_generate',
      'escalation_threshold',
      'golden_inputs',
      'refit',
      'seed',
      'split',
      'text_model',
      'tuning_tokens',
    ],
    description: `Starts a training and answers at once. With auto_deploy (the default) the policy decides if it meets target_f1. Costs ${creditPrices.training} credits, and ${creditPrices.hostingPerHour} per hour while deployed. One at a time.`,
    summarise: ({ policy_id, version, status }) =>
      `Training of policy v${version} ${status === 'queued' ? 'waits in the queue and begins by itself' : 'has started'}. Cost: ${creditPrices.training} credits. Next: get_training_status with policy_id ${policy_id}; cancel_training stops it.`,
  }),
  toTool({
    name: 'get_training_status',
    operation: 'policies.progress',
    follow: ({ status, progress_percent, message }) =>
      isInProgress(status) ? { percent: progress_percent, message: message ?? status } : null,
    description: 'How far a training is; waits for its end, with progress if asked for. Costs nothing.',
    summarise: ({ status, stage_name, progress_percent, error }) => {
      const next: Record<string, string> = {
        trained: 'evaluate_policy, then deploy_policy where it is good enough.',
        deployed: 'make_decision.',
        failed: 'read error, remove its cause, train_model again.',
        cancelled: 'train_model to start again.',
      };
      return `Status ${status}, ${Math.round(progress_percent)}%${stage_name === null ? '' : `, ${stage_name}`}${
        error === null ? '' : `: ${error}`
      }. Next: ${next[status] ?? 'ask again.'}`;
    },
  }),
  toTool({
    name: 'list_policies',
    operation: 'policies.list',
    description: 'The policies of a decision type, newest first, with their accuracy. Costs nothing.',
    summarise: (policies) => {
      const deployed = policies.find((policy) => policy.deployed);
      return `${policies.length === 1 ? '1 policy' : `${policies.length} policies`}${deployed === undefined ? ', none deployed' : `, v${deployed.version} deployed`}. Next: ${
        policies.length === 0
          ? 'train_model.'
          : 'evaluate_policy for one of them, or deploy_policy for one that is trained.'
      }`;
    },
  }),
  toTool({
    name: 'deploy_policy',
    operation: 'policies.deploy',
    shorten: shortenPolicy,
    description: `Lets a trained policy decide: where its verdict holds it, for a reason. Safe to repeat. Costs ${creditPrices.hostingPerHour} credits per hour while deployed.`,
    summarise: ({ version }) =>
      `Policy v${version} is deployed. Cost: ${creditPrices.hostingPerHour} credits per hour. Next: make_decision.`,
  }),
  toTool({
    name: 'cancel_training',
    operation: 'policies.cancel',
    shorten: shortenPolicy,
    description: 'Stops a running training, which is lost. Safe to repeat. Costs nothing.',
    summarise: ({ status }) =>
      `Status ${status}. Next: ${status === 'cancelled' ? 'train_model to start again.' : 'get_training_status until it is cancelled.'}`,
  }),
  toTool({
    name: 'get_decision_logs',
    operation: 'logs.list',
    body: z.strictObject({ page_size: z.int().min(1).max(100).default(5).describe('Records a page') }),
    omit: ['min_confidence', 'max_confidence'],
    description: 'The decision log of a type, newest first; personal fields are replaced by tokens. Costs nothing.',
    summarise: ({ items, total, page, pages }) =>
      `${items.length} of ${total} records, page ${page} of ${pages}. Next: ${page < pages ? `page ${page + 1}, or a narrower filter.` : 'get_metrics for the last 24 hours.'}`,
  }),
  toTool({
    name: 'get_metrics',
    operation: 'metrics.type',
    description: 'Figures of one decision type over the last 24 hours. Costs nothing.',
    summarise: ({ total_decisions, escalation_rate }) =>
      `${countOf(total_decisions, 'decision')} in 24 hours${escalation_rate === null ? '' : `, ${toPercent(escalation_rate)} of them escalated`}. Next: get_decision_logs for single ones.`,
  }),
  toTool({
    name: 'get_credits',
    operation: 'credits.balance',
    description: 'Plan and credits of the organisation. Costs nothing.',
    summarise: ({ plan, used, remaining }) =>
      `Plan ${plan}: ${used} credits used, ${remaining === null ? 'no limit' : `${remaining} left`}. Next: nothing is needed.`,
  }),
  toTool({
    name: 'export_edge_bundle',
    operation: 'bundle.export',
    description:
      'Gives the address of the deployed policy as a ZIP bundle for offline use. Costs nothing; Growth, Scale and local plans.',
    summarise: () =>
      'The bundle is ready. Cost: none. Next: GET download_url with the same Authorization header and open the file with decision_edge.',
  }),
];
