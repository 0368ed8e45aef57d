import type { Clock } from '../process/clock.ts';
import { AccountStore } from './account/accounts.ts';
import { createConnectionStore } from './account/connections.ts';
import { CreditStore } from './account/credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { LogStore } from './deciding/logs.ts';
import { ReceiptStore } from './deciding/receipts.ts';
import { AuditStore } from './examples/audits.ts';
import { ExampleChangeStore } from './examples/example-changes.ts';
import { ExamplePlaces } from './examples/example-places.ts';
import { ExampleStore } from './examples/examples.ts';
import { HeldOutStore } from './examples/held-out.ts';
import { LabellingStore } from './examples/labelling.ts';
import { DeploymentStore } from './policies/deployments.ts';
import { PolicyStore } from './policies/policies.ts';
import { PromiseStore } from './policies/promises.ts';
import { TrainingRunStore } from './policies/training-runs.ts';
import { DecisionTypeStore } from './types/decision-types.ts';
import { PersonalResidueStore } from './types/personal-residues.ts';
import { TypeRemovalStore } from './types/type-removal.ts';
import { ClockSightingStore } from './upkeep/clock-sightings.ts';
import { WriteLock } from './write-lock.ts';

/** Every query of the program, prepared once. All of it runs on the one writing connection. */
export function createStore(db: WorkbenchDatabase, clock: Clock) {
  const examples = new ExampleStore(db);
  return {
    accounts: new AccountStore(db),
    audits: new AuditStore(db),
    clockSightings: new ClockSightingStore(db),
    credits: new CreditStore(db),
    connections: createConnectionStore(db),
    decisionTypes: new DecisionTypeStore(db),
    examples,
    examplePlaces: new ExamplePlaces(db),
    labelling: new LabellingStore(db, (typeId) => examples.noteChange(typeId)),
    exampleChanges: new ExampleChangeStore(db, (typeId) => examples.noteChange(typeId)),
    logs: new LogStore(db),
    heldOut: new HeldOutStore(db),
    policies: new PolicyStore(db),
    promises: new PromiseStore(db),
    deployments: new DeploymentStore(db, clock),
    personalResidues: new PersonalResidueStore(db),
    receipts: new ReceiptStore(db),
    writeLock: new WriteLock(db),
    trainingRuns: new TrainingRunStore(db, clock),
    typeRemoval: new TypeRemovalStore(db),
    /** Whether the database answers; throws its error when it is closed or broken. */
    isAnswering: (): boolean => db.prepare('SELECT 1').pluck().get() === 1,
    /** Runs `work` in one immediate transaction: all of it or nothing. */
    transaction<T>(work: () => T): T {
      return db.transaction(work).immediate();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
