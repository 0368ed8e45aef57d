/** The sentence encoder behind a process border: queue, cache, and restart after a crash. */
import type { ChildProcess } from 'node:child_process';
import { WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import type { TextEncoder } from '../../engine/ports.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { EncoderReply, EncoderRequest } from './encoder-child.ts';
import { createRecentCache, type RecentCache } from './recent-cache.ts';

const defaultCachedTexts = 2_000;
const defaultMaxQueueLength = 512;
const heapMb = 96;
/** A child that answers nothing for this long while calls wait is taken for hung and killed. */
const silenceTimeoutMs = 15_000;
/** Waits before restarts in a row; an answer in between starts over. */
const restartDelaysMs = [0, 200, 500, 1_000, 2_000];

export type EncoderHostOptions = {
  spawn: SpawnChild;
  model: { readonly encoderPath: string; readonly encoderSha256: string };
  cachedTexts?: number;
  /** Calls that may wait at a time; one more is refused. */
  maxQueueLength?: number;
};
/** `restarting` also stands for the first loading of the model. */
export type EncoderState = 'idle' | 'ready' | 'restarting';
type Waiting<T> = { resolve(value: T): void; reject(error: WorkbenchError): void };
type Call = { id: number; ids: readonly number[] };

/**
 * Runs the encoder in a child process. Calls are pipelined to the child and answered in order; equal texts are answered
 * from a cache. `embed` rejects with `unavailable` when the child dies, the queue is full or the host is closed; the
 * next call finds a new child (at most 2 s later).
 */
export class EncoderHost {
  /** The port of the engine. */
  readonly encoder: TextEncoder;
  /** What computes the embeddings, with its version; null until the child was ready once. */
  runtimeVersion: string | null = null;
  private readonly spawn: SpawnChild;
  private readonly model: EncoderHostOptions['model'];
  private readonly maxQueueLength: number;
  private readonly cache: RecentCache<string, Float32Array>;
  private readonly waiting = new Map<number, Waiting<Float32Array>>();
  private starts: Waiting<void>[] = [];
  /** Calls that came while there was no child. */
  private unsent: Call[] = [];
  private child: ChildProcess | null = null;
  private isReady = false;
  private isClosed = false;
  private nextId = 1;
  private deathsInARow = 0;
  private restartTimer: NodeJS.Timeout | null = null;
  private silenceTimer: NodeJS.Timeout | null = null;

  constructor(options: EncoderHostOptions) {
    const { model } = options;
    this.spawn = options.spawn;
    this.model = model;
    this.maxQueueLength = options.maxQueueLength ?? defaultMaxQueueLength;
    this.cache = createRecentCache(options.cachedTexts ?? defaultCachedTexts);
    this.encoder = {
      // Read when it is asked for: the digest of the model costs reading its file.
      get sha256() {
        return model.encoderSha256;
      },
      dimensions: limits.embeddingDimensions,
      embed: (ids) => this.embed(ids),
    };
  }

  /** Starts the child if there is none; resolves when the model is loaded, rejects when the child dies before. */
  start(): Promise<void> {
    if (this.isReady) return Promise.resolve();
    if (this.isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.starts.push({ resolve, reject });
      this.ensureChild();
    });
  }

  /** Ends the child and resolves when it is gone; what waits is refused. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.restartTimer) clearTimeout(this.restartTimer);
    const last = this.child;
    if (!last) return this.handleDeath(null, undefined);
    const gone = new Promise((resolve) => last.once('exit', resolve));
    last.kill('SIGKILL');
    await gone;
  }

  state(): EncoderState {
    if (this.isReady) return 'ready';
    return this.child || this.restartTimer ? 'restarting' : 'idle';
  }

  /** Process id of the running child; null while there is none. */
  pid(): number | null {
    return this.child?.pid ?? null;
  }

  private async embed(ids: readonly number[]): Promise<Float32Array> {
    const key = ids.join(' ');
    const known = this.cache.get(key);
    if (known) return known;
    if (this.isClosed) throw closedError();
    if (this.waiting.size >= this.maxQueueLength) {
      throw new WorkbenchError('unavailable', 'Too many texts wait for the encoder.');
    }
    const call: Call = { id: this.nextId++, ids };
    const embedding = await new Promise<Float32Array>((resolve, reject) => {
      this.waiting.set(call.id, { resolve, reject });
      if (this.child) send(this.child, { kind: 'embed', ...call });
      else this.unsent.push(call);
      this.ensureChild();
      if (this.waiting.size === 1) this.restartSilenceTimer();
    });
    this.cache.set(key, embedding);
    return embedding;
  }

  private ensureChild(): void {
    if (!this.child && !this.restartTimer) this.launch();
  }

  private launch(): void {
    this.restartTimer = null;
    if (this.isClosed || this.child) return;
    let started: ChildProcess;
    try {
      started = this.spawn('encoder-child', { heapMb });
    } catch (error) {
      this.handleDeath(null, error);
      return;
    }
    this.child = started;
    started.on('message', (reply: EncoderReply) => {
      if (started === this.child) this.receive(reply);
    });
    started.once('error', (error) => this.handleDeath(started, error));
    started.once('exit', () => this.handleDeath(started, undefined));
    send(started, { kind: 'open', modelPath: this.model.encoderPath });
    for (const call of this.unsent) send(started, { kind: 'embed', ...call });
    this.unsent = [];
    this.restartSilenceTimer();
  }

  private receive(reply: EncoderReply): void {
    if (reply.kind === 'ready') {
      this.runtimeVersion = reply.runtime;
      this.isReady = true;
      for (const start of this.starts) start.resolve();
      this.starts = [];
    } else {
      const call = this.waiting.get(reply.id);
      this.waiting.delete(reply.id);
      this.deathsInARow = 0;
      if (reply.kind === 'embedding') call?.resolve(reply.embedding);
      else call?.reject(new WorkbenchError('unavailable', 'The text encoder could not read this text.'));
    }
    this.restartSilenceTimer();
  }

  /** Refuses everything that waits and, unless the host is closed, plans the next child. */
  private handleDeath(which: ChildProcess | null, cause: unknown): void {
    if (which !== this.child) return;
    this.child = null;
    this.isReady = false;
    this.unsent = [];
    const error = new WorkbenchError('unavailable', 'The text encoder stopped. Try again.', undefined, { cause });
    for (const call of this.waiting.values()) call.reject(error);
    this.waiting.clear();
    for (const start of this.starts) start.reject(error);
    this.starts = [];
    this.restartSilenceTimer();
    if (this.isClosed) return;
    const delayMs = restartDelaysMs[Math.min(this.deathsInARow, restartDelaysMs.length - 1)] ?? 0;
    this.deathsInARow += 1;
    this.restartTimer = setTimeout(() => this.launch(), delayMs);
    this.restartTimer.unref();
  }

  private restartSilenceTimer(): void {
    if (this.silenceTimer) clearTimeout(this.silenceTimer);
    this.silenceTimer = null;
    if (!this.child || this.waiting.size === 0) return;
    this.silenceTimer = setTimeout(() => this.child?.kill('SIGKILL'), silenceTimeoutMs);
    this.silenceTimer.unref();
  }
}

function send(child: ChildProcess, request: EncoderRequest): void {
  // A failed send shows itself as the exit of the child, which rejects what waits.
  child.send(request, () => undefined);
}

const closedError = () => new WorkbenchError('unavailable', 'The text encoder is closed.');
