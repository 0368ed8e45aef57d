/** Labelling by a teacher: measured on labelled examples first, and only then trusted with the others. */

import { once } from 'node:events';
import { nextTurn } from '../../../../door/turns.ts';
import { WorkbenchError } from '../../../../engine/errors.ts';
import type { ExampleRecord } from '../../../../engine/examples/fields.ts';
import { computeWilsonInterval, type Interval } from '../../../../engine/intervals.ts';
import { countOf, formatCount, formatRange } from '../../../../engine/numeric.ts';
import type { Caller } from '../../../auth/caller.ts';
import type { Foundation } from '../../../foundation.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import { chargeCredits } from '../../account/connections.ts';
import { findDecisionType } from '../../types/decision-types.ts';
import { drawExamples, type Labeller, openLabeller } from './teacher-labellers.ts';

type TeacherLabellingRequest = { minAgreement: number; minProbability: number; maxExamples: number };
type TeacherLabellingState = 'idle' | 'measuring' | 'labelling' | 'done' | 'refused' | 'cancelled' | 'failed';
export type TeacherLabelling = {
  state: TeacherLabellingState;
  connection: string | null;
  agreement: { right: number; of: number; interval: Interval } | null;
  /** Labelled examples that it was asked about. */
  measured: number;
  /** Examples that were looked at, that are to be, and that got a label. */
  done: number;
  total: number;
  labelled: number;
  tokens: number;
  credits: number;
  message: string;
};

/** Labelled examples on which a teacher is measured at least and at most. */
const minMeasured = 20;
const maxMeasured = 100;
/** Labelled examples from which these, and those that a connected model is shown, are drawn: the newest ones. */
const maxSources = 500;
const maxRemembered = 100;

const idle: TeacherLabelling = {
  state: 'idle',
  connection: null,
  agreement: null,
  measured: 0,
  done: 0,
  total: 0,
  labelled: 0,
  tokens: 0,
  credits: 0,
  message: 'No teacher has labelled examples of this decision type since the program was started.',
};

type Job = TeacherLabelling & {
  /** The teacher and the definition that the agreement is about; null until it is measured. */
  subject: string | null;
  abort: AbortController;
  aborted: Promise<unknown>;
  ended: Promise<void>;
};

/** Runs one labelling per type in the background; its labels stay, marked as a teacher's, not reviewed. */
export class TeacherLabellings {
  readonly #deps: Foundation;
  readonly #jobs = new Map<string, Job>();

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /** Reports the last labelling of a type, under way or ended. */
  read(typeId: string): TeacherLabelling {
    return this.#jobs.get(typeId) ?? idle;
  }

  /**
   * Begins to label. Throws `conflict` while one is under way, `validation_error` where too few examples are labelled
   * to measure the teacher, `quota_exceeded` or `insufficient_credits`.
   */
  start(caller: Caller, type: DecisionTypeRecord, request: TeacherLabellingRequest): TeacherLabelling {
    const { metering } = this.#deps;
    if (isUnderWay(this.read(type.id))) {
      throw new WorkbenchError('conflict', 'A teacher labels this decision type already. Wait for it, or cancel it.');
    }
    metering.checkCredits(caller, metering.prices.per100Tokens, 'a labelling');
    const labelled = this.#readLabelled(type);
    if (labelled.length < minMeasured) {
      const message = `Label at least ${minMeasured} examples yourself first: a teacher is measured on them before it is trusted.`;
      throw new WorkbenchError('validation_error', message);
    }
    const before = this.#jobs.get(type.id);
    const abort = new AbortController();
    const job: Job = {
      ...idle,
      state: 'measuring',
      message: 'The teacher is measured on labelled examples.',
      subject: null,
      abort,
      aborted: once(abort.signal, 'abort'),
      ended: Promise.resolve(),
    };
    this.#remember(type.id, job);
    job.ended = this.#run(caller, type, request, labelled, job, before).catch((error: unknown) =>
      this.#fail(job, error),
    );
    return job;
  }

  /** Ends a labelling that is under way; its labels stay. */
  async cancel(typeId: string): Promise<TeacherLabelling> {
    const job = this.#jobs.get(typeId);
    if (job !== undefined && isUnderWay(job)) {
      job.abort.abort();
      await job.ended;
    }
    return this.read(typeId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#jobs.keys()].map((typeId) => this.cancel(typeId)));
  }

  async #run(
    caller: Caller,
    type: DecisionTypeRecord,
    request: TeacherLabellingRequest,
    labelled: readonly ExampleRecord[],
    job: Job,
    before: Job | undefined,
  ): Promise<void> {
    const measured = drawExamples(labelled, Math.min(maxMeasured, Math.ceil(labelled.length / 2)));
    const ids = new Set(measured.map(({ id }) => id));
    const labeller = openLabeller(this.#deps, type, labelled, ids, request.minProbability);
    job.connection = labeller.connection;
    const subject = `${type.activeVersion.id} ${labeller.connection}`;
    // A measuring that somebody has just looked at is not paid for twice.
    if (request.maxExamples > 0 && before?.total === 0 && before.subject === subject) job.agreement = before.agreement;
    else await this.#measure(caller, type, labeller, measured, job);
    job.subject = subject;
    const low = job.agreement?.interval.low ?? 0;
    if (low < request.minAgreement) {
      job.state = 'refused';
      job.message = `${describeAgreement(job)} It is not certain to reach ${toPercent(request.minAgreement)}, so nothing was labelled.`;
      return;
    }
    if (request.maxExamples === 0) {
      job.state = 'done';
      job.message = describeAgreement(job);
      return;
    }
    job.state = 'labelling';
    job.message = `${describeAgreement(job)} It labels the other examples now.`;
    await this.#labelAll(caller, type, labeller, request.maxExamples, job);
    job.state = 'done';
    job.message = `${describeAgreement(job)} It labelled ${formatCount(job.labelled)} examples; they wait for a review.`;
  }

  async #measure(
    caller: Caller,
    type: DecisionTypeRecord,
    labeller: Labeller,
    measured: readonly ExampleRecord[],
    job: Job,
  ): Promise<void> {
    let right = 0;
    let of = 0;
    for (let from = 0; from < measured.length; from += labeller.batchSize) {
      const batch = measured.slice(from, from + labeller.batchSize);
      const labels = await this.#ask(caller, type, labeller, batch, job);
      job.measured += batch.length;
      for (const [at, { decision }] of batch.entries()) {
        const label = labels[at] ?? null;
        // Only what it would label counts: the labelling model leaves out what it is not sure of.
        if (label === null) continue;
        of += 1;
        if (label === decision) right += 1;
      }
    }
    job.agreement = { right, of, interval: computeWilsonInterval(right, of) };
  }

  async #labelAll(
    caller: Caller,
    type: DecisionTypeRecord,
    labeller: Labeller,
    maxExamples: number,
    job: Job,
  ): Promise<void> {
    const { store, clock } = this.#deps;
    job.total = Math.min(maxExamples, store.labelling.countQueue(type.id, { kind: 'to_label' }));
    for (let before = Number.MAX_SAFE_INTEGER; job.done < job.total; ) {
      const limit = Math.min(labeller.batchSize, job.total - job.done);
      const batch = store.labelling.readForTeacher(type.id, 'to_label', before, limit);
      before = batch.at(-1)?.seq ?? before;
      if (batch.length === 0) return;
      const labels = await this.#ask(caller, type, labeller, batch, job);
      job.labelled += store.transaction(() => {
        const { options } = findDecisionType(this.#deps, caller, type.id).activeVersion.definition;
        return batch.filter(({ id }, at) => {
          const label = labels[at] ?? null;
          // The options may have changed while the teacher was asked.
          if (label === null || !options.includes(label)) return false;
          return store.labelHistory.by({ reader: job.connection ?? 'Labelling model' }, 'label', () =>
            store.labelling.labelByTeacher(type.id, id, label, clock.now()),
          );
        }).length;
      });
      job.done += batch.length;
      await nextTurn();
    }
  }

  /** Asks for labels and charges for them. */
  async #ask(
    caller: Caller,
    type: DecisionTypeRecord,
    labeller: Labeller,
    examples: readonly ExampleRecord[],
    job: Job,
  ): Promise<(string | null)[]> {
    const { metering } = this.#deps;
    job.abort.signal.throwIfAborted();
    metering.checkCredits(caller, metering.prices.per100Tokens, 'this labelling');
    const asked = labeller.label(examples, job.abort.signal);
    // A teacher that is busy is not waited for by who cancels.
    await Promise.race([asked, job.aborted]);
    job.abort.signal.throwIfAborted();
    const { labels, tokens } = await asked;
    job.tokens += tokens;
    const credits = Math.ceil(tokens / 100) * metering.prices.per100Tokens;
    if (credits > 0) {
      chargeCredits(this.#deps, {
        organisationSeq: caller.organisationSeq,
        operation: 'generation',
        credits,
        decisionTypeId: type.id,
        referenceId: null,
      });
      job.credits += credits;
    }
    return labels;
  }

  #readLabelled(type: DecisionTypeRecord): ExampleRecord[] {
    const { options } = type.activeVersion.definition;
    return this.#deps.store.labelling
      .readForTeacher(type.id, 'labelled', Number.MAX_SAFE_INTEGER, maxSources)
      .filter(({ decision }) => decision !== null && options.includes(decision));
  }

  #fail(job: Job, error: unknown): void {
    const kept = job.labelled === 0 ? 'Nothing was labelled.' : `${countOf(job.labelled, 'label')} kept.`;
    if (job.abort.signal.aborted) {
      job.state = 'cancelled';
      job.message = `The labelling was cancelled. ${kept}`;
      return;
    }
    job.state = 'failed';
    if (error instanceof WorkbenchError) job.message = `${error.message} ${kept}`;
    else {
      job.message = `The labelling failed; the log of the program says why. ${kept}`;
      this.#deps.log.error({ err: error }, 'a labelling by a teacher failed');
    }
  }

  #remember(typeId: string, job: Job): void {
    this.#jobs.delete(typeId);
    this.#jobs.set(typeId, job);
    for (const [oldest, each] of this.#jobs) {
      if (this.#jobs.size <= maxRemembered) break;
      if (!isUnderWay(each)) this.#jobs.delete(oldest);
    }
  }
}

function isUnderWay({ state }: TeacherLabelling): boolean {
  return state === 'measuring' || state === 'labelling';
}

const toPercent = (share: number) => `${Math.round(share * 100)}%`;

function describeAgreement({ agreement }: TeacherLabelling): string {
  if (agreement === null || agreement.of === 0) return 'The teacher was sure of no labelled example.';
  const { right, of, interval } = agreement;
  return `The teacher agrees with ${right} of ${of} labels: ${formatRange(interval)} with 95% certainty.`;
}
