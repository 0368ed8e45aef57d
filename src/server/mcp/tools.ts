/** The tools that agents are offered: each is one operation of the table, its arguments and its answer included. */
import { z } from 'zod';
import { limits } from '../../engine/limits.ts';
import { decideRequestSchema } from '../contract/decisions.ts';
import type { Operation } from '../contract/operation.ts';
import { type OperationName, type OutputOf, operations } from '../contract/operations.ts';
import { creditPrices } from '../metering/plans.ts';

type Shape = Record<string, z.ZodType>;
/** A schema and the JSON Schema that agents read of it. */
export type DescribedSchema = { schema: z.ZodType; json: Record<string, unknown> };

/**
 * One tool. `summarise` writes what stands beside the structured answer: what happened, what it cost, what to do next.
 */
export type Tool = {
  name: string;
  title: string;
  description: string;
  operation: OperationName;
  row: Operation;
  /** The parts of the request, merged into one object of arguments. */
  input: DescribedSchema;
  /** The operation's answer; a list stands under `items`, a download is replaced by its address. */
  output: DescribedSchema;
  summarise(answer: unknown): string;
};

const describeSchema = (schema: z.ZodType, io: 'input' | 'output'): DescribedSchema => ({
  schema,
  json: z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
});
/** The fields of an object's schema; none where the part of the request does not exist. */
const listFields = (schema: z.ZodType | undefined): Shape => (schema instanceof z.ZodObject ? schema.shape : {});

/** Where a file can be fetched: tools never carry its bytes. */
const downloadSchema = z.object({
  download_url: z.string().describe('GET it with the same Authorization header'),
  content_type: z.string(),
  file_name: z.string(),
  policy_version: z.string(),
});

function toTool<const N extends OperationName>(definition: {
  name: string;
  title: string;
  operation: N;
  description: string;
  /** Where the arguments are not simply the fields of the body. */
  body?: z.ZodObject;
  summarise(answer: OutputOf<N>): string;
}): Tool {
  const row: Operation = operations[definition.operation];
  const { output } = row;
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    operation: definition.operation,
    row,
    input: describeSchema(
      z.strictObject({
        ...listFields(row.params),
        ...listFields(row.query),
        ...listFields(definition.body ?? row.body),
      }),
      'input',
    ),
    output: describeSchema(
      output === null ? downloadSchema : output instanceof z.ZodArray ? z.object({ items: output }) : output,
      'output',
    ),
    summarise: (answer) => definition.summarise(answer as OutputOf<N>),
  };
}

const decideArguments = z.strictObject({
  decision_type: z.string().min(1).describe('Name of the decision type'),
  input: decideRequestSchema.shape.input,
});
const toPercent = (part: number) => `${Math.round(part * 100)} %`;
const quoteNames = (values: readonly string[]) => values.map((value) => JSON.stringify(value)).join(', ');

export const tools: readonly Tool[] = [
  toTool({
    name: 'make_decision',
    title: 'Make a decision',
    operation: 'decide',
    body: decideArguments,
    description: `Decides one input with the deployed policy of a decision type. Writes a log record and costs ${creditPrices.decision} credit, unless dry_run is true. Without a deployed policy: train one first (train_model).`,
    summarise: ({ decision, confidence, stage, escalate, dry_run }) =>
      `Decided ${JSON.stringify(decision)} with confidence ${toPercent(confidence)} by ${stage}. ${
        dry_run
          ? 'This was a dry run: no log record was written; cost: none.'
          : `A log record was written; cost: ${creditPrices.decision} credit.`
      } ${
        escalate
          ? 'Next: have a person look at it before acting (escalate is true).'
          : 'Next: act on it, or see get_decision_logs.'
      }`,
  }),
  toTool({
    name: 'batch_decisions',
    title: `Make up to ${limits.maxBatchSize} decisions`,
    operation: 'decide.batch',
    body: z.strictObject({ decisions: z.array(decideArguments).min(1).max(limits.maxBatchSize) }),
    description: `Decides 1 to ${limits.maxBatchSize} inputs in their order. A failed item is null in results and has an entry in errors with the same index; a null is never a decision. Writes a log record and costs ${creditPrices.decision} credit for each success.`,
    summarise: ({ succeeded, failed }) =>
      `${succeeded} decided, ${failed} failed. Log records were written; cost: ${succeeded * creditPrices.decision} credits. Next: ${
        failed > 0 ? 'see errors; repeat only those that are retryable.' : 'act on results in their order.'
      }`,
  }),
  toTool({
    name: 'list_decision_types',
    title: 'List decision types',
    operation: 'decision_types.list',
    description: 'Lists the decision types of the organisation, page by page. Changes nothing, costs nothing.',
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
    title: 'Get a decision type',
    operation: 'decision_types.get',
    description:
      'One decision type with its active version: options, reason codes, hard rules, input schema, thresholds. Changes nothing, costs nothing.',
    summarise: ({ name, active_version, model_deployed }) =>
      `${JSON.stringify(name)}, version ${active_version.version_number}, options ${quoteNames(active_version.options)}, ${active_version.hard_rules.length} rules. Next: ${
        model_deployed ? 'make_decision.' : 'add_examples and train_model: no policy is deployed.'
      }`,
  }),
  toTool({
    name: 'create_decision_type',
    title: 'Create a decision type',
    operation: 'decision_types.create',
    description:
      'Creates a decision type: a name, at least two options, and optionally reason codes, hard rules (CEL over ctx), an input schema and thresholds. Counts towards the plan; costs no credits.',
    summarise: ({ id, name }) =>
      `Created ${JSON.stringify(name)} with id ${id}. Cost: none. Next: add_examples or generate_examples.`,
  }),
  toTool({
    name: 'update_decision_type',
    title: 'Change a decision type',
    operation: 'decision_types.update',
    description:
      'Changes the given fields of a decision type, such as hard_rules, confidence_thresholds or fallback_option; a list replaces the earlier one. Rules and thresholds decide from the next call on; a change of logic makes a new version, and the earlier ones are kept. Costs no credits.',
    summarise: ({ name, active_version, needs_retraining }) =>
      `${JSON.stringify(name)} is changed; version ${active_version.version_number} is active. Cost: none. Next: ${
        needs_retraining
          ? 'train_model: the deployed policy still decides among the earlier options.'
          : 'make_decision.'
      }`,
  }),
  toTool({
    name: 'add_examples',
    title: 'Add examples',
    operation: 'examples.create',
    description: `Adds examples to a decision type, all or none: input_payload and expected_decision (one of the options, or null). Training needs at least ${limits.minExamplesPerOption} labelled ones per option. Costs nothing.`,
    summarise: (examples) => `${examples.length} examples were added. Cost: none. Next: more of them, or train_model.`,
  }),
  toTool({
    name: 'generate_examples',
    title: 'Generate examples',
    operation: 'examples.generate',
    description:
      'Has the teacher propose synthetic examples, all or none; they are stored unreviewed. Costs credits by the tokens used: one for each 100, rounded up.',
    summarise: (examples) =>
      `${examples.length} synthetic examples were added, unreviewed. Their cost is in get_credits. Next: have a person review them, then train_model.`,
  }),
  toTool({
    name: 'next_examples',
    title: 'Get the next examples to label',
    operation: 'examples.next',
    description:
      'The examples that are worth a label most, each with a suggestion, its probability and why it comes now. What is given is kept from other callers for five minutes: a second call gives other examples. Costs nothing.',
    summarise: ({ items, remaining, stop_hint }) =>
      `${items.length} of ${remaining} examples that wait. ${stop_hint ?? ''} Next: ${
        items.length === 0 ? 'add_examples, or train_model.' : 'label_example for each of them.'
      }`,
  }),
  toTool({
    name: 'label_example',
    title: 'Label an example',
    operation: 'examples.update',
    description:
      'Changes one example: its label (expected_decision, one of the options), reason codes, status (skipped or flagged where no label can be given), a note, or whether it is reviewed. The suggestions of next_examples follow at once. Costs nothing.',
    summarise: ({ status, expected_decision }) =>
      `The example is ${status}${
        expected_decision === null ? '' : ` with the label ${JSON.stringify(expected_decision)}`
      }. Cost: none. Next: label_example for the next one, or next_examples.`,
  }),
  toTool({
    name: 'explain_decision',
    title: 'Explain a logged decision',
    operation: 'logs.explain',
    description:
      'What would change the decision on a logged input, as the deployed policy decides it now: the smallest changes of fields or words, the words it rests on, and the labelled examples most like it. Writes no log record, costs nothing.',
    summarise: ({ decision, flips, nearest }) =>
      `Decided ${JSON.stringify(decision)}. ${flips.length} changes would lead elsewhere; ${nearest.length} labelled examples are like it. Next: correct the record where the decision is wrong, or get_decision_logs for another one.`,
  }),
  toTool({
    name: 'get_data_findings',
    title: 'Get findings about the data',
    operation: 'data_findings.list',
    description:
      'What may be wrong with the examples: contradictions, duplicates, suspect and unknown labels, fields that give the answer away and more, each with its examples, the likelier label and what to do. Changes nothing, costs nothing.',
    summarise: ({ state, counts, items }) => {
      const found = Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [`${count} ${kind}`]));
      const known = found.length === 0 ? 'Nothing was found' : `Found: ${found.join(', ')}`;
      return `${state === 'ready' ? known : 'The examples are being searched'}. Next: ${
        state === 'ready'
          ? items.length === 0
            ? 'train_model.'
            : 'have a person correct the labels, then train_model.'
          : 'ask again in 5 seconds.'
      }`;
    },
  }),
  toTool({
    name: 'train_model',
    title: 'Train a policy',
    operation: 'training.start',
    description: `Starts a training in the background and answers at once. With auto_deploy (the default) the policy replaces the deployed one when it is done and meets target_f1. Costs ${creditPrices.training} credits, and ${creditPrices.hostingPerHour} per hour while deployed. One training at a time.`,
    summarise: ({ policy_id, version }) =>
      `Training of policy v${version} has started. Cost: ${creditPrices.training} credits. Next: get_training_status with policy_id ${policy_id} every 3 to 5 seconds; cancel_training stops it.`,
  }),
  toTool({
    name: 'get_training_status',
    title: 'Get the status of a training',
    operation: 'policies.progress',
    description: 'How far a training is. Changes nothing, costs nothing. Poll every 3 to 5 seconds while it runs.',
    summarise: ({ status, stage_name, progress_percent, error }) => {
      const next: Record<string, string> = {
        trained: 'deploy_policy, or train again with another target_f1.',
        deployed: 'make_decision.',
        failed: 'read error, remove its cause, train_model again.',
        cancelled: 'train_model to start anew.',
      };
      return `Status ${status}, ${Math.round(progress_percent)} %${stage_name === null ? '' : `, ${stage_name}`}${
        error === null ? '' : `: ${error}`
      }. Next: ${next[status] ?? 'ask again in 3 to 5 seconds.'}`;
    },
  }),
  toTool({
    name: 'list_policies',
    title: 'List policies',
    operation: 'policies.list',
    description: 'The policies of a decision type, newest first, with their accuracy. Changes nothing, costs nothing.',
    summarise: (policies) => {
      const deployed = policies.find((policy) => policy.deployed);
      return `${policies.length} policies${deployed === undefined ? ', none deployed' : `, v${deployed.version} deployed`}. Next: ${
        policies.length === 0 ? 'train_model.' : 'deploy_policy for one that is trained.'
      }`;
    },
  }),
  toTool({
    name: 'deploy_policy',
    title: 'Deploy a policy',
    operation: 'policies.deploy',
    description: `Puts a trained policy in charge of its decision type, in the place of the deployed one, which stays and can be deployed again. Safe to repeat. Costs ${creditPrices.hostingPerHour} credits per hour while deployed.`,
    summarise: ({ version }) =>
      `Policy v${version} is deployed. Cost: ${creditPrices.hostingPerHour} credits per hour. Next: make_decision.`,
  }),
  toTool({
    name: 'cancel_training',
    title: 'Cancel a training',
    operation: 'policies.cancel',
    description:
      'Stops a running training; what it learned is lost. The deployed policy stays. Safe to repeat. Costs nothing, but the cost of the training is not given back.',
    summarise: ({ status }) =>
      `Status ${status}. No credits are given back. Next: ${status === 'cancelled' ? 'train_model to start anew.' : 'get_training_status until it is cancelled.'}`,
  }),
  toTool({
    name: 'get_decision_logs',
    title: 'Get decision logs',
    operation: 'logs.list',
    description:
      'The decision log of a type, newest first, with filters; personal fields are replaced by tokens. Changes nothing, costs nothing.',
    summarise: ({ items, total, page, pages }) =>
      `${items.length} of ${total} records, page ${page} of ${pages}. Next: ${page < pages ? `page ${page + 1}, or a narrower filter.` : 'get_metrics for the last 24 hours.'}`,
  }),
  toTool({
    name: 'get_metrics',
    title: 'Get metrics',
    operation: 'metrics.type',
    description: 'Figures of one decision type over the last 24 hours. Changes nothing, costs nothing.',
    summarise: ({ total_decisions, escalation_rate }) =>
      `${total_decisions} decisions in 24 hours${escalation_rate === null ? '' : `, ${toPercent(escalation_rate)} of them escalated`}. Next: get_decision_logs for single ones.`,
  }),
  toTool({
    name: 'get_credits',
    title: 'Get the credit balance',
    operation: 'credits.balance',
    description: 'Plan and credits of the organisation. Changes nothing, costs nothing.',
    summarise: ({ plan, used, remaining }) =>
      `Plan ${plan}: ${used} credits used, ${remaining === null ? 'no limit' : `${remaining} left`}. Next: nothing is needed.`,
  }),
  toTool({
    name: 'export_edge_bundle',
    title: 'Export the edge bundle',
    operation: 'bundle.export',
    description:
      'Gives the address from which the deployed policy can be downloaded as a ZIP bundle for offline use. Changes nothing, costs nothing; Growth, Scale and local plans.',
    summarise: () =>
      'The bundle is ready. Cost: none. Next: GET download_url with the same Authorization header and open the file with decision_edge.',
  }),
];
