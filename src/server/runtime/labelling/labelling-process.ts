/** The labelling child: started when it is asked something, and asked through one channel. */
import type { ChildProcess } from 'node:child_process';
import type { SpawnChild } from '../../process/spawn-child.ts';
import type { HostedTextModel } from '../encoder/encoder-host.ts';
import type {
  FromLabellingChild,
  LabellingAnswers,
  LabellingQuestion,
  ToLabellingChild,
} from './labelling-messages.ts';

const heapMb = 512;

export type LabellingProcessOptions = {
  spawn: SpawnChild;
  /** Those of the program, by whose encoders the child has its texts read. */
  textModels: readonly HostedTextModel[];
  resourcesDir: string;
  encodingsDir: string;
};

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

/** One child at a time; whatever it was asked is rejected when it ends. It has its texts embedded by the server. */
export class LabellingProcess {
  readonly #options: LabellingProcessOptions;
  readonly #onEnd: () => void;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | null = null;
  #isClosed = false;
  #nextId = 1;

  /** `onEnd` hears of every end of a child: what it knew is gone. */
  constructor(options: LabellingProcessOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /** Asks the child, which is started if there is none. */
  async ask<K extends LabellingQuestion['kind']>(
    question: Extract<LabellingQuestion, { kind: K }>,
  ): Promise<LabellingAnswers[K]> {
    return (await new Promise<unknown>((resolve, reject) => {
      this.#send(question, { resolve, reject });
    })) as LabellingAnswers[K];
  }

  tell(question: LabellingQuestion): void {
    this.#send(question, null);
  }

  /** Ends the child and resolves when it is gone; the next question starts another one. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    this.#forget(child);
    child.kill('SIGKILL');
    await gone;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  #send(question: LabellingQuestion, waiting: Waiting | null): void {
    const child = this.#ensureChild();
    const id = this.#nextId++;
    if (waiting !== null) this.#waiting.set(id, waiting);
    tell(child, { kind: 'question', id, question });
  }

  #ensureChild(): ChildProcess {
    if (this.#child !== null) return this.#child;
    if (this.#isClosed) throw new Error('The labelling models are closed.');
    const child = this.#options.spawn('labelling-child', { heapMb });
    this.#child = child;
    child.on('message', (message: FromLabellingChild) => {
      if (child === this.#child) void this.#receive(child, message);
    });
    child.once('error', () => this.#forget(child));
    child.once('exit', () => this.#forget(child));
    const { resourcesDir, encodingsDir } = this.#options;
    tell(child, { kind: 'start', resourcesDir, encodingsDir });
    return child;
  }

  async #receive(child: ChildProcess, message: FromLabellingChild): Promise<void> {
    switch (message.kind) {
      case 'answer':
      case 'failed': {
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.kind === 'answer') waiting?.resolve(message.answer);
        else waiting?.reject(new Error(message.message));
        return;
      }
      case 'embed': {
        const encoder = this.#options.textModels.find(({ model }) => model.name === message.textModel)?.host.encoder;
        const embedded = encoder && Promise.all(message.texts.map((ids) => encoder.embed(ids)));
        const embeddings = (await embedded?.catch(() => null)) ?? null;
        tell(child, { kind: 'embeddings', id: message.id, embeddings });
      }
    }
  }

  #forget(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = null;
    for (const { reject } of this.#waiting.values()) reject(new Error('The labelling process ended.'));
    this.#waiting.clear();
    this.#onEnd();
  }
}

function tell(child: ChildProcess, message: ToLabellingChild): void {
  // A failed send shows itself as the exit of the child.
  child.send(message, () => undefined);
}
