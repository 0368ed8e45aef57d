/** How likely the decision of a log record is right. */
import type { LogRecord } from '../../../server/contract/deciding/logs.ts';

/** The confidence of a record's decision, which earlier programs did not note of fallbacks and connected models. */
export function readOwnProbability({ decision, confidence, class_probabilities: of }: LogRecord): number {
  return confidence === 0 ? 0 : Math.min(1, of[decision] ?? confidence);
}
