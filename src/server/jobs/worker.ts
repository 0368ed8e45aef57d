/** Entry of the training process: gets plain data, trains, writes one file, reports. It holds no database and dies with its parent. */
import { createHash } from 'node:crypto';
import { setPriority } from 'node:os';
import type { JsonObject, Metrics, TrainingExample, TrainingStage } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Proposal, TeacherRequest, TrainOutcome, TrainRequest } from '../../engine/training/request.ts';
import { sha256 } from '../process/clock.ts';
import { writeDurably } from '../process/durable-file.ts';
import type { CachedEncoder } from '../runtime/encoding-cache.ts';
import { openTextModel } from '../runtime/text-model.ts';
import type { SnapshotRow } from '../store/training-runs.ts';

/**
 * Parent to worker; sent once, the rows follow. `outFile` is where the packed bundle is to lie, in an existing folder; `encodingsDir`
 * keeps the embeddings of texts for later trainings.
 */
export type WorkerOrder = {
  request: Omit<TrainRequest, 'examples' | 'seed'>;
  resourcesDir: string;
  encodingsDir: string;
  outFile: string;
  heartbeatMs: number;
  /** Whether a teacher is connected: the parent asks it, the worker never sees its address or key. */
  hasTeacher: boolean;
};
/** Parent to worker, after the order, until `last`. */
export type RowsMessage = { rows: SnapshotRow[]; last: boolean };
/** Parent to worker, in answer to `teach`. */
export type TeachReply = { id: number } & ({ proposals: Proposal[] } | { failure: string });
/** Worker to parent. Every message is also a sign of life. */
export type WorkerReport =
  | { kind: 'accepted' }
  | { kind: 'heartbeat'; residentMb: number }
  | { kind: 'progress'; stage: TrainingStage; fraction: number; message: string; residentMb: number }
  | { kind: 'snapshot'; sha256: string; seed: number; runtime: string; residentMb: number }
  | { kind: 'teach'; id: number; order: TeacherRequest; residentMb: number }
  | { kind: 'done'; sha256: string; sizeBytes: number; metrics: Metrics; heldOut: TrainOutcome['heldOut'] }
  | { kind: 'failed'; message: string };

/** Lower than everything the user does; decisions go first. */
const NICENESS = 10;
const parentPid = process.ppid;
const residentMb = () => process.memoryUsage.rss() / 2 ** 20;

process.once('disconnect', () => process.exit(0));
process.once('message', (order: WorkerOrder) => void work(order));

async function work(order: WorkerOrder): Promise<void> {
  setPriority(NICENESS);
  const rows = receiveRows();
  await report({ kind: 'accepted' });
  const heartbeat = setInterval(() => void report({ kind: 'heartbeat', residentMb: residentMb() }), order.heartbeatMs);
  try {
    const outcome = await run(order, await rows);
    writeDurably(order.outFile, outcome.bundle);
    await report({
      kind: 'done',
      sha256: sha256(outcome.bundle),
      sizeBytes: outcome.bundle.length,
      metrics: outcome.metrics,
      heldOut: outcome.heldOut,
    });
  } catch (error) {
    await report({ kind: 'failed', message: told(error) });
  } finally {
    clearInterval(heartbeat);
    if (process.connected) process.disconnect();
  }
}

function receiveRows(): Promise<SnapshotRow[]> {
  const received: SnapshotRow[] = [];
  return new Promise((resolve) => {
    const receive = ({ rows, last }: RowsMessage) => {
      for (const row of rows) received.push(row);
      if (!last) return;
      process.off('message', receive);
      resolve(received);
    };
    process.on('message', receive);
  });
}

/** The digest of the rows' content, whatever their order and ids. */
function digestOf(rows: readonly SnapshotRow[]): string {
  const texts = rows.map((row) => JSON.stringify([row.input, row.decision, row.reason_codes, row.source])).sort();
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
}

function exampleOf(row: SnapshotRow): TrainingExample {
  return {
    id: row.example_id,
    input: JSON.parse(row.input) as JsonObject,
    decision: row.decision,
    reasonCodes: JSON.parse(row.reason_codes) as string[],
    source: row.source,
  };
}

async function run(order: WorkerOrder, rows: readonly SnapshotRow[]): Promise<TrainOutcome> {
  const snapshotSha256 = digestOf(rows);
  // the seed follows from the data: the same snapshot gives the same split and the same metrics
  const seed = Number.parseInt(snapshotSha256.slice(0, 8), 16) >>> 1;
  // loaded after the order was accepted: what is heavy must not delay the answer to the caller
  const [{ train }, { openEncoder, runModel, runtimeVersion }] = await Promise.all([
    import('../../engine/training/train.ts'),
    import('../runtime/onnx-session.ts'),
  ]);
  await report({
    kind: 'snapshot',
    sha256: snapshotSha256,
    seed,
    runtime: runtimeVersion,
    residentMb: residentMb(),
  });
  const model = openTextModel(order.resourcesDir);
  const encoder = lazyEncoder(model.encoderSha256, async () => {
    const { withEncodingCache } = await import('../runtime/encoding-cache.ts');
    const opened = await openEncoder(model.encoderPath, model.encoderSha256);
    return withEncodingCache(opened, order.encodingsDir, runtimeVersion, Date.now());
  });
  try {
    const request = { ...order.request, examples: rows.map(exampleOf), seed };
    return await train(request, {
      encoder,
      tokenizer: model.tokenizer(),
      tokenizerSha256: model.tokenizerSha256,
      runModel,
      sha256,
      now: () => performance.now(),
      progress: ({ stage, fraction, message }) =>
        void report({ kind: 'progress', stage, fraction, message, residentMb: residentMb() }),
      // a long computation hears no 'disconnect': it asks at each sign of life whether its parent still is the same
      cancelled: () => process.ppid !== parentPid,
      ...(order.hasTeacher ? { teach: askParent() } : {}),
    });
  } finally {
    await encoder.close();
  }
}

/** A type without text fields never pays for loading the encoder. */
function lazyEncoder(modelSha256: string, open: () => Promise<CachedEncoder>) {
  let opened: Promise<CachedEncoder> | null = null;
  return {
    sha256: modelSha256,
    dimensions: 384,
    async embed(ids: readonly number[]) {
      opened ??= open();
      return (await opened).embed(ids);
    },
    async close() {
      if (opened !== null) (await opened.catch(() => null))?.close();
    },
  };
}

/** Hands questions to the parent and waits for its answers, one question at a time. */
function askParent(): (order: TeacherRequest) => Promise<Proposal[]> {
  let id = 0;
  return (order) => {
    id += 1;
    const asked = id;
    return new Promise((resolve, reject) => {
      const receive = (reply: TeachReply) => {
        if (reply.id !== asked) return;
        process.off('message', receive);
        if ('failure' in reply) reject(new Error(reply.failure));
        else resolve(reply.proposals);
      };
      process.on('message', receive);
      void report({ kind: 'teach', id: asked, order, residentMb: residentMb() });
    });
  };
}

function told(error: unknown): string {
  if (error instanceof WorkbenchError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Resolves when the message has been handed over; a parent that is gone ends this process by 'disconnect'. */
function report(message: WorkerReport): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || !process.send) return resolve();
    process.send(message, undefined, undefined, () => resolve());
  });
}
