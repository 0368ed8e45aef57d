/** The surroundings of a handler, put together by start.ts. */
import type { Readable } from 'node:stream';
import type { Place } from '../../engine/strict-json/json-body.ts';
import type { Analyses } from '../analysis/analysis.ts';
import type { Caller } from '../auth/caller.ts';
import type { AlertReceiver } from '../connections/alert-receiver.ts';
import type { PreparedOperation } from '../contract/examples/examples.ts';
import type { ParsedRequest } from '../contract/operation.ts';
import type { OperationName, Operations, OutputOf } from '../contract/operations.ts';
import type { Foundation } from '../foundation.ts';
import type { TrainingJobs } from '../jobs/training-jobs.ts';
import type { LargeBody, WrittenAnswer } from '../preparation/preparation.ts';
import type { SpilledForm } from '../preparation/spilled-form.ts';
import type { ExplanationTurns } from '../services/deciding/explaining.ts';
import type { Questions } from '../services/deciding/questions.ts';
import type { StoreDoor } from '../services/deciding/store-door.ts';
import type { ExampleAdditions } from '../services/examples/example-additions.ts';
import type { ExampleLists } from '../services/examples/example-lists.ts';
import type { Imports } from '../services/examples/imports/imports.ts';
import type { LabelSearches } from '../services/examples/labelling/label-searches.ts';
import type { TeacherLabellings } from '../services/examples/labelling/teacher-labelling.ts';
import type { HeldOutDecisions } from '../services/policies/held-out-decisions.ts';
import type { PinnedCases } from '../services/policies/pinned-cases.ts';
import type { PromiseChecks } from '../services/policies/promises.ts';
import type { Receipt, Receipts } from '../services/receipts.ts';
import type { Alerts } from '../services/upkeep/alerts.ts';
import type { TrustedTime } from '../services/upkeep/trusted-time.ts';
import type { PolicyRecord } from '../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../store/types/decision-types.ts';

export type Deps = Foundation & {
  jobs: TrainingJobs;
  analyses: Analyses;
  trustedTime: TrustedTime;
  promiseChecks: PromiseChecks;
  heldOutDecisions: HeldOutDecisions;
  pinnedCases: PinnedCases;
  labelSearches: LabelSearches;
  exampleAdditions: ExampleAdditions;
  exampleLists: ExampleLists;
  imports: Imports;
  explanationTurns: ExplanationTurns;
  teacherLabellings: TeacherLabellings;
  receipts: Receipts;
  questions: Questions;
  door: StoreDoor['door'];
  deciding: StoreDoor['deciding'];
  alerts: Alerts;
  alertReceiver: AlertReceiver;
};

/** A download, or with no name of a file a stream, instead of JSON. */
export type Download = {
  download: true;
  contentType: string;
  fileName?: string;
  body: Readable | Uint8Array;
  etag?: string;
};

/** Whether an answer is a file to send instead of JSON. */
export function isDownload(answer: unknown): answer is Download {
  return typeof answer === 'object' && answer !== null && 'download' in answer && answer.download === true;
}

type BodyOf<N extends OperationName> = Operations[N] extends { spillsUpToBytes: number }
  ? SpilledForm
  : // Read and checked where it is prepared.
    ParsedRequest<Operations[N]>['body'] | (N extends PreparedOperation ? LargeBody : never);

type HandlerRequest<N extends OperationName> = Omit<ParsedRequest<Operations[N]>, 'body'> & {
  body: BodyOf<N>;
  /** null only on public operations */
  caller: Operations[N]['access'] extends 'public' ? Caller | null : Caller;
  /** Places of the body whose whole numbers lose digits, or null. */
  lostDigits: readonly Place[] | null;
  /** Where the answer is kept with the effect; null for a call without an Idempotency-Key. */
  receipt: Operations[N] extends { takesIdempotencyKey: true } ? Receipt | null : null;
  /** The things that the path names, looked up on demand; throws where the caller has none. */
  type: Operations[N]['path'] extends `${string}:decision_type_id${string}` ? DecisionTypeRecord : never;
  policy: Operations[N]['path'] extends `${string}:policy_id${string}` ? PolicyRecord : never;
  /** If-Match as it was sent; null where it is not, or the operation does not guard its type. */
  ifMatch: string | null;
  /** Whether the workbench's own outcome goes beside an answer in a foreign format. */
  sendsExtras: boolean;
  requestId: string;
  /** Address as the caller wrote it, e.g. http://127.0.0.1:8737 */
  baseUrl: string;
};

type HandlerResult<N extends OperationName> = Operations[N]['output'] extends null
  ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler of a 204 operation simply returns
    undefined | void | Download
  : OutputOf<N> | (N extends PreparedOperation | 'system.openapi' ? WrittenAnswer : never);

type Handler<N extends OperationName> = (
  deps: Deps,
  request: HandlerRequest<N>,
) => Promise<HandlerResult<N>> | HandlerResult<N>;

/** Some of the handlers, with the part of `Deps` that they use: `{...} satisfies Handlers`. */
export type Handlers = { [N in OperationName]?: Handler<N> };

/** Returns the pagination envelope around the items of one page. */
export function toPage<T>(
  items: T[],
  total: number,
  query: { page: number; page_size: number },
): { items: T[]; total: number; page: number; page_size: number; pages: number } {
  return { items, total, page: query.page, page_size: query.page_size, pages: Math.ceil(total / query.page_size) };
}
