/** Every operation of the service by its name. */
import { accountOperations } from './account/account.ts';
import { decisionModelOperations } from './deciding/decision-models.ts';
import { decisionOperations } from './deciding/decisions.ts';
import { logOperations } from './deciding/logs.ts';
import { questionOperations } from './deciding/questions.ts';
import { exampleOperations } from './examples/examples.ts';
import { importOperations } from './examples/imports.ts';
import { labellingOperations } from './examples/labelling.ts';
import type { CallInput, CallOutput, Operation } from './operation.ts';
import { evaluationOperations } from './policies/evaluation.ts';
import { releaseOperations } from './policies/releases.ts';
import { trainingOperations } from './policies/training.ts';
import { decisionTypeOperations } from './types/decision-types.ts';
import { draftOperations } from './types/drafts.ts';
import { ruleOperations } from './types/rules.ts';
import { archiveOperations } from './upkeep/archives.ts';
import { upkeepOperations } from './upkeep/upkeep.ts';

export const operations = {
  ...upkeepOperations,
  ...decisionTypeOperations,
  ...draftOperations,
  ...ruleOperations,
  ...decisionOperations,
  ...decisionModelOperations,
  ...questionOperations,
  ...exampleOperations,
  ...importOperations,
  ...labellingOperations,
  ...trainingOperations,
  ...evaluationOperations,
  ...releaseOperations,
  ...logOperations,
  ...accountOperations,
  ...archiveOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = CallInput<Operations[N]>;
export type OutputOf<N extends OperationName> = CallOutput<Operations[N]>;

/** Every operation with its name, in the order of the table. */
export function listOperations(): { name: OperationName; row: Operation }[] {
  return (Object.entries(operations) as [OperationName, Operation][]).map(([name, row]) => ({ name, row }));
}
