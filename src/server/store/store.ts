import type { Clock } from '../process/clock.ts';
import { AccountStore } from './account/accounts.ts';
import { createActivityStore } from './account/activity.ts';
import { createConnectionStore } from './account/connections.ts';
import { CreditStore } from './account/credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { LogStore } from './deciding/logs.ts';
import { createQuestionStore } from './deciding/questions.ts';
import { createReceiptStore } from './deciding/receipts.ts';
import { createAuditStore } from './examples/audits.ts';
import { ExampleChangeStore } from './examples/example-changes.ts';
import { createExampleExportStore } from './examples/example-exports.ts';
import { createExampleMergeStore } from './examples/example-merges.ts';
import { createExamplePlaces } from './examples/example-places.ts';
import { ExampleStore } from './examples/examples.ts';
import { createHeldOutStore } from './examples/held-out.ts';
import { createLabelHistoryStore } from './examples/label-history.ts';
import { createLabellingStore } from './examples/labelling.ts';
import { createOwnAnswersStore } from './examples/own-answers.ts';
import { DeploymentStore } from './policies/deployments.ts';
import { createPolicyStore } from './policies/policies.ts';
import { createPromiseStore } from './policies/promises.ts';
import { createReleaseStore } from './policies/releases.ts';
import { TrainingRunStore } from './policies/training-runs.ts';
import { createAuthorStore } from './types/authors.ts';
import { DecisionTypeStore } from './types/decision-types.ts';
import { createPersonalResidueStore } from './types/personal-residues.ts';
import { createTypeRemovalStore } from './types/type-removal.ts';
import { createClockSightingStore } from './upkeep/clock-sightings.ts';
import { createTypeArchiveStore } from './upkeep/type-archives.ts';
import { WriteLock } from './write-lock.ts';

/** Every query of the program, prepared once. All of it runs on the one writing connection. */
export function createStore(db: WorkbenchDatabase, clock: Clock) {
  const examples = new ExampleStore(db);
  const labelHistory = createLabelHistoryStore(db);
  return {
    accounts: new AccountStore(db),
    activity: createActivityStore(db),
    audits: createAuditStore(db),
    authors: createAuthorStore(db),
    clockSightings: createClockSightingStore(db),
    credits: new CreditStore(db),
    connections: createConnectionStore(db),
    decisionTypes: new DecisionTypeStore(db),
    examples,
    exampleExports: createExampleExportStore(db),
    exampleMerges: createExampleMergeStore(db, (typeId) => examples.noteChange(typeId)),
    examplePlaces: createExamplePlaces(db),
    labelHistory,
    labelling: createLabellingStore(db, (typeId) => examples.noteChange(typeId)),
    exampleChanges: new ExampleChangeStore(db, labelHistory, (typeId) => examples.noteChange(typeId)),
    logs: new LogStore(db),
    heldOut: createHeldOutStore(db),
    ownAnswers: createOwnAnswersStore(db),
    policies: createPolicyStore(db),
    promises: createPromiseStore(db),
    deployments: new DeploymentStore(db, clock),
    releases: createReleaseStore(db, clock),
    personalResidues: createPersonalResidueStore(db),
    questions: createQuestionStore(db),
    receipts: createReceiptStore(db),
    writeLock: new WriteLock(db),
    trainingRuns: new TrainingRunStore(db, clock),
    typeRemoval: createTypeRemovalStore(db),
    typeArchives: createTypeArchiveStore(db),
    /** Whether the database answers; throws its error when it is closed or broken. */
    isAnswering: (): boolean => db.prepare('SELECT 1').pluck().get() === 1,
    /** Runs `work` in one immediate transaction: all of it or nothing. */
    transaction<T>(work: () => T): T {
      return db.transaction(work).immediate();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
