/** Progress of a training run as one number that never falls. */
import type { TrainingStage } from '../domain/training.ts';
import { WorkbenchError } from '../errors.ts';
import type { TrainPorts } from './request.ts';

/** The part of the whole run that each stage takes. */
export const stageSpans: Readonly<Record<TrainingStage, readonly [number, number]>> = {
  generate: [0, 0.01],
  prepare: [0.01, 0.03],
  features: [0.03, 0.05],
  text_model: [0.05, 0.64],
  classifier: [0.64, 0.87],
  evaluate: [0.87, 0.92],
  package: [0.92, 1],
};

/** The shortest time between two throttled reports. */
const throttleMs = 500;

/** Reports where a run is. Every method throws WorkbenchError 'conflict' when it finds the run cancelled. */
export type ProgressReporter = ReturnType<typeof createProgressReporter>;

/** The share (0–1) to report after this many steps of unknown total: half of the rest every 40 steps. */
export const estimateShare = (steps: number): number => 1 - 2 ** (-steps / 40);

/** Makes the reporter of a training; a report throws `conflict` once the training is cancelled. */
export function createProgressReporter(ports: Pick<TrainPorts, 'progress' | 'cancelled' | 'now'>) {
  let last: { stage: TrainingStage; fraction: number; message: string } = {
    stage: 'generate',
    fraction: 0,
    message: '',
  };
  let reportedAt = Number.NEGATIVE_INFINITY;
  const send = () => {
    if (ports.cancelled?.() === true) throw new WorkbenchError('conflict', 'The training was cancelled.');
    reportedAt = ports.now();
    ports.progress(last);
  };
  const sendThrottled = () => {
    if (ports.now() - reportedAt >= throttleMs) send();
  };
  const advance = (stage: TrainingStage, share: number, message: string) => {
    const [from, to] = stageSpans[stage];
    const fraction = Math.max(last.fraction, from + (to - from) * Math.max(0, Math.min(1, share)));
    last = { stage, fraction, message };
  };
  /** Reports at once; `share` (0–1) is of the stage. */
  const report = (stage: TrainingStage, share: number, message: string) => {
    advance(stage, share, message);
    send();
  };
  /** Reports at most twice a second: for computations that could report thousands of times. */
  const reportThrottled = (stage: TrainingStage, share: number, message: string) => {
    advance(stage, share, message);
    sendThrottled();
  };
  return {
    report,
    reportThrottled,
    /** Begins a step at share `from` of the stage; returns what reports its own share, throttled. */
    startStep(stage: TrainingStage, from: number, to: number, message: string) {
      report(stage, from, message);
      return (share: number) => reportThrottled(stage, from + (to - from) * share, message);
    },
    /** Repeats the last report twice a second, so that a long computation is known to be alive and can be cancelled. */
    heartbeat: sendThrottled,
  };
}
