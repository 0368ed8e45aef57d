/** The sentence encoder behind a process border: queue, cache, and restart after a crash. */
import type { ChildProcess } from 'node:child_process';
import { WorkbenchError } from '../../engine/errors.ts';
import type { TextEncoder } from '../../engine/ports.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { EncoderReply, EncoderRequest } from './encoder-child.ts';
import { createRecentCache } from './recent-cache.ts';

const maxCachedTexts = 2_000;
const maxQueueLength = 512;
const heapMb = 96;
/** A child that answers nothing for this long while calls wait is taken for hung and killed. */
const silenceTimeoutMs = 15_000;
/** Waits before restarts in a row; an answer in between starts over. */
const restartDelaysMs = [0, 200, 500, 1_000, 2_000];

export type EncoderHostOptions = {
  spawn: SpawnChild;
  model: { readonly encoderPath: string; readonly encoderSha256: string };
  cachedTexts?: number;
  longestQueue?: number;
};
export type EncoderHost = {
  encoder: TextEncoder;
  /** Starts the child if there is none; resolves when the model is loaded. */
  start(): Promise<void>;
  close(): Promise<void>;
  state(): 'idle' | 'ready' | 'restarting';
  /** Process id of the running child; null while there is none. */
  pid(): number | null;
};
type Waiting = { resolve(embedding: Float32Array): void; reject(error: WorkbenchError): void };
type Call = { id: number; ids: readonly number[] };

/**
 * Makes the encoder port. Calls are pipelined to the child and answered in order; equal texts are answered from a cache.
 * `embed` rejects with `unavailable` when the child dies, the queue is full or the host is closed; the next call finds
 * a new child (at most 2 s later).
 */
export function createEncoderHost(options: EncoderHostOptions): EncoderHost {
  const { spawn, model } = options;
  const longestQueue = options.longestQueue ?? maxQueueLength;
  const cache = createRecentCache<string, Float32Array>(options.cachedTexts ?? maxCachedTexts);
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | null = null;
  let ready = false;
  let closed = false;
  let nextId = 1;
  let deaths = 0;
  let unsent: Call[] = [];
  let restartTimer: NodeJS.Timeout | null = null;
  let silenceTimer: NodeJS.Timeout | null = null;
  let starts: { resolve(): void; reject(error: WorkbenchError): void }[] = [];

  function send(target: ChildProcess, request: EncoderRequest): void {
    // a failed send shows itself as the exit of the child, which rejects what waits
    target.send(request, () => undefined);
  }

  function launch(): void {
    restartTimer = null;
    if (closed || child) return;
    let started: ChildProcess;
    try {
      started = spawn('encoder-child', { heapMb });
    } catch (error) {
      died(null, error);
      return;
    }
    child = started;
    started.on('message', (reply: EncoderReply) => {
      if (started === child) receive(reply);
    });
    started.once('error', (error) => died(started, error));
    started.once('exit', () => died(started, undefined));
    send(started, { kind: 'open', modelPath: model.encoderPath });
    for (const call of unsent) send(started, { kind: 'embed', ...call });
    unsent = [];
    watch();
  }

  function receive(reply: EncoderReply): void {
    if (reply.kind === 'ready') {
      ready = true;
      for (const start of starts) start.resolve();
      starts = [];
    } else {
      const call = waiting.get(reply.id);
      waiting.delete(reply.id);
      deaths = 0;
      if (reply.kind === 'embedding') call?.resolve(reply.embedding);
      else call?.reject(new WorkbenchError('unavailable', 'The text encoder could not read this text'));
    }
    watch();
  }

  function died(which: ChildProcess | null, cause: unknown): void {
    if (which !== child) return;
    child = null;
    ready = false;
    unsent = [];
    const error = new WorkbenchError('unavailable', 'The text encoder stopped; try again', undefined, { cause });
    for (const call of waiting.values()) call.reject(error);
    waiting.clear();
    for (const start of starts) start.reject(error);
    starts = [];
    watch();
    if (closed) return;
    const delay = restartDelaysMs[Math.min(deaths, restartDelaysMs.length - 1)] ?? 0;
    deaths++;
    restartTimer = setTimeout(launch, delay);
    restartTimer.unref();
  }

  function watch(): void {
    if (silenceTimer) clearTimeout(silenceTimer);
    silenceTimer = null;
    if (!child || waiting.size === 0) return;
    silenceTimer = setTimeout(() => child?.kill('SIGKILL'), silenceTimeoutMs);
    silenceTimer.unref();
  }

  function ensureChild(): void {
    if (!child && !restartTimer) launch();
  }

  const encoder: TextEncoder = {
    get sha256() {
      return model.encoderSha256;
    },
    dimensions: 384,
    async embed(ids) {
      const key = ids.join(' ');
      const known = cache.get(key);
      if (known) return known;
      if (closed) throw new WorkbenchError('unavailable', 'The text encoder is closed');
      if (waiting.size >= longestQueue) throw new WorkbenchError('unavailable', 'Too many texts wait for the encoder');
      const call: Call = { id: nextId++, ids };
      const embedding = await new Promise<Float32Array>((resolve, reject) => {
        waiting.set(call.id, { resolve, reject });
        if (child) send(child, { kind: 'embed', ...call });
        else unsent.push(call);
        ensureChild();
        if (waiting.size === 1) watch();
      });
      cache.set(key, embedding);
      return embedding;
    },
  };

  return {
    encoder,
    start() {
      if (ready) return Promise.resolve();
      if (closed) return Promise.reject(new WorkbenchError('unavailable', 'The text encoder is closed'));
      return new Promise((resolve, reject) => {
        starts.push({ resolve, reject });
        ensureChild();
      });
    },
    async close() {
      closed = true;
      if (restartTimer) clearTimeout(restartTimer);
      const last = child;
      if (!last) return died(null, undefined);
      const gone = new Promise((resolve) => last.once('exit', resolve));
      last.kill('SIGKILL');
      await gone;
    },
    state: () => (ready ? 'ready' : child || restartTimer ? 'restarting' : 'idle'),
    pid: () => child?.pid ?? null,
  };
}
