/** All stores on one database connection. */
import type { Clock } from '../process/clock.ts';
import { AccountStore } from './accounts.ts';
import { ClockSightingStore } from './clock-sightings.ts';
import { createConnectionStore } from './connections.ts';
import { CreditStore } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { DecisionTypeStore } from './decision-types.ts';
import { DeploymentStore } from './deployments.ts';
import { ExampleChangeStore } from './example-changes.ts';
import { ExamplePlaces } from './example-places.ts';
import { ExampleStore } from './examples.ts';
import { HeldOutStore } from './held-out.ts';
import { LabellingStore } from './labelling.ts';
import { LogStore } from './logs.ts';
import { PersonalResidueStore } from './personal-residues.ts';
import { PolicyStore } from './policies.ts';
import { PromiseStore } from './promises.ts';
import { ReceiptStore } from './receipts.ts';
import { TrainingRunStore } from './training-runs.ts';
import { TypeRemovalStore } from './type-removal.ts';
import { WriteLock } from './write-lock.ts';

/** Every query of the program, prepared once. All of it runs on the one writing connection. */
export function createStore(db: WorkbenchDatabase, clock: Clock) {
  const deployments = new DeploymentStore(db, clock);
  const examples = new ExampleStore(db);
  return {
    accounts: new AccountStore(db),
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
    deployments,
    personalResidues: new PersonalResidueStore(db),
    receipts: new ReceiptStore(db),
    writeLock: new WriteLock(db),
    trainingRuns: new TrainingRunStore(db, clock, deployments),
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
