import type { Clock } from '../process/clock.ts';
import { AccountStore } from './accounts.ts';
import { createConnectionStore } from './connections.ts';
import { CreditStore } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { DecisionTypeStore } from './decision-types.ts';
import { ExampleChangeStore } from './example-changes.ts';
import { ExampleStore } from './examples.ts';
import { createHeldOutStore } from './held-out.ts';
import { LogStore } from './logs.ts';
import { createPolicyStore } from './policies.ts';

/** Every query of the program, prepared once. All of it runs on the one writing connection. */
export function createStore(db: WorkbenchDatabase, clock: Clock) {
  return {
    accounts: new AccountStore(db),
    credits: new CreditStore(db),
    connections: createConnectionStore(db),
    decisionTypes: new DecisionTypeStore(db),
    examples: new ExampleStore(db),
    exampleChanges: new ExampleChangeStore(db),
    logs: new LogStore(db),
    heldOut: createHeldOutStore(db),
    policies: createPolicyStore(db, clock),
    /** Runs `work` in one immediate transaction: all of it or nothing. */
    transaction<T>(work: () => T): T {
      return db.transaction(work).immediate();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
