/** The messages between the server and a training process. */
import type { Metrics } from '../../engine/domain/metrics.ts';
import type { TrainingStage } from '../../engine/domain/training.ts';
import type { LabelCheck } from '../../engine/findings/labels.ts';
import type {
  FollowUp,
  HeldOutRow,
  PolicyName,
  Proposal,
  TeacherRequest,
  TrainRequest,
} from '../../engine/training/request.ts';
import type { OpenRecord, SnapshotRecord } from '../store/policies/snapshots.ts';

/** Server to worker; sent once, the rows follow. */
export type WorkerOrder = {
  request: Omit<TrainRequest, 'examples' | 'open' | 'seed'>;
  resourcesDir: string;
  ownTextModelsDir: string;
  encodingsDir: string;
  /** Where the packed bundle is to lie, in an existing folder. */
  outFile: string;
  heartbeatMs: number;
  /** Whether a teacher is connected: the server asks it, the worker never sees its address or key. */
  hasTeacher: boolean;
};
/** Server to worker, after the order, until `last`: labelled rows, then those without a label. */
export type RowsMessage = { rows: SnapshotRecord[]; open: OpenRecord[]; last: boolean };
export type WorkerResult = { sha256: string; sizeBytes: number; metrics: Metrics; heldOut: HeldOutRow[] };

/** Reports of a worker. Each is also a heartbeat. */
export type WorkerReport =
  | { kind: 'heartbeat'; residentMb: number }
  | { kind: 'progress'; stage: TrainingStage; fraction: number; message: string; residentMb: number }
  | { kind: 'snapshot'; sha256: string; seed: number; runtime: string; residentMb: number }
  | ({ kind: 'done' } & WorkerResult)
  /** Some of the checks of labels; all of them come before `followedUp`. */
  | { kind: 'labels'; checks: LabelCheck[]; residentMb: number }
  | { kind: 'followedUp'; metrics: FollowUp['metrics']; isTuning: boolean; residentMb: number }
  /** The end of a tuning in the background; where it is better, `result` is the policy in the file of the order. */
  | {
      kind: 'tuned';
      next: PolicyName;
      textTuning: Metrics['text_tuning'];
      result: WorkerResult | null;
      residentMb: number;
    }
  | { kind: 'failed'; message: string };

/** Orders of a worker to the server. */
export type ServerOrders = {
  report(report: WorkerReport): void;
  /** Answered once what is reported is stored, with the name of the policy that a tuning would make. */
  goOn(report: Extract<WorkerReport, { kind: 'done' | 'tuned' }>): Promise<PolicyName>;
  teach(question: { request: TeacherRequest; residentMb: number }): Promise<Proposal[]>;
};
