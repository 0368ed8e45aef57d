/** Entry of the labelling child: keeps the labelling models, answers questions, ends when the parent is gone. */
import { setPriority } from 'node:os';
import { limits } from '../../../engine/limits.ts';
import type { BatchTextEncoder } from '../../../engine/ports.ts';
import { toEncoderInput } from '../../../engine/text/encoder-input.ts';
import { nextTurn } from '../../process/turns.ts';
import { type CachedEncoder, withEncodingCache } from '../encoder/encoding-cache.ts';
import { openTextModel, type TextModel } from '../encoder/text-model.ts';
import type { FromLabellingChild, LabellingQuestion, ToLabellingChild } from './labelling-messages.ts';
import { type Embed, LabellingType } from './labelling-type.ts';

/** Below the server, as the encoder: deciding comes first. */
const niceness = 5;
/** Rows that are read in between two looks at the questions; a decision with text waits for this many texts at most. */
const rowsPerTurn = 8;

/** Embeds texts, from the disk where they are known there, else by the encoder of the server. */
class SharedEncoder {
  readonly #textModel: TextModel;
  readonly #encodingsDir: string;
  readonly #awaited = new Map<number, (embeddings: Float32Array[] | null) => void>();
  #nextId = 1;
  #cache: CachedEncoder | null = null;

  constructor(resourcesDir: string, encodingsDir: string) {
    this.#textModel = openTextModel(resourcesDir);
    this.#encodingsDir = encodingsDir;
  }

  readonly embed: Embed = async (texts) => {
    this.#cache ??= this.#open();
    const tokenizer = this.#textModel.tokenizer();
    try {
      return await this.#cache.embedBatch(
        texts.map((text) => toEncoderInput(tokenizer.encode(text), limits.maxEncoderTokens).ids),
      );
    } catch (error) {
      if (error instanceof EncoderAway) return null;
      throw error;
    }
  };

  receive(id: number, embeddings: Float32Array[] | null): void {
    this.#awaited.get(id)?.(embeddings);
    this.#awaited.delete(id);
  }

  close(): void {
    this.#cache?.close();
  }

  #open(): CachedEncoder {
    const embedBatch = async (texts: readonly (readonly number[])[]) => {
      const id = this.#nextId++;
      const embeddings = await new Promise<Float32Array[] | null>((resolve) => {
        this.#awaited.set(id, resolve);
        tell({ kind: 'embed', id, texts });
      });
      if (embeddings === null) throw new EncoderAway();
      return embeddings;
    };
    const encoder: BatchTextEncoder = {
      sha256: this.#textModel.encoderSha256,
      dimensions: limits.embeddingDimensions,
      embedBatch,
      embed: async (ids) => (await embedBatch([ids]))[0] as Float32Array,
    };
    return withEncodingCache(encoder, this.#encodingsDir, Date.now());
  }
}

/** The encoder of the server could not be asked. */
class EncoderAway extends Error {}

class LabellingTypes {
  readonly #encoder: SharedEncoder;
  readonly #types = new Map<string, LabellingType>();
  #isReading = false;
  /** Set by rows that come while others are read, too. */
  #hasRows = false;

  constructor(encoder: SharedEncoder) {
    this.#encoder = encoder;
  }

  async answer(question: LabellingQuestion): Promise<unknown> {
    if (question.kind === 'open') {
      this.#types.set(question.settings.typeId, new LabellingType(question.settings, this.#encoder.embed));
      return null;
    }
    const type = this.#types.get(question.typeId);
    if (type === undefined) throw new Error('The labelling model is not open.');
    switch (question.kind) {
      case 'forget':
        this.#types.delete(question.typeId);
        return null;
      case 'states':
        return type.setStates(question.pairs, question.first, question.last);
      case 'rows': {
        const room = type.addRows(question.rows, question.last);
        this.#startReading();
        return await room;
      }
      case 'state':
        type.setState(question.id, question.state);
        return null;
      case 'remove':
        type.remove(question.id);
        return null;
      case 'next':
        return type.next(question.count, question.taken);
      case 'suggest':
        return type.suggest(question.ids);
      case 'nearest':
        return await type.findNearest(question.inputJson, question.count);
      case 'similar':
        return type.findSimilar(question.id, question.count, question.labelled);
    }
  }

  #startReading(): void {
    this.#hasRows = true;
    if (this.#isReading) return;
    this.#isReading = true;
    // A fault ends the process: the server sees its exit and begins again.
    void this.#read().finally(() => {
      this.#isReading = false;
    });
  }

  async #read(): Promise<void> {
    while (this.#hasRows) {
      this.#hasRows = false;
      for (const type of this.#types.values()) {
        if (await type.readSome(rowsPerTurn)) this.#hasRows = true;
      }
      await nextTurn();
    }
  }
}

function tell(message: FromLabellingChild): void {
  if (process.connected) process.send?.(message);
}

let encoder: SharedEncoder | null = null;
let types: LabellingTypes | null = null;

setPriority(niceness);
process.once('disconnect', () => {
  encoder?.close();
  process.exit(0);
});

process.on('message', (message: ToLabellingChild) => {
  switch (message.kind) {
    case 'start':
      encoder = new SharedEncoder(message.resourcesDir, message.encodingsDir);
      types = new LabellingTypes(encoder);
      break;
    case 'embeddings':
      encoder?.receive(message.id, message.embeddings);
      break;
    case 'question':
      void answer(message.id, message.question);
  }
});

async function answer(id: number, question: LabellingQuestion): Promise<void> {
  try {
    tell({ kind: 'answer', id, answer: await types?.answer(question) });
  } catch (error) {
    tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}
