/** Entry of the labelling child: keeps the labelling models, answers questions, ends when the parent is gone. */
import { nextTurn } from '../../../door/turns.ts';
import type { ProgramTextModel } from '../../../engine/domain/training.ts';
import type { RowState, SimilarRows } from '../../../engine/labelling/labelling-model.ts';
import { limits } from '../../../engine/limits.ts';
import type { BatchTextEncoder } from '../../../engine/ports.ts';
import { toEncoderInput } from '../../../engine/text/encoder-input.ts';
import { countLanguages } from '../../../engine/text/languages.ts';
import { type GiveOrder, serveOrders } from '../../process/orders.ts';
import { type CachedEncoder, withEncodingCache } from '../encoder/encoding-cache.ts';
import { isInstalled, openTextModel, type TextModel } from '../encoder/text-model.ts';
import { openLanguageDetector } from '../language-detector.ts';
import type { EmbedOrders, ModelRow, ModelSettings, NextOrder, StatePair } from './labelling-messages.ts';
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
  readonly #caches = new Map<ProgramTextModel, CachedEncoder>();
  readonly #give: GiveOrder<EmbedOrders>;

  constructor(give: GiveOrder<EmbedOrders>, { resourcesDir, encodingsDir }: ModelSettings) {
    this.#give = give;
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

  close(): void {
    for (const cache of this.#caches.values()) cache.close();
  }

  #open({ encoderSha256, facts: { dimensions, frame } }: TextModel, textModel: ProgramTextModel): CachedEncoder {
    const known = this.#caches.get(textModel);
    if (known !== undefined) return known;
    const embedBatch = async (texts: readonly (readonly number[])[]) => {
      const embeddings = await this.#give('embed', { textModel, texts });
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

type OfType = { typeId: string };

class LabellingTypes {
  readonly #types = new Map<string, LabellingType>();
  #encoders: SharedEncoders | null = null;
  #isReading = false;
  /** Also set by rows that come while others are read. */
  #hasRows = false;

  readonly orders = {
    open: (settings: ModelSettings) => {
      this.#encoders ??= new SharedEncoders(give, settings);
      this.#types.set(settings.typeId, new LabellingType(settings, this.#encoders.chooseReader));
    },
    forget: ({ typeId }: OfType) => void this.#types.delete(typeId),
    /**
     * The present examples, in several parts: states change, and the last part removes rows that no part names.
     * Answered with ids whose rows the model does not have.
     */
    states: ({ typeId, pairs, first, last }: OfType & { pairs: StatePair[]; first: boolean; last: boolean }) =>
      this.#find(typeId).setStates(pairs, first, last),
    /** Rows that will come, long before their texts are read: their permanent random numbers say which are drawn. */
    number: ({ typeId, rows }: OfType & { rows: ModelRow[] }) => this.#find(typeId).numberRows(rows),
    /** Answered when there is room for more, or all are read in; false where the text encoder could not be asked. */
    rows: ({ typeId, rows, last }: OfType & { rows: ModelRow[]; last: boolean }) => {
      const room = this.#find(typeId).addRows(rows, last);
      this.#startReading();
      return room;
    },
    state: ({ typeId, id, state }: OfType & { id: string; state: RowState }) => this.#find(typeId).setState(id, state),
    remove: ({ typeId, id }: OfType & { id: string }) => this.#find(typeId).remove(id),
    next: ({ typeId, ...order }: OfType & NextOrder) => this.#find(typeId).next(order),
    suggest: ({ typeId, ids }: OfType & { ids: string[] }) => this.#find(typeId).suggest(ids),
    /** The labelled rows most like an input; none while there is no model. */
    nearest: ({ typeId, inputJson, count }: OfType & { inputJson: string; count: number }) =>
      this.#find(typeId).findNearest(inputJson, count),
    /** Answered with null while the model does not know the row. */
    similar: ({ typeId, id, count, among }: OfType & { id: string; count: number; among: SimilarRows }) =>
      this.#find(typeId).findSimilar(id, count, among),
  };

  close(): void {
    this.#encoders?.close();
  }

  #find(typeId: string): LabellingType {
    const type = this.#types.get(typeId);
    if (type === undefined) throw new Error('The labelling model is not open.');
    return type;
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

const types = new LabellingTypes();
export type LabellingOrders = LabellingTypes['orders'];

// Written to the disk before this process exits with its parent.
process.once('disconnect', () => types.close());
const give: GiveOrder<EmbedOrders> = serveOrders(types.orders, niceness);
