/** Every operation of the service by its name. */
import { accountOperations } from './account/account.ts';
import { activityOperations } from './account/activity.ts';
import { connectionOperations } from './account/connections.ts';
import { billingOperations } from './account/credits.ts';
import { decisionModelOperations } from './deciding/decision-models.ts';
import { decisionOperations } from './deciding/decisions.ts';
import { explainingOperations } from './deciding/explaining.ts';
import { logOperations } from './deciding/logs.ts';
import { questionOperations } from './deciding/questions.ts';
import { auditOperations } from './examples/audit.ts';
import { dataFindingOperations } from './examples/data-findings.ts';
import { exampleOperations } from './examples/examples.ts';
import { importOperations } from './examples/imports.ts';
import { labellingOperations } from './examples/labelling.ts';
import { secondReadingOperations } from './examples/second-readings.ts';
import type { CallInput, CallOutput, Operation } from './operation.ts';
import { evaluationOperations } from './policies/evaluation.ts';
import { promiseOperations } from './policies/promises.ts';
import { releaseOperations } from './policies/releases.ts';
import { trainingOperations } from './policies/training.ts';
import { decisionTypeOperations } from './types/decision-types.ts';
import { draftOperations } from './types/drafts.ts';
import { optionOperations } from './types/options.ts';
import { ruleOperations } from './types/rules.ts';
import { alertOperations } from './upkeep/alerts.ts';
import { archiveOperations } from './upkeep/archives.ts';
import { backupOperations } from './upkeep/backups.ts';
import { eventOperations } from './upkeep/events.ts';
import { systemOperations } from './upkeep/system.ts';
import { textModelOperations } from './upkeep/text-models.ts';

export const operations = {
  ...systemOperations,
  ...alertOperations,
  ...eventOperations,
  ...billingOperations,
  ...decisionTypeOperations,
  ...draftOperations,
  ...optionOperations,
  ...ruleOperations,
  ...decisionOperations,
  ...decisionModelOperations,
  ...questionOperations,
  ...exampleOperations,
  ...importOperations,
  ...labellingOperations,
  ...auditOperations,
  ...secondReadingOperations,
  ...explainingOperations,
  ...dataFindingOperations,
  ...trainingOperations,
  ...evaluationOperations,
  ...promiseOperations,
  ...releaseOperations,
  ...logOperations,
  ...connectionOperations,
  ...accountOperations,
  ...activityOperations,
  ...textModelOperations,
  ...backupOperations,
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
