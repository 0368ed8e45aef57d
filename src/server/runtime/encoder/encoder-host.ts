/** The sentence encoder behind a process border: queue, batches, cache, and restart after a crash. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Adapters, TextEncoder } from '../../../engine/ports.ts';
import { packAdapters } from '../../../engine/text/adapters.ts';
import { groupByLength } from '../../../engine/text/encoder-input.ts';
import { sha256 } from '../../process/clock.ts';
import { Child } from '../../process/orders.ts';
import { scalePatience } from '../../process/patience.ts';
import { createRecentCache, type RecentCache } from '../../process/recent-cache.ts';
import { type SpawnChild, spawnChild } from '../../process/spawn-child.ts';
import type { EncoderOrders } from './encoder-child.ts';
import { type TextModel, toMissingPart } from './text-model.ts';

const defaultCachedTexts = 2_000;
const defaultMaxQueueLength = 512;
const heapMb = 96;
/** More threads than this gain little on texts of usual length. */
const maxThreads = 4;
/** Texts sent to the child at a time; a short text that comes meanwhile waits no longer than these take. */
const maxTextsPerTurn = 32;
const maxTokensPerTurn = 1_024;
/** Adapters that a child keeps, 0.3 MB each; it is sent those of a further policy again. */
const maxAdaptersOfChild = 64;
/** A child that answers nothing for this long on a quiet machine, while calls wait, is taken for hung and killed. */
const silenceTimeoutMs = 15_000;
/** Waits before restarts in a row; an answer in between starts over. */
const restartDelaysMs = [0, 200, 500, 1_000, 2_000];

export type HostedTextModel = { readonly model: TextModel; readonly host: EncoderHost };

/** Gives a text model a process, which starts when it is first asked. */
export function hostTextModel(
  { spawnChild: spawn = spawnChild }: { spawnChild?: SpawnChild },
  model: TextModel,
  cachedTexts = defaultCachedTexts,
) {
  return { model, host: new EncoderHost({ spawn, model, cachedTexts }) };
}

type EncoderHostOptions = {
  spawn: SpawnChild;
  model: Pick<TextModel, 'encoderPath' | 'encoderSha256' | 'facts'> & Partial<Pick<TextModel, 'tuningGraphPath'>>;
  cachedTexts?: number;
  maxQueueLength?: number;
};
/** `restarting` also stands for the first loading of the model. */
type EncoderState = 'idle' | 'ready' | 'restarting';
type Waiting<T> = { resolve(value: T): void; reject(error: WorkbenchError): void };
type Call = Waiting<Float32Array> & {
  id: number;
  ids: readonly number[];
  adapters: Adapters | null;
  /** Where the text's tokens are weighed; without one it is embedded. */
  direction?: Float32Array | undefined;
  deaths: number;
  isSent: boolean;
};

/** Deaths of a child that a call may be the cause of, or the witness at its loading, before it is given up. */
const maxDeathsOfCall = 2;

/**
 * Runs the encoder in a child process. All calls that wait when the child becomes free are its next batch, so many
 * callers share its work and one alone waits for nobody; equal texts are answered from a cache. Adapters of any number
 * of policies are fed to the same encoder. What waits when the child dies is asked once more of the next one (at most
 * 2 s later). `embed` rejects with `unavailable` when that one dies too, the queue is full or the host is closed.
 */
export class EncoderHost {
  readonly encoder: TextEncoder;
  /** The runtime that computes the embeddings, with its version; null until the child was ready once. */
  runtimeVersion: string | null = null;
  readonly #spawn: SpawnChild;
  readonly #model: EncoderHostOptions['model'];
  readonly #maxQueueLength: number;
  readonly #cache: RecentCache<string, Float32Array>;
  /** Texts that wait for their embedding: an equal one waits with them. */
  readonly #asked = new Map<string, Promise<Float32Array>>();
  readonly #waiting = new Map<number, Call>();
  /** Digests of adapters, and those that the child has, the longest unused first. */
  readonly #keys = new WeakMap<Adapters, string>();
  #known = new Set<string>();
  #starts: Waiting<void>[] = [];
  /** Why no child could load the model since the last one that did. */
  #failure: string | null = null;
  #child: Child<EncoderOrders> | null = null;
  #isReady = false;
  #isClosed = false;
  #wasUsed = true;
  /** Calls that the child has and has not answered. */
  #countSent = 0;
  #nextId = 1;
  #deathsInARow = 0;
  #restartTimer: NodeJS.Timeout | null = null;
  #silenceTimer: NodeJS.Timeout | null = null;

  constructor(options: EncoderHostOptions) {
    const { model } = options;
    this.#spawn = options.spawn;
    this.#model = model;
    this.#maxQueueLength = options.maxQueueLength ?? defaultMaxQueueLength;
    this.#cache = createRecentCache(options.cachedTexts ?? defaultCachedTexts);
    this.encoder = {
      // Read when it is asked for: the digest of the model costs reading its file.
      get sha256() {
        return model.encoderSha256;
      },
      get dimensions() {
        return model.facts.dimensions;
      },
      get frame() {
        return model.facts.frame;
      },
      embed: (ids, adapters = null) => this.#embed(ids, adapters),
      ...(model.tuningGraphPath !== undefined && existsSync(model.tuningGraphPath)
        ? { weighTokens: (ids, direction, adapters) => this.#ask(ids, adapters, direction) }
        : {}),
    };
  }

  /** Starts the child if there is none; resolves when the model is loaded, rejects when the child dies before. */
  start(): Promise<void> {
    this.#wasUsed = true;
    if (this.#isReady) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#starts.push({ resolve, reject });
      this.#ensureChild();
    });
  }

  /** Ends the child and resolves when it is gone; waiting texts are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#restartTimer) clearTimeout(this.#restartTimer);
    const last = this.#child;
    if (!last) return this.#handleDeath(null, undefined);
    last.kill();
    await last.gone;
  }

  /** Ends the child if nothing was asked of it since the last look; the next text starts another. */
  releaseUnused(): void {
    const wasUsed = this.#wasUsed;
    this.#wasUsed = false;
    if (wasUsed || !this.#isReady || this.#waiting.size > 0) return;
    const unused = this.#child;
    this.#child = null;
    this.#isReady = false;
    unused?.kill();
  }

  state(): EncoderState {
    if (this.#isReady) return 'ready';
    return this.#child || this.#restartTimer ? 'restarting' : 'idle';
  }

  /** Why the model cannot be loaded now; null while it is loaded, or nothing has gone wrong. */
  findFailure(): string | null {
    return this.#failure;
  }

  pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async #embed(ids: readonly number[], adapters: Adapters | null): Promise<Float32Array> {
    const text = ids.join(' ');
    const key = adapters === null ? text : `${this.#findKey(adapters)} ${text}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const asked = this.#asked.get(key);
    if (asked) return asked;
    const asking = this.#ask(ids, adapters).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asking);
    const embedding = await asking;
    this.#cache.set(key, embedding);
    return embedding;
  }

  /** The text's embedding, or with a direction the weights of its tokens. */
  async #ask(ids: readonly number[], adapters: Adapters | null, direction?: Float32Array) {
    if (this.#isClosed) throw closedError();
    this.#wasUsed = true;
    if (this.#waiting.size >= this.#maxQueueLength) {
      throw new WorkbenchError('unavailable', 'Too many texts wait for the encoder.');
    }
    const id = this.#nextId++;
    return new Promise<Float32Array>((resolve, reject) => {
      this.#waiting.set(id, { id, ids, adapters, direction, deaths: 0, isSent: false, resolve, reject });
      this.#ensureChild();
      this.#sendBatch();
      if (this.#waiting.size === 1) this.#restartSilenceTimer();
    });
  }

  #findKey(adapters: Adapters): string {
    const key = this.#keys.get(adapters) ?? sha256(packAdapters(adapters));
    this.#keys.set(adapters, key);
    return key;
  }

  #ensureChild(): void {
    if (!this.#child && !this.#restartTimer) this.#launch();
  }

  #launch(): void {
    this.#restartTimer = null;
    if (this.#isClosed || this.#child) return;
    const started = new Child<EncoderOrders>(this.#spawn, ['encoder-child', { heapMb }]);
    this.#child = started;
    this.#known = new Set();
    void started.gone.then((how) => this.#handleDeath(started, how));
    const threads = Math.min(maxThreads, availableParallelism());
    const { encoderPath, tuningGraphPath = '' } = this.#model;
    started
      .give('open', { modelPath: encoderPath, tuningGraphPath, threads })
      .then((runtime) => this.#noteReady(started, runtime))
      .catch((error: unknown) => this.#giveUp(started, error));
    for (const call of this.#waiting.values()) call.isSent = false;
    this.#countSent = 0;
    this.#sendBatch();
    this.#restartSilenceTimer();
  }

  /** Sends the waiting texts to the child, unless it is busy. */
  #sendBatch(): void {
    if (!this.#child || this.#countSent > 0 || this.#waiting.size === 0) return;
    const child = this.#child;
    const texts = this.#takeBatch();
    for (const call of texts) call.isSent = true;
    this.#countSent = texts.length;
    this.#teach(child, texts);
    for (const [adapters, calls] of Map.groupBy(texts, (call) => call.adapters && this.#findKey(call.adapters))) {
      for (const group of groupByLength(calls, ({ ids }) => ids.length)) {
        child
          .give('embed', { texts: group.map(({ ids }) => ids), adapters, direction: group[0]?.direction })
          .then((embeddings) => this.#receive(child, group, embeddings))
          .catch((error: unknown) => this.#giveUp(child, error));
      }
    }
  }

  /** Gives a child the adapters of some texts that it does not have; those unused longest make room. */
  #teach(child: Child<EncoderOrders>, texts: readonly Call[]): void {
    const learn: { key: string; adapters: Adapters }[] = [];
    const forget: string[] = [];
    for (const { adapters } of texts) {
      if (adapters === null) continue;
      const key = this.#findKey(adapters);
      if (!this.#known.delete(key)) learn.push({ key, adapters });
      this.#known.add(key);
    }
    for (const key of this.#known) {
      if (this.#known.size <= maxAdaptersOfChild) break;
      this.#known.delete(key);
      forget.push(key);
    }
    if (learn.length === 0) return;
    child.give('keep', { learn, forget }).catch((error: unknown) => this.#giveUp(child, error));
  }

  /** Takes the calls that waited longest; one that saw a child die, or weighs tokens, goes alone. */
  #takeBatch(): Call[] {
    const batch: Call[] = [];
    let tokens = 0;
    for (const call of this.#waiting.values()) {
      if (call.deaths > 0 || call.direction !== undefined) return batch.length === 0 ? [call] : batch;
      tokens += call.ids.length;
      if (batch.length > 0 && (tokens > maxTokensPerTurn || batch.length === maxTextsPerTurn)) return batch;
      batch.push(call);
    }
    return batch;
  }

  #noteReady(child: Child<EncoderOrders>, runtime: string): void {
    if (child !== this.#child) return;
    this.runtimeVersion = runtime;
    this.#isReady = true;
    this.#failure = null;
    for (const start of this.#starts) start.resolve();
    this.#starts = [];
    this.#restartSilenceTimer();
  }

  #receive(child: Child<EncoderOrders>, group: readonly Call[], embeddings: readonly (Float32Array | null)[]): void {
    if (child !== this.#child) return;
    this.#deathsInARow = 0;
    for (const [at, call] of group.entries()) {
      if (!this.#waiting.delete(call.id)) continue;
      this.#countSent -= 1;
      const embedding = embeddings[at] ?? null;
      if (embedding !== null) call.resolve(embedding);
      else call.reject(new WorkbenchError('unavailable', 'The text encoder could not read this text.'));
    }
    this.#sendBatch();
    this.#restartSilenceTimer();
  }

  /** Ends a child that cannot load the model; of one that has ended, its end says the rest. */
  #giveUp(child: Child<EncoderOrders>, error: unknown): void {
    child.kill();
    this.#handleDeath(child, error);
  }

  /** Refuses texts that have seen too many deaths, and all once the host is closed; plans the next child. */
  #handleDeath(which: Child<EncoderOrders> | null, cause: unknown): void {
    if (which !== this.#child) return;
    const wasLoading = !this.#isReady;
    this.#child = null;
    this.#isReady = false;
    const error = this.#describeDeath(cause);
    if (wasLoading) this.#failure = error.message;
    this.#countDeath(wasLoading, error);
    for (const start of this.#starts) start.reject(error);
    this.#starts = [];
    this.#restartSilenceTimer();
    if (this.#isClosed) return;
    const delayMs = restartDelaysMs[Math.min(this.#deathsInARow, restartDelaysMs.length - 1)] ?? 0;
    this.#deathsInARow += 1;
    this.#restartTimer = setTimeout(() => this.#launch(), delayMs);
    this.#restartTimer.unref();
  }

  /** While it loads, a child's death concerns all that wait; while it works, the texts that it was given. */
  #countDeath(wasLoading: boolean, error: WorkbenchError): void {
    for (const [id, call] of this.#waiting) {
      if (!wasLoading && !this.#isClosed && !call.isSent) continue;
      call.deaths += 1;
      if (this.#isClosed || call.deaths >= maxDeathsOfCall) {
        this.#waiting.delete(id);
        call.reject(error);
      }
    }
  }

  #describeDeath(cause: unknown): WorkbenchError {
    if (cause instanceof WorkbenchError) return cause;
    if (!existsSync(this.#model.encoderPath)) return toMissingPart('text encoder', cause);
    return new WorkbenchError('unavailable', 'The text encoder stopped. Try again.', undefined, { cause });
  }

  #restartSilenceTimer(): void {
    if (this.#silenceTimer) clearTimeout(this.#silenceTimer);
    this.#silenceTimer = null;
    if (!this.#child || this.#waiting.size === 0) return;
    this.#silenceTimer = setTimeout(() => this.#child?.kill(), scalePatience(silenceTimeoutMs));
    this.#silenceTimer.unref();
  }
}

const closedError = () => new WorkbenchError('unavailable', 'The text encoder is closed.');
