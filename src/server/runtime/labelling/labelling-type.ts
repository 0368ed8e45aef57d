/** The labelling model of one decision type inside the labelling child: rows wait here until they are numbers. */
import { toRowContent, toRowNumber } from '../../../engine/drawn-rows.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { chooseRows, type QueueRow } from '../../../engine/labelling/choose-rows.ts';
import {
  LabellingModel,
  type RowState,
  type SimilarRows,
  type Suggestion,
} from '../../../engine/labelling/labelling-model.ts';
import { fitRowEncoder, type RowEncoder } from '../../../engine/labelling/row-encoder.ts';
import { compileReadings, type ReadInput } from '../../../engine/readings/readings.ts';
import type { AlikeRow, ModelRow, ModelSettings, NextOrder, NextRows, StatePair } from './labelling-messages.ts';

/** Embeds texts; null where the encoder cannot be asked now. */
export type Embed = (texts: readonly string[]) => Promise<Float32Array[] | null>;
type TextReader = { dimensions: number; embed: Embed };
export type ChooseReader = (texts: readonly string[]) => Promise<TextReader>;

/** Rows that are seen before the fields are decided. */
const rowsToFit = 1_000;
/** Rows that wait at most before more are asked for. */
const maxWaiting = 1_000;

const parseInput = (json: string): JsonObject => JSON.parse(json);

export class LabellingType {
  readonly #settings: ModelSettings;
  readonly #chooseReader: ChooseReader;
  readonly #read: (input: JsonObject) => ReadInput;
  /** The rows that have a number and are not in the model yet. */
  readonly #unread = new Map<string, { state: RowState; number: number }>();
  /** The inputs of those of them that are here to be read. */
  readonly #waiting = new Map<string, string>();
  #roomAwaited: ((isRead: boolean) => void)[] = [];
  #isComplete = false;
  #encoder: RowEncoder | null = null;
  #embed: Embed = async () => [];
  #model: LabellingModel | null = null;
  /** Ids named since the first part of the present states. */
  #named = new Set<string>();

  constructor(settings: ModelSettings, chooseReader: ChooseReader) {
    this.#settings = settings;
    this.#read = compileReadings(settings.readings);
    this.#chooseReader = chooseReader;
  }

  setStates(pairs: readonly StatePair[], first: boolean, last: boolean): string[] {
    if (first) this.#named = new Set();
    const missing: string[] = [];
    for (const [id, state] of pairs) {
      this.#named.add(id);
      this.setState(id, state);
      if (!this.#waiting.has(id) && !this.#model?.has(id)) missing.push(id);
    }
    if (last) {
      const gone = [...(this.#model?.ids() ?? []), ...this.#unread.keys()].filter((id) => !this.#named.has(id));
      for (const id of gone) this.remove(id);
      this.#named = new Set();
    }
    return missing;
  }

  setState(id: string, state: RowState): void {
    const unread = this.#unread.get(id);
    if (unread === undefined) this.#model?.setState(id, state);
    else unread.state = state;
  }

  remove(id: string): void {
    this.#waiting.delete(id);
    this.#unread.delete(id);
    this.#model?.removeRow(id);
  }

  /** Gives rows their permanent random numbers, so that they can be given out before they are read. */
  numberRows(rows: readonly ModelRow[]): number[] {
    return rows.map(({ id, inputJson, state }) => {
      const content = toRowContent(parseInput(inputJson), this.#settings.identifying);
      const number = toRowNumber(content);
      this.remove(id);
      this.#unread.set(id, { state, number });
      return number;
    });
  }

  /** Resolves when there is room for more rows, or with the last ones when all are read in; false where that failed. */
  addRows(rows: readonly ModelRow[], last: boolean): Promise<boolean> {
    for (const { id, inputJson, state } of rows) {
      this.setState(id, state);
      if (this.#unread.has(id)) this.#waiting.set(id, inputJson);
    }
    this.#isComplete = last;
    return new Promise((resolve) => {
      this.#roomAwaited.push(resolve);
      this.#tellRoom(true);
    });
  }

  /** Turns up to `count` waiting rows into numbers; false where nothing can be done now. */
  async readSome(count: number): Promise<boolean> {
    if (this.#encoder === null && !this.#isComplete && this.#waiting.size < rowsToFit) return false;
    const rows = [...this.#waiting].slice(0, count);
    if (rows.length === 0) return false;
    if (!(await this.#prepare())) return this.#giveUp();
    const encoder = this.#encoder as RowEncoder;
    const inputs = rows.map(([, inputJson]) => this.#readInput(inputJson));
    const texts = inputs.map((input) => encoder.readText(input)).filter((text) => text !== '');
    const embeddings = texts.length === 0 ? [] : await this.#embed(texts);
    if (embeddings === null) return this.#giveUp();
    let next = 0;
    for (const [at, [id, inputJson]] of rows.entries()) {
      const input = inputs[at] ?? {};
      const embedding = encoder.readText(input) === '' ? null : (embeddings[next++] ?? null);
      // While the texts were embedded the row may have been labelled, changed or removed.
      const unread = this.#unread.get(id);
      if (unread === undefined || this.#waiting.get(id) !== inputJson) continue;
      this.#waiting.delete(id);
      this.#unread.delete(id);
      this.#model?.addRow(id, encoder.encode(input, embedding), unread.state, unread.number);
    }
    this.#tellRoom(true);
    return true;
  }

  next({ count, taken: ids, order }: NextOrder): NextRows {
    const taken = new Set(ids);
    const unread = [...this.#unread].flatMap(([id, { state, number }]): QueueRow[] => {
      if (state === 'aside') return [];
      const progress = state !== 'open' ? 'labelled' : taken.has(id) ? 'out' : 'open';
      return [{ id, number, state: progress, isRead: false, doubt: null, isRare: false }];
    });
    const nothing = { suggestion: null, doubted: null };
    const rows =
      this.#model?.choose(count, taken, order, unread) ??
      chooseRows(unread, count, order, () => false).map((choice) => ({ ...choice, ...nothing }));
    const { rowCount: read = 0, labelCount: labels = 0, drawnCount: drawn = 0 } = this.#model ?? {};
    return { rows, read, labels, drawn };
  }

  suggest(ids: readonly string[]): (Suggestion | null)[] {
    return ids.map((id) => this.#model?.suggest(id) ?? null);
  }

  async findNearest(inputJson: string, count: number): Promise<AlikeRow[]> {
    if (this.#encoder === null || this.#model === null) return [];
    const input = this.#readInput(inputJson);
    const text = this.#encoder.readText(input);
    const embeddings = text === '' ? [] : await this.#embed([text]);
    if (embeddings === null) return [];
    return this.#model.findNearestLabelled(this.#encoder.encode(input, embeddings[0] ?? null), count);
  }

  /** Without texts there are no near copies: fields alone are alike too easily. */
  findSimilar(id: string, count: number, among: SimilarRows): AlikeRow[] | null {
    if (among === 'copies' && this.#encoder?.embeddingWidth === 0) return [];
    return this.#model?.findSimilar(id, count, among) ?? null;
  }

  #readInput(json: string): JsonObject {
    return this.#read(parseInput(json)).input;
  }

  /** Makes the model from the first rows; false where the encoder cannot be asked. */
  async #prepare(): Promise<boolean> {
    if (this.#model !== null) return true;
    const { optionTexts, optionCount, inputSchemaJson } = this.#settings;
    const inputs = [...this.#waiting.values()].slice(0, rowsToFit).map((json) => this.#readInput(json));
    const inputSchema = JSON.parse(inputSchemaJson) as JsonObject | null;
    let encoder = fitRowEncoder(inputs, inputSchema);
    if (encoder.embeddingWidth > 0) {
      const { dimensions, embed } = await this.#chooseReader(inputs.map(encoder.readText));
      encoder = fitRowEncoder(inputs, inputSchema, dimensions);
      this.#embed = embed;
    }
    const optionRows = encoder.embeddingWidth === 0 ? [] : await this.#embed(optionTexts);
    if (optionRows === null) return false;
    this.#encoder = encoder;
    this.#model = new LabellingModel(
      encoder.width,
      optionCount,
      optionRows.length === 0 ? null : optionRows.map(encoder.encodeText),
    );
    return true;
  }

  /** Forgets waiting rows: the server sends them again later. */
  #giveUp(): false {
    this.#waiting.clear();
    this.#tellRoom(false);
    return false;
  }

  #tellRoom(isRead: boolean): void {
    if (isRead && this.#waiting.size > (this.#isComplete ? 0 : maxWaiting)) return;
    const awaited = this.#roomAwaited;
    this.#roomAwaited = [];
    for (const resolve of awaited) resolve(isRead);
  }
}
