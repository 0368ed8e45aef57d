/** The deployed policies that cannot be loaded now: why, and when each is tried again. */
import { statSync } from 'node:fs';
import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import type { MonotonicClock } from '../../engine/ports.ts';

/** Waits between tries in a row; the last one stays. A changed file is tried at once. */
const retryDelaysMs = [1_000, 2_000, 5_000, 15_000, 60_000];
/** Errors of a policy whose parts cannot be used; anything else is a fault, for the log alone. */
const shownCodes: readonly ErrorCode[] = ['unavailable', 'validation_error'];
export const remedy = 'Train the decision type again, or put a backup of the file in its place.';

type Failure = { reason: string; isMisfit: boolean; tries: number; retryAtMs: number; filesSeen: string };

/** Remembers failures, so that a call does not read the files again that were bad a moment ago. */
export class UnavailablePolicies {
  readonly #failures = new Map<string, Failure>();
  readonly #now: MonotonicClock;
  readonly #listFiles: (policyId: string) => string[];

  /** `listFiles` names the files that a policy is loaded from. */
  constructor(now: MonotonicClock, listFiles: (policyId: string) => string[]) {
    this.#now = now;
    this.#listFiles = listFiles;
  }

  /** Why a policy cannot be used, as a whole sentence with the remedy, or null. */
  findReason(policyId: string): string | null {
    return this.#failures.get(policyId)?.reason ?? null;
  }

  /** Whether a policy was read, and does not fit this program. */
  isMisfit(policyId: string): boolean {
    return this.#failures.get(policyId)?.isMisfit ?? false;
  }

  /** Whether trying again would be pointless: the policy failed, and its files are unchanged since. */
  isHopeless(policyId: string): boolean {
    const failure = this.#failures.get(policyId);
    return failure !== undefined && failure.filesSeen === this.#describeFiles(policyId);
  }

  /** The policies whose wait is over. */
  listDue(): string[] {
    const now = this.#now();
    return [...this.#failures].filter(([, { retryAtMs }]) => now >= retryAtMs).map(([policyId]) => policyId);
  }

  /** Notes that a policy could not be loaded; returns whether that is news. */
  note(policyId: string, error: unknown): boolean {
    const before = this.#failures.get(policyId);
    const tries = (before?.tries ?? 0) + 1;
    const reason = toReason(error);
    const delayMs = retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1] ?? 0;
    const filesSeen = this.#describeFiles(policyId);
    const isMisfit = error instanceof WorkbenchError && error.code === 'validation_error';
    this.#failures.set(policyId, { reason, isMisfit, tries, retryAtMs: this.#now() + delayMs, filesSeen });
    return before?.reason !== reason;
  }

  /** Forgets the failure of a policy; returns whether there was one. */
  forget(policyId: string): boolean {
    return this.#failures.delete(policyId);
  }

  #describeFiles(policyId: string): string {
    return this.#listFiles(policyId).map(describeFile).join(' ');
  }
}

/** The sentences that tell why a policy cannot be used. */
function toReason(error: unknown): string {
  if (error instanceof WorkbenchError && shownCodes.includes(error.code)) return error.message;
  return `The policy cannot be loaded; the log of the program says why. ${remedy}`;
}

/** Changes when a file is put back, replaced or written; "away" for files that cannot be reached. */
function describeFile(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs}:${size}:${ino}`;
  } catch {
    return 'away';
  }
}
