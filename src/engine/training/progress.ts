/** Progress of a run as one number that never falls. */
import type { TrainingStage } from '../domain.ts';
import { WorkbenchError } from '../errors.ts';
import type { TrainPorts } from './request.ts';

/** The part of the whole run that each stage takes. */
const spans: Record<TrainingStage, [number, number]> = {
  generate: [0, 0.01],
  prepare: [0.01, 0.03],
  features: [0.03, 0.05],
  text_model: [0.05, 0.6],
  classifier: [0.6, 0.82],
  evaluate: [0.82, 0.93],
  package: [0.93, 1],
};

const tickMs = 500;

export type ProgressReporter = {
  /** Tells where the run is: `share` (0–1) is of the stage. Throws WorkbenchError 'conflict' when the run was cancelled. */
  report(stage: TrainingStage, share: number, message: string): void;
  /** As `tell`, but heard at most twice a second: for computations that could tell thousands of times. */
  reportThrottled(stage: TrainingStage, share: number, message: string): void;
  /** A sign of life from a long computation: repeats the last report twice a second, and stops a cancelled run. */
  heartbeat(): void;
};

/** How far a computation of unknown length may be after so many steps: it comes half the way closer to 1 every 40 steps. */
export const shareAfter = (steps: number): number => 1 - 2 ** (-steps / 40);

/** Makes the teller of one run. */
export function createProgressReporter(ports: Pick<TrainPorts, 'progress' | 'cancelled' | 'now'>): ProgressReporter {
  let last: { stage: TrainingStage; fraction: number; message: string } = {
    stage: 'generate',
    fraction: 0,
    message: '',
  };
  let toldAt = Number.NEGATIVE_INFINITY;
  const send = () => {
    if (ports.cancelled?.() === true) throw new WorkbenchError('conflict', 'The training was cancelled.');
    toldAt = ports.now();
    ports.progress(last);
  };
  const sendNowAndThen = () => {
    if (ports.now() - toldAt >= tickMs) send();
  };
  const at = (stage: TrainingStage, share: number, message: string) => {
    const [from, to] = spans[stage];
    const fraction = Math.max(last.fraction, from + (to - from) * Math.max(0, Math.min(1, share)));
    last = { stage, fraction, message };
  };
  return {
    report(stage, share, message) {
      at(stage, share, message);
      send();
    },
    reportThrottled(stage, share, message) {
      at(stage, share, message);
      sendNowAndThen();
    },
    heartbeat: sendNowAndThen,
  };
}
