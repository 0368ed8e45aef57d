/** Entry of the training process: trains, writes one file, reports. Without a database; dies with its parent. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { TrainingExample } from '../../engine/domain/training.ts';
import { countOpen, noOpenRows, type OpenRows, toRowContent, toRowNumber } from '../../engine/drawn-rows.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { LabelCheck } from '../../engine/findings/labels.ts';
import type { JsonObject } from '../../engine/json.ts';
import { maxCompared } from '../../engine/measure/two-samples.ts';
import type { Adapters, TuningGraph } from '../../engine/ports.ts';
import { compileHintReader, maxHintedRows } from '../../engine/training/data/hint-rows.ts';
import { listDigested, toSeed } from '../../engine/training/digest-rows.ts';
import {
  type CandidateTextModel,
  type PackedPolicy,
  readByWords,
  type TextModelPorts,
  type TrainOutcome,
} from '../../engine/training/request.ts';
import { readIdTime, sha256 } from '../process/clock.ts';
import { writeDurably } from '../process/durable-file.ts';
import { serveOrders } from '../process/orders.ts';
import type { CachedEncoder } from '../runtime/encoder/encoding-cache.ts';
import { importOnnxRuntime } from '../runtime/encoder/import-onnx-runtime.ts';
import { isInstalled, openTextModels, type TextModel } from '../runtime/encoder/text-model.ts';
import { openLanguageDetector } from '../runtime/language-detector.ts';
import type { SnapshotRecord } from '../store/policies/snapshots.ts';
import type { RowsMessage, ServerOrders, WorkerOrder, WorkerReport, WorkerResult } from './worker-messages.ts';

/** Lower than everything the user does; decisions go first. */
const niceness = 10;
const checksPerMessage = 1_000;
const parentPid = process.ppid;
const residentMb = () => process.memoryUsage.rss() / 2 ** 20;

function openOrders() {
  let takeRows: ((message: RowsMessage) => void) | null = null;
  return {
    /** Answered at once: the order is accepted. */
    begin: (order: WorkerOrder) => {
      const rows = new Promise<Snapshot>((resolve) => {
        takeRows = collectRows(order.request, resolve);
      });
      void work(order, rows);
    },
    rows: (message: RowsMessage) => takeRows?.(message),
  };
}
export type WorkerOrders = ReturnType<typeof openOrders>;

const give = serveOrders<ServerOrders>(openOrders(), niceness);
const report = (message: WorkerReport) => give('report', message);

async function work(order: WorkerOrder, rows: Promise<Snapshot>): Promise<void> {
  const heartbeat = setInterval(() => void report({ kind: 'heartbeat', residentMb: residentMb() }), order.heartbeatMs);
  try {
    const { followUp, tuneLater, ...policy } = await run(order, await rows);
    const next = await give('goOn', { kind: 'done', ...writePolicy(order, policy) });
    const { metrics, labelChecks } = followUp();
    await reportLabelChecks(labelChecks);
    await report({ kind: 'followedUp', metrics, isTuning: tuneLater !== null, residentMb: residentMb() });
    if (tuneLater === null) return;
    const { textTuning, better } = await tuneLater(next);
    const result = better && writePolicy(order, better);
    // The parent ends this process once it has stored the file.
    await give('goOn', { kind: 'tuned', next, textTuning, result, residentMb: residentMb() });
  } catch (error) {
    await report({ kind: 'failed', message: toMessage(error) });
  } finally {
    clearInterval(heartbeat);
    if (process.connected) process.disconnect();
  }
}

function writePolicy({ outFile }: WorkerOrder, { bundle, metrics, heldOut }: PackedPolicy): WorkerResult {
  writeDurably(outFile, bundle);
  return { sha256: sha256(bundle), sizeBytes: bundle.length, metrics, heldOut };
}

/** In pieces, so that the server answers calls in between. */
async function reportLabelChecks(checks: readonly LabelCheck[]): Promise<void> {
  for (let from = 0; from < checks.length; from += checksPerMessage) {
    await report({ kind: 'labels', checks: checks.slice(from, from + checksPerMessage), residentMb: residentMb() });
  }
}

type HintedRow = { inputJson: string; decision: string; number: number };
type OpenInput = Omit<HintedRow, 'decision'>;
/** `sample`: open rows to compare the labelled ones with. */
type Snapshot = { rows: SnapshotRecord[]; open: OpenRows; hinted: HintedRow[]; sample: OpenInput[] };

/** Keeps the rows of lowest number: which ones does not depend on their order. */
function keepLowest<Row extends OpenInput>(rows: Row[], count: number, isLast: boolean): Row[] {
  return isLast || rows.length > 2 * count ? rows.sort((a, b) => a.number - b.number).slice(0, count) : rows;
}

/** Collects what is taken of the rows that come; `resolve` hears of them when the last are there. */
function collectRows(
  { identifying = [], definition, drawnDeletions }: WorkerOrder['request'],
  resolve: (snapshot: Snapshot) => void,
): (message: RowsMessage) => void {
  const hasHints = definition.hard_rules.some(({ hint }) => hint);
  const received: Snapshot = { rows: [], open: noOpenRows, hinted: [], sample: [] };
  const numbers: Record<'open' | 'aside', number[]> = { open: [], aside: [] };
  const readHints = compileHintReader(definition);
  return ({ rows, open, last }) => {
    for (const row of rows) received.rows.push(row);
    for (const { inputJson, isAside } of open) {
      const input: JsonObject = JSON.parse(inputJson);
      const number = toRowNumber(toRowContent(input, identifying));
      numbers[isAside ? 'aside' : 'open'].push(number);
      if (isAside) continue;
      received.sample.push({ inputJson, number });
      const decision = readHints(input);
      if (decision !== null) received.hinted.push({ inputJson, decision, number });
    }
    received.hinted = keepLowest(received.hinted, maxHintedRows, last);
    received.sample = keepLowest(received.sample, maxCompared, last);
    if (!last) return;
    // Where every row came with its label, open ones change no figure, and without hints teach nothing.
    const changes = hasHints || received.rows.some(({ later }) => later);
    received.open = changes ? countOpen(numbers.open, numbers.aside, drawnDeletions) : noOpenRows;
    resolve(received);
  };
}

function digestRows(snapshot: Snapshot): string {
  const hash = createHash('sha256');
  for (const text of listDigested(snapshot)) hash.update(text);
  return hash.digest('hex');
}

function toExample(row: SnapshotRecord): TrainingExample {
  return {
    id: row.exampleId,
    addedMs: readIdTime(row.exampleId),
    input: JSON.parse(row.inputJson) as JsonObject,
    decision: row.decision,
    firstDecision: row.firstDecision,
    reasonCodes: JSON.parse(row.reasonCodesJson) as string[],
    source: row.source,
    test: row.test,
    later: row.later,
  };
}

function toHintedExample({ inputJson, decision }: HintedRow, at: number): TrainingExample {
  return { id: `hinted-${at}`, input: JSON.parse(inputJson), decision, reasonCodes: [], source: 'hint' };
}

async function run(order: WorkerOrder, snapshot: Snapshot): Promise<TrainOutcome> {
  const { rows, open, hinted, sample } = snapshot;
  const snapshotSha256 = digestRows(snapshot);
  // Unless one is given, the seed follows from the data: the same snapshot gives the same metrics.
  const seed = order.request.config.seed ?? toSeed(snapshotSha256);
  // Loaded after the order was accepted, so that heavy modules do not delay the answer to the caller.
  const [{ train }, onnx] = await Promise.all([import('../../engine/training/train.ts'), importOnnxRuntime()]);
  const runtimeVersion = onnx?.runtimeVersion ?? 'without onnxruntime';
  await report({
    kind: 'snapshot',
    sha256: snapshotSha256,
    seed,
    runtime: runtimeVersion,
    residentMb: residentMb(),
  });
  const { text_model: choice } = order.request.config;
  const models = onnx === null ? [] : listCandidates(order, onnx);
  const reader = chooseReader(choice, models);
  try {
    const provenance = { snapshotSha256, node: process.version };
    const { answersFrom = Number.POSITIVE_INFINITY } = order.request;
    const labelled = rows.map((row) => ({ ...toExample(row), answered: row.labelledAt > answersFrom }));
    const examples = [...labelled, ...hinted.map(toHintedExample)];
    const openInputs = sample.map(({ inputJson }): JsonObject => JSON.parse(inputJson));
    const request = { ...order.request, examples, open, openInputs, seed, provenance };
    return await train(request, {
      ...reader,
      ...(choice === 'auto' ? { candidates: orderBySpeed(models) } : {}),
      openLanguageDetector,
      ...(onnx && { runModel: onnx.runModel }),
      runtimeVersion,
      sha256,
      now: () => performance.now(),
      progress: ({ stage, fraction, message }) =>
        void report({ kind: 'progress', stage, fraction, message, residentMb: residentMb() }),
      // A long computation hears no 'disconnect': with each heartbeat it asks whether its parent still is the same.
      cancelled: () => process.ppid !== parentPid,
      ...(order.hasTeacher && { teach: (request) => give('teach', { request, residentMb: residentMb() }) }),
    });
  } finally {
    for (const { close } of models) await close();
  }
}

type OnnxRuntime = typeof import('../runtime/encoder/onnx-session.ts');

/** Lists the text models whose files are there. */
const listCandidates = (order: WorkerOrder, { openEncoder, openTuningGraph }: OnnxRuntime) =>
  openTextModels(order.resourcesDir, order.ownTextModelsDir)
    .filter(isInstalled)
    .map((model) => {
      const open = async () => {
        const { withEncodingCache } = await import('../runtime/encoder/encoding-cache.ts');
        const opened = await openEncoder(model.encoderPath, model.encoderSha256, availableParallelism());
        return withEncodingCache(opened, order.encodingsDir, Date.now());
      };
      return openCandidate(model, open, openTuningGraph);
    });

/** Finds the reader of texts unless candidates are compared. Throws `unavailable` where the chosen one is not there. */
function chooseReader(
  choice: WorkerOrder['request']['config']['text_model'],
  models: readonly CandidateTextModel[],
): TextModelPorts {
  if (choice === 'words') return readByWords;
  const wanted = choice === 'auto' ? 'english' : choice;
  const found = models.find(({ name }) => name === wanted) ?? (choice === 'auto' ? (models[0] ?? readByWords) : null);
  if (found !== null) return found;
  throw new WorkbenchError(
    'unavailable',
    `The text model "${wanted}" is not installed. Choose another one, or have texts read by their words (words).`,
  );
}

/** The fastest first; those that the user added last, as theirs is not known: they are taken where they are better. */
function orderBySpeed<T extends CandidateTextModel>(models: readonly T[]): T[] {
  const [own, ofProgram] = [models.filter(({ isOwn }) => isOwn), models.filter(({ isOwn }) => !isOwn)];
  return [...ofProgram.toReversed(), ...own];
}

/** A text model that a training may choose: nothing of it is read or loaded before it is asked for. */
function openCandidate(
  model: TextModel,
  open: () => Promise<CachedEncoder>,
  openGraph: (path: string, threads: number) => Promise<TuningGraph>,
): CandidateTextModel & { close(): Promise<void> } {
  let made: ReturnType<typeof lazyEncoder> | null = null;
  const encoder = () => {
    made ??= lazyEncoder(model, open);
    return made;
  };
  return {
    name: model.name,
    isOwn: model.isOwn,
    get languages() {
      return model.facts.languages;
    },
    get sizeMb() {
      return (statSync(model.encoderPath).size + statSync(model.tokenizerPath).size) / 1e6;
    },
    get baseModel() {
      return model.facts.base_model;
    },
    get encoder() {
      return encoder();
    },
    get freshEncoder() {
      return encoder().bare;
    },
    get tokenizer() {
      return model.tokenizer();
    },
    get tokenizerSha256() {
      return model.tokenizerSha256;
    },
    ...(existsSync(model.tuningGraphPath)
      ? { openTuningGraph: () => openGraph(model.tuningGraphPath, availableParallelism()) }
      : {}),
    close: async () => made?.close(),
  };
}

/** A type without text fields never pays for loading the encoder. */
function lazyEncoder({ encoderSha256, facts }: TextModel, open: () => Promise<CachedEncoder>) {
  let opened: Promise<CachedEncoder> | null = null;
  const model = { sha256: encoderSha256, dimensions: facts.dimensions, frame: facts.frame };
  return {
    ...model,
    bare: {
      ...model,
      async embed(ids: readonly number[], adapters?: Adapters | null) {
        opened ??= open();
        return (await opened).bare.embed(ids, adapters);
      },
    },
    async embed(ids: readonly number[], adapters?: Adapters | null) {
      opened ??= open();
      return (await opened).embed(ids, adapters);
    },
    async embedBatch(texts: readonly (readonly number[])[], adapters?: Adapters | null) {
      opened ??= open();
      return (await opened).embedBatch(texts, adapters);
    },
    /** Until it is asked again. */
    async close() {
      const last = opened;
      opened = null;
      (await last?.catch(() => null))?.close();
    },
  };
}

function toMessage(error: unknown): string {
  if (error instanceof WorkbenchError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
