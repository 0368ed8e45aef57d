/** All handlers of the operation table. */
import { accountHandlers } from './account/account.ts';
import { activityHandlers } from './account/activity.ts';
import { connectionHandlers } from './account/connections.ts';
import { billingHandlers } from './account/credits.ts';
import type { Handlers } from './context.ts';
import { decideHandlers } from './deciding/decide.ts';
import { decisionModelHandlers } from './deciding/decision-models.ts';
import { explainingHandlers } from './deciding/explaining.ts';
import { logHandlers } from './deciding/logs.ts';
import { questionHandlers } from './deciding/questions.ts';
import { auditHandlers } from './examples/audit.ts';
import { dataFindingHandlers } from './examples/data-findings.ts';
import { exampleHandlers } from './examples/examples.ts';
import { importHandlers } from './examples/imports.ts';
import { labellingHandlers } from './examples/labelling.ts';
import { sampleHandlers } from './examples/samples.ts';
import { secondReadingHandlers } from './examples/second-readings.ts';
import { evaluationHandlers } from './policies/evaluation.ts';
import { promiseHandlers } from './policies/promises.ts';
import { releaseHandlers } from './policies/releases.ts';
import { trainingHandlers } from './policies/training.ts';
import { decisionTypeHandlers } from './types/decision-types.ts';
import { draftHandlers } from './types/drafts.ts';
import { optionHandlers } from './types/options.ts';
import { ruleHandlers } from './types/rules.ts';
import { alertHandlers } from './upkeep/alerts.ts';
import { archiveHandlers } from './upkeep/archives.ts';
import { backupHandlers } from './upkeep/backups.ts';
import { eventHandlers } from './upkeep/events.ts';
import { systemHandlers } from './upkeep/system.ts';
import { textModelHandlers } from './upkeep/text-models.ts';

export type OperationHandlers = Required<Handlers>;

/** One handler for each row of the operation table; a missing one does not compile. */
export const operationHandlers: OperationHandlers = {
  ...systemHandlers,
  ...alertHandlers,
  ...eventHandlers,
  ...billingHandlers,
  ...decisionTypeHandlers,
  ...draftHandlers,
  ...optionHandlers,
  ...ruleHandlers,
  ...sampleHandlers,
  ...exampleHandlers,
  ...importHandlers,
  ...labellingHandlers,
  ...secondReadingHandlers,
  ...auditHandlers,
  ...explainingHandlers,
  ...dataFindingHandlers,
  ...trainingHandlers,
  ...evaluationHandlers,
  ...promiseHandlers,
  ...releaseHandlers,
  ...decideHandlers,
  ...decisionModelHandlers,
  ...questionHandlers,
  ...logHandlers,
  ...connectionHandlers,
  ...accountHandlers,
  ...activityHandlers,
  ...textModelHandlers,
  ...backupHandlers,
  ...archiveHandlers,
};
