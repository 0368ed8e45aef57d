/** Entry of the labelling child: keeps the labelling models, answers questions, ends when the parent is gone. */
import { setPriority } from 'node:os';
import { nextTurn } from '../../../door/turns.ts';
import type { ProgramTextModel } from '../../../engine/domain/training.ts';
import { limits } from '../../../engine/limits.ts';
import type { BatchTextEncoder } from '../../../engine/ports.ts';
import { toEncoderInput } from '../../../engine/text/encoder-input.ts';
import { countLanguages } from '../../../engine/text/languages.ts';
import { type CachedEncoder, withEncodingCache } from '../encoder/encoding-cache.ts';
import { isInstalled, openTextModel, type TextModel } from '../encoder/text-model.ts';
import { openLanguageDetector } from '../language-detector.ts';
import type { FromLabellingChild, LabellingQuestion, ToLabellingChild } from './labelling-messages.ts';
import { type ChooseReader, type Embed, LabellingType } from './labelling-type.ts';

/** Below the server, as the encoder: deciding comes first. */
const niceness = 5;
/** Rows that are read in between two looks at the questions; a decision with text waits for this many texts at most. */
const rowsPerTurn = 8;
/** Texts of which fewer are English are read by the model of many languages. */
const minEnglishShare = 0.5;

/** The text models, which embed texts from the disk where they are known there, else by the encoders of the server. */
class SharedEncoders {
  readonly #resourcesDir: string;
  readonly #encodingsDir: string;
  readonly #awaited = new Map<number, (embeddings: Float32Array[] | null) => void>();
  readonly #caches = new Map<ProgramTextModel, CachedEncoder>();
  #nextId = 1;

  constructor(resourcesDir: string, encodingsDir: string) {
    this.#resourcesDir = resourcesDir;
    this.#encodingsDir = encodingsDir;
  }

  readonly chooseReader: ChooseReader = async (texts) => {
    const languages = countLanguages(texts, await openLanguageDetector());
    const english = languages.find(({ language }) => language === 'en')?.share ?? 0;
    const name = languages.length > 0 && english < minEnglishShare ? 'fast' : 'english';
    const textModel = openTextModel(this.#resourcesDir, name);
    // Rows then differ by their other fields alone.
    if (!isInstalled(textModel)) return { dimensions: 0, embed: async () => [] };
    const { dimensions, frame } = textModel.facts;
    const embed: Embed = async (parts) => {
      const tokenizer = textModel.tokenizer();
      try {
        return await this.#open(textModel, name).embedBatch(
          parts.map((text) => toEncoderInput(tokenizer.encode(text), limits.maxEncoderTokens, frame).ids),
        );
      } catch (error) {
        if (error instanceof EncoderAway) return null;
        throw error;
      }
    };
    return { dimensions, embed };
  };

  receive(id: number, embeddings: Float32Array[] | null): void {
    this.#awaited.get(id)?.(embeddings);
    this.#awaited.delete(id);
  }

  close(): void {
    for (const cache of this.#caches.values()) cache.close();
  }

  #open({ encoderSha256, facts: { dimensions, frame } }: TextModel, textModel: ProgramTextModel): CachedEncoder {
    const known = this.#caches.get(textModel);
    if (known !== undefined) return known;
    const embedBatch = async (texts: readonly (readonly number[])[]) => {
      const id = this.#nextId++;
      const embeddings = await new Promise<Float32Array[] | null>((resolve) => {
        this.#awaited.set(id, resolve);
        tell({ kind: 'embed', id, textModel, texts });
      });
      if (embeddings === null) throw new EncoderAway();
      return embeddings;
    };
    const encoder: BatchTextEncoder = {
      sha256: encoderSha256,
      dimensions,
      frame,
      embedBatch,
      embed: async (ids) => (await embedBatch([ids]))[0] as Float32Array,
    };
    const cache = withEncodingCache(encoder, this.#encodingsDir, Date.now());
    this.#caches.set(textModel, cache);
    return cache;
  }
}

/** The encoder of the server could not be asked. */
class EncoderAway extends Error {}

class LabellingTypes {
  readonly #encoders: SharedEncoders;
  readonly #types = new Map<string, LabellingType>();
  #isReading = false;
  /** Also set by rows that come while others are read. */
  #hasRows = false;

  constructor(encoders: SharedEncoders) {
    this.#encoders = encoders;
  }

  async answer(question: LabellingQuestion): Promise<unknown> {
    if (question.kind === 'open') {
      this.#types.set(question.settings.typeId, new LabellingType(question.settings, this.#encoders.chooseReader));
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
      case 'number':
        return type.numberRows(question.rows);
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
        return type.next(question);
      case 'suggest':
        return type.suggest(question.ids);
      case 'nearest':
        return await type.findNearest(question.inputJson, question.count);
      case 'similar':
        return type.findSimilar(question.id, question.count, question.among);
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

let encoders: SharedEncoders | null = null;
let types: LabellingTypes | null = null;

setPriority(niceness);
process.once('disconnect', () => {
  encoders?.close();
  process.exit(0);
});

process.on('message', (message: ToLabellingChild) => {
  switch (message.kind) {
    case 'start':
      encoders = new SharedEncoders(message.resourcesDir, message.encodingsDir);
      types = new LabellingTypes(encoders);
      break;
    case 'embeddings':
      encoders?.receive(message.id, message.embeddings);
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
