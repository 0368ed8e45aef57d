/** All handlers of the operation table. */
import { accountHandlers } from './account/account.ts';
import { activityHandlers } from './account/activity.ts';
import type { Handlers } from './context.ts';
import { decidingHandlers } from './deciding/deciding.ts';
import { logHandlers } from './deciding/logs.ts';
import { exampleHandlers } from './examples/examples.ts';
import { importHandlers } from './examples/imports.ts';
import { labellingHandlers } from './examples/labelling.ts';
import { evaluationHandlers } from './policies/evaluation.ts';
import { releaseHandlers } from './policies/releases.ts';
import { trainingHandlers } from './policies/training.ts';
import { decisionTypeHandlers } from './types/decision-types.ts';
import { upkeepHandlers } from './upkeep/upkeep.ts';

/** One handler for each row of the operation table; a missing one does not compile. */
export const operationHandlers: Required<Handlers> = {
  ...upkeepHandlers,
  ...decidingHandlers,
  ...decisionTypeHandlers,
  ...exampleHandlers,
  ...importHandlers,
  ...labellingHandlers,
  ...trainingHandlers,
  ...evaluationHandlers,
  ...releaseHandlers,
  ...logHandlers,
  ...accountHandlers,
  ...activityHandlers,
};
