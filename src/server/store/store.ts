import type { Clock } from '../process/clock.ts';
import { createAccountStore } from './accounts.ts';
import { createConnectionStore } from './connections.ts';
import { createCreditStore } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { createDecisionTypeStore } from './decision-types.ts';
import { createExampleStore } from './examples.ts';
import { createHeldOutStore } from './held-out.ts';
import { createLogStore } from './logs.ts';
import { createPolicyStore } from './policies.ts';

/** Every query of the program, prepared once. All of it runs on the one writing connection. */
export function createStore(db: WorkbenchDatabase, clock: Clock) {
  return {
    accounts: createAccountStore(db),
    credits: createCreditStore(db),
    connections: createConnectionStore(db),
    decisionTypes: createDecisionTypeStore(db),
    examples: createExampleStore(db),
    logs: createLogStore(db),
    heldOut: createHeldOutStore(db),
    policies: createPolicyStore(db, clock),
    /** Runs `work` in one immediate transaction: all of it or nothing. */
    transaction<T>(work: () => T): T {
      return db.transaction(work).immediate();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
