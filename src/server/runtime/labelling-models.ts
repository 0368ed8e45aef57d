/** The labelling models of the types that are being labelled, in a child process of their own. */
import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../engine/domain.ts';
import type { RowState } from '../../engine/labelling/labelling-model.ts';
import { writeOptionTexts } from '../../engine/labelling/option-texts.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { ExampleRecord, ExampleState, ExampleStore } from '../store/examples.ts';
import type { EncoderHost } from './encoder-host.ts';
import type {
  FromLabellingChild,
  LabellingAnswers,
  LabellingQuestion,
  ModelRow,
  ModelSettings,
  StatePair,
  ToLabellingChild,
} from './labelling-messages.ts';

const heapMb = 512;
/** All models together; types that were asked of longest ago are dropped beyond it. */
const maxRows = 250_000;
const statesPerMessage = 2_000;
const rowsPerMessage = 200;
/** How long a question waits for the first reading of the examples; after that it is answered with what was read. */
const patienceMs = 400;
/** The child ends when nobody has asked for this long. */
const idleMs = 15 * 60_000;
/** Time between two tries to read in examples where the encoder was away or the child died. */
const retryMs = 5_000;

export type LabellingModelsOptions = {
  spawn: SpawnChild;
  encoderHost: Pick<EncoderHost, 'encoder'>;
  examples: Pick<ExampleStore, 'readRevision' | 'readStates' | 'readInputs'>;
  resourcesDir: string;
  encodingsDir: string;
  now(): number;
};

/** What the server knows of one labelling model. */
type Known = {
  settingsKey: string;
  options: readonly string[];
  /** The revision of the examples that the model has, or is being brought to; null where it must be read anew. */
  revision: number | null;
  reading: Promise<void> | null;
  retryAtMs: number;
  rows: number;
};

/** A suggestion with the name of its option. */
export type ModelSuggestion = { decision: string; probability: number };
export type ModelNext = {
  rows: {
    id: string;
    suggestion: ModelSuggestion;
    reason: LabellingAnswers['next']['rows'][number]['reason'];
    doubtful: [ModelSuggestion, ModelSuggestion];
  }[];
  /** Examples that the model has read, and labels among them that it has learned from. */
  read: number;
  labels: number;
};

type Awaited<T> = { resolve(value: T): void; reject(error: Error): void };

/**
 * Answers from models that follow the examples of their types: a label that is told is learned at once, every other
 * change is found by the revision of the examples at the next question. Questions never wait long for examples to be
 * read in; a child that died is started anew by the next one.
 */
export class LabellingModels {
  readonly #options: LabellingModelsOptions;
  #child: ChildProcess | null = null;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;
  #nextId = 1;
  readonly #awaited = new Map<number, Awaited<unknown>>();
  /** In the order of their last use. */
  readonly #known = new Map<string, Known>();

  constructor(options: LabellingModelsOptions) {
    this.#options = options;
  }

  /** Rows worth a label, most useful first, without those of the ids `taken`. */
  async next(type: DecisionTypeRecord, count: number, taken: readonly string[]): Promise<ModelNext> {
    const known = await this.#prepare(type);
    const { rows, read, labels } = await this.#ask({ kind: 'next', typeId: type.id, count, taken: [...taken] });
    const name = ({ option, probability }: { option: number; probability: number }): ModelSuggestion => ({
      decision: known.options[option] ?? '',
      probability,
    });
    return {
      rows: rows.map(({ id, suggestion, reason, doubtful: [first, second] }) => ({
        id,
        suggestion: name(suggestion),
        reason,
        doubtful: [name(first), name(second)],
      })),
      read,
      labels,
    };
  }

  /** Resolves when the model has read all examples as they are now; rejects when `signal` says so. */
  async readAll(type: DecisionTypeRecord, signal: AbortSignal): Promise<void> {
    for (;;) {
      const known = await this.#prepare(type);
      if (known.reading !== null) await Promise.race([known.reading, waitForAbort(signal)]);
      else if (known.revision === this.#options.examples.readRevision(type.id)) return;
      else await wait(retryMs / 10, undefined, { signal });
      signal.throwIfAborted();
    }
  }

  /** What the model would say of examples, without their own labels; null for those that it has not read. */
  async suggest(type: DecisionTypeRecord, ids: readonly string[]): Promise<(ModelSuggestion | null)[]> {
    const known = await this.#prepare(type);
    const found = await this.#ask({ kind: 'suggest', typeId: type.id, ids: [...ids] });
    return found.map((each) =>
      each === null ? null : { decision: known.options[each.option] ?? '', probability: each.probability },
    );
  }

  /** The examples most like one, most alike first; null while the model has not read it. */
  async findSimilar(type: DecisionTypeRecord, id: string, count: number): Promise<LabellingAnswers['similar']> {
    await this.#prepare(type);
    return await this.#ask({ kind: 'similar', typeId: type.id, id, count });
  }

  /** The labelled examples most like an input, most alike first, as far as they have been read. */
  async findNearest(type: DecisionTypeRecord, input: JsonObject, count: number): Promise<LabellingAnswers['nearest']> {
    await this.#prepare(type);
    return await this.#ask({ kind: 'nearest', typeId: type.id, inputJson: JSON.stringify(input), count });
  }

  /**
   * Tells of an example that was just changed by one write: the model learns its label at once. With `isInputChanged`
   * it is read anew. Does nothing for a type without a model.
   */
  noteChange(type: DecisionTypeRecord, example: ExampleRecord, isInputChanged: boolean): void {
    const known = this.#known.get(type.id);
    if (known === undefined || this.#child === null) return;
    const isNext = known.revision === this.#options.examples.readRevision(type.id) - 1;
    if (isInputChanged) this.#send({ kind: 'remove', typeId: type.id, id: example.id });
    else {
      if (isNext) known.revision = this.#options.examples.readRevision(type.id);
      const isUnconfirmed = Number(example.byTeacher && !example.reviewed);
      const state = toRowState({ ...example, isUnconfirmed }, toOptionNumbers(known.options));
      this.#send({ kind: 'state', typeId: type.id, id: example.id, state });
    }
  }

  /** Ends the child; questions that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    await this.#endChild();
  }

  /** Opens the model of a type where it is not, brings it up to date, and waits a moment for that. */
  async #prepare(type: DecisionTypeRecord): Promise<Known> {
    this.#restartIdleTimer();
    const known = this.#find(type);
    this.#dropOthers(type.id);
    const isCurrent = known.revision === this.#options.examples.readRevision(type.id);
    if (!isCurrent && known.reading === null && this.#options.now() >= known.retryAtMs) {
      known.reading = this.#read(type.id, known)
        .catch(() => this.#retryLater(known))
        .finally(() => {
          known.reading = null;
        });
    }
    if (known.reading !== null) await Promise.race([known.reading, waitUnref(patienceMs)]);
    return known;
  }

  #find(type: DecisionTypeRecord): Known {
    const { definition } = type.activeVersion;
    const optionTexts = writeOptionTexts(definition, type.description);
    const settings: ModelSettings = {
      typeId: type.id,
      optionCount: definition.options.length,
      optionTexts,
      inputSchemaJson: JSON.stringify(definition.input_schema),
    };
    const settingsKey = JSON.stringify([definition.options, settings]);
    const before = this.#known.get(type.id);
    this.#known.delete(type.id);
    const isSame = this.#child !== null && before?.settingsKey === settingsKey;
    const known: Known = isSame
      ? before
      : { settingsKey, options: definition.options, revision: null, reading: null, retryAtMs: 0, rows: 0 };
    this.#known.set(type.id, known);
    if (!isSame) this.#send({ kind: 'open', settings });
    return known;
  }

  #dropOthers(typeId: string): void {
    let rows = [...this.#known.values()].reduce((sum, known) => sum + known.rows, 0);
    for (const [id, known] of this.#known) {
      if (rows <= maxRows || id === typeId) return;
      rows -= known.rows;
      this.#known.delete(id);
      this.#send({ kind: 'forget', typeId: id });
    }
  }

  /** Tells the child what examples there are, and sends the inputs that it does not have. */
  async #read(typeId: string, known: Known): Promise<void> {
    const { examples } = this.#options;
    const numbers = toOptionNumbers(known.options);
    known.revision = examples.readRevision(typeId);
    const labelled: string[] = [];
    const open: string[] = [];
    let rows = 0;
    for (let before = Number.MAX_SAFE_INTEGER, first = true, last = false; !last; first = false) {
      const states = examples.readStates(typeId, before, statesPerMessage);
      last = states.length < statesPerMessage;
      before = states.at(-1)?.seq ?? before;
      rows += states.length;
      const pairs = states.map((state): StatePair => [state.id, toRowState(state, numbers)]);
      const missing = new Set(await this.#ask({ kind: 'states', typeId, pairs, first, last }));
      for (const { id, decision } of states) if (missing.has(id)) (decision === null ? open : labelled).push(id);
      await nextTurn();
    }
    known.rows = rows;
    // Spread over all of them, so that whatever was read first stands for the rest; labels first, to learn from them.
    const sent = labelled.length + open.length;
    let from = 0;
    for (const wanted of inParts(rowsPerMessage, spread(labelled), spread(open))) {
      from += wanted.length;
      const found = examples
        .readInputs(typeId, wanted)
        .map(({ inputJson, ...state }): ModelRow => ({ id: state.id, inputJson, state: toRowState(state, numbers) }));
      const isRead = await this.#ask({ kind: 'rows', typeId, rows: found, last: from === sent });
      if (!isRead) return this.#retryLater(known);
      await nextTurn();
    }
  }

  #retryLater(known: Known): void {
    known.revision = null;
    known.retryAtMs = this.#options.now() + retryMs;
  }

  async #ask<K extends LabellingQuestion['kind']>(
    question: Extract<LabellingQuestion, { kind: K }>,
  ): Promise<LabellingAnswers[K]> {
    return (await new Promise<unknown>((resolve, reject) => {
      this.#send(question, { resolve, reject });
    })) as LabellingAnswers[K];
  }

  /** Sends a question; without `awaited` nobody waits for its answer. */
  #send(question: LabellingQuestion, awaited?: Awaited<unknown>): void {
    const id = this.#nextId++;
    if (awaited !== undefined) this.#awaited.set(id, awaited);
    tell(this.#ensureChild(), { kind: 'question', id, question });
  }

  #ensureChild(): ChildProcess {
    if (this.#child !== null) return this.#child;
    if (this.#isClosed) throw new Error('The labelling models are closed.');
    const child = this.#options.spawn('labelling-child', { heapMb });
    this.#child = child;
    child.on('message', (message: FromLabellingChild) => {
      if (child === this.#child) void this.#receive(child, message);
    });
    child.once('error', () => this.#forgetChild(child));
    child.once('exit', () => this.#forgetChild(child));
    const { resourcesDir, encodingsDir } = this.#options;
    tell(child, { kind: 'start', resourcesDir, encodingsDir });
    return child;
  }

  async #receive(child: ChildProcess, message: FromLabellingChild): Promise<void> {
    const { encoder } = this.#options.encoderHost;
    switch (message.kind) {
      case 'answer':
      case 'failed': {
        const awaited = this.#awaited.get(message.id);
        this.#awaited.delete(message.id);
        if (message.kind === 'answer') awaited?.resolve(message.answer);
        else awaited?.reject(new Error(message.message));
        return;
      }
      case 'embed': {
        const embeddings = await Promise.all(message.texts.map((ids) => encoder.embed(ids))).catch(() => null);
        tell(child, { kind: 'embeddings', id: message.id, embeddings });
      }
    }
  }

  #forgetChild(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = null;
    this.#known.clear();
    for (const { reject } of this.#awaited.values()) reject(new Error('The labelling process ended.'));
    this.#awaited.clear();
  }

  #restartIdleTimer(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#endChild(), idleMs);
    this.#idleTimer.unref();
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    this.#forgetChild(child);
    child.kill('SIGKILL');
    await gone;
  }
}

function toOptionNumbers(options: readonly string[]): ReadonlyMap<string, number> {
  return new Map(options.map((option, number) => [option, number]));
}

/**
 * A label that is no option any more is neither learned nor asked for, as an example that was put aside; nor is one that
 * a teacher gave: the model would learn from itself.
 */
function toRowState(
  { decision, mark, isUnconfirmed }: Omit<ExampleState, 'seq' | 'id'>,
  numbers: ReadonlyMap<string, number>,
): RowState {
  if (decision !== null) return isUnconfirmed === 1 ? 'aside' : (numbers.get(decision) ?? 'aside');
  return mark === null ? 'open' : 'aside';
}

/** Every item once, in steps of the golden section of their number: any first part of them is spread over all. */
function* spread<T>(items: readonly T[]): Generator<T> {
  const count = items.length;
  let step = Math.max(1, Math.round(count * 0.618_034));
  while (findCommonDivisor(step, count) > 1) step += 1;
  for (let at = 0, done = 0; done < count; done++, at = (at + step) % count) yield items[at] as T;
}

function findCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : findCommonDivisor(b, a % b);
}

/** All items of some lists, one list after the other, in parts of a size. */
function* inParts<T>(size: number, ...lists: Iterable<T>[]): Generator<T[]> {
  let part: T[] = [];
  for (const list of lists) {
    for (const item of list) {
      part.push(item);
      if (part.length < size) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

function tell(child: ChildProcess, message: ToLabellingChild): void {
  // A failed send shows itself as the exit of the child.
  child.send(message, () => undefined);
}

/** Resolves when the signal says so. */
function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function waitUnref(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
