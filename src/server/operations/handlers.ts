/** All handlers of the operation table. */
import type { OperationName } from '../contract/operations.ts';
import { accountHandlers } from './account.ts';
import { backupHandlers } from './backups.ts';
import { bundleHandlers } from './bundles.ts';
import { connectionHandlers } from './connections.ts';
import type { Handlers } from './context.ts';
import { billingHandlers } from './credits.ts';
import { dataFindingHandlers } from './data-findings.ts';
import { decideHandlers } from './decide.ts';
import { decisionTypeHandlers } from './decision-types.ts';
import { evaluationHandlers } from './evaluation.ts';
import { eventHandlers } from './events.ts';
import { exampleHandlers } from './examples.ts';
import { explainingHandlers } from './explaining.ts';
import { generateHandlers } from './generate.ts';
import { labellingHandlers } from './labelling.ts';
import { logHandlers } from './logs.ts';
import { optionHandlers } from './options.ts';
import { promiseHandlers } from './promises.ts';
import { ruleHandlers } from './rules.ts';
import { sampleHandlers } from './samples.ts';
import { systemHandlers } from './system.ts';
import { trainingHandlers } from './training.ts';

export type OperationHandlers = Handlers<OperationName>;

/** One handler for each row of the operation table; a missing one does not compile. */
export const operationHandlers: OperationHandlers = {
  ...systemHandlers,
  ...eventHandlers,
  ...billingHandlers,
  ...decisionTypeHandlers,
  ...optionHandlers,
  ...ruleHandlers,
  ...sampleHandlers,
  ...exampleHandlers,
  ...labellingHandlers,
  ...explainingHandlers,
  ...dataFindingHandlers,
  ...generateHandlers,
  ...trainingHandlers,
  ...evaluationHandlers,
  ...promiseHandlers,
  ...bundleHandlers,
  ...decideHandlers,
  ...logHandlers,
  ...connectionHandlers,
  ...accountHandlers,
  ...backupHandlers,
};
