/** Every operation of the service by its name. */
import { accountOperations } from './account.ts';
import { backupOperations } from './backups.ts';
import { connectionOperations } from './connections.ts';
import { billingOperations } from './credits.ts';
import { dataFindingOperations } from './data-findings.ts';
import { decisionTypeOperations } from './decision-types.ts';
import { decisionOperations } from './decisions.ts';
import { evaluationOperations } from './evaluation.ts';
import { eventOperations } from './events.ts';
import { exampleOperations } from './examples.ts';
import { explainingOperations } from './explaining.ts';
import { labellingOperations } from './labelling.ts';
import { logOperations } from './logs.ts';
import type { CallInput, CallOutput, Operation } from './operation.ts';
import { optionOperations } from './options.ts';
import { promiseOperations } from './promises.ts';
import { ruleOperations } from './rules.ts';
import { systemOperations } from './system.ts';
import { trainingOperations } from './training.ts';

export const operations = {
  ...systemOperations,
  ...eventOperations,
  ...billingOperations,
  ...decisionTypeOperations,
  ...optionOperations,
  ...ruleOperations,
  ...decisionOperations,
  ...exampleOperations,
  ...labellingOperations,
  ...explainingOperations,
  ...dataFindingOperations,
  ...trainingOperations,
  ...evaluationOperations,
  ...promiseOperations,
  ...logOperations,
  ...connectionOperations,
  ...accountOperations,
  ...backupOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = CallInput<Operations[N]>;
export type OutputOf<N extends OperationName> = CallOutput<Operations[N]>;

/** The table as a list, for those that loop over it. */
export function listOperations(): { name: OperationName; row: Operation }[] {
  return (Object.entries(operations) as [OperationName, Operation][]).map(([name, row]) => ({ name, row }));
}
