/** The model that learns while somebody labels, and says which rows are worth it. Deterministic, not stored. */
import { dot, softmaxInPlace } from '../numeric.ts';
import { chooseRows, type Reason, rateUse } from './choose-rows.ts';
import { fitTemperature, toUnseenScores } from './fit-temperature.ts';
import { OnlineRidge, type RidgeStep } from './online-ridge.ts';
import { RowMatrix } from './row-matrix.ts';
import { TrackedRows } from './tracked-rows.ts';

/** Rows without a label whose scores are kept up to date; others wait until one of these is labelled. */
const maxPool = 20_000;
/** Labels that are learned when the rows are read in; labels that are given later are learned without a limit. */
const maxLabelsAtStart = 5_000;
/** Labelled rows by which the probabilities are scaled: so many that their scores are at most this many numbers. */
const maxUnseenRows = 300;
const maxUnseenScores = 4_000;
const penalty = 1;
const optionTextWeight = 1;
/** Options that a suggestion names: as many as there are keys for them. */
const maxLikely = 9;

/** Where a row stands: the number of its option, open to be chosen, or put aside, neither learned nor chosen. */
export type RowState = number | 'open' | 'aside';

type Likely = { option: number; probability: number };
/** The likeliest option, and the likeliest ones in their order. */
export type Suggestion = Likely & { likely: Likely[] };
/** A row worth a label. */
export type NextRow = { id: string; suggestion: Suggestion; reason: Reason };

export class LabellingModel {
  readonly #matrix: RowMatrix;
  readonly #ridge: OnlineRidge;
  readonly #labels = new Map<string, number>();
  /** The rows that have a label, learned or not. */
  readonly #labelled = new Set<string>();
  readonly #labelCounts: number[];
  /** Rows without a label that can be chosen; none of them has one. */
  readonly #pool: TrackedRows;
  readonly #waiting = new Set<string>();
  /** The rows labelled last, from which the temperature follows. */
  readonly #unseen: TrackedRows;
  #temperature: number | null = null;
  #round = 0;

  /** `optionRows` holds what is known about each option in words, null where no field is text. */
  constructor(width: number, optionCount: number, optionRows: readonly Float64Array[] | null) {
    this.#matrix = new RowMatrix(width);
    this.#ridge = new OnlineRidge(width, optionCount, penalty);
    this.#labelCounts = new Array<number>(optionCount).fill(0);
    this.#pool = new TrackedRows(optionCount);
    this.#unseen = new TrackedRows(optionCount);
    optionRows?.forEach((row, option) => {
      this.#ridge.add(row, option, optionTextWeight);
    });
  }

  get labelCount(): number {
    return this.#labels.size;
  }

  get rowCount(): number {
    return this.#matrix.size;
  }

  has(id: string): boolean {
    return this.#matrix.findPlace(id) !== null;
  }

  ids(): string[] {
    return [...this.#matrix.ids()];
  }

  addRow(id: string, row: Float64Array, state: RowState): void {
    this.#matrix.add(id, row);
    this.#noteLabelled(id, state);
    if (state === 'open') this.#offer(id);
    else if (state !== 'aside' && this.#labels.size < maxLabelsAtStart) this.#learn(id, state);
  }

  removeRow(id: string): void {
    if (!this.has(id)) return;
    this.setState(id, 'aside');
    this.#matrix.remove(id);
    this.#refill();
  }

  /** Learns a label, another one in its place, or forgets it; a row that is not known changes nothing. */
  setState(id: string, state: RowState): void {
    const place = this.#matrix.findPlace(id);
    const before = this.#labels.get(id);
    if (place === null) return;
    this.#noteLabelled(id, state);
    if (before === state) return;
    this.#pool.remove(id);
    this.#waiting.delete(id);
    if (before !== undefined && typeof state === 'number') this.#relearn(id, before, state);
    else if (before !== undefined) this.#unlearn(id, before);
    else if (typeof state === 'number') this.#learn(id, state);
    if (state === 'open') this.#offer(id);
    this.#refill();
  }

  /** Predicts a row as if its own label had not been learned; null for a row that it does not know. */
  suggest(id: string): Suggestion | null {
    const place = this.#matrix.findPlace(id);
    if (place === null) return null;
    const row = this.#matrix.read(place);
    const scores = this.#ridge.score(row);
    const label = this.#labels.get(id);
    if (label === undefined) return this.#toSuggestion(scores);
    const variance = Math.min(1, dot(row, this.#ridge.multiplyInverse(row)));
    return this.#toSuggestion(toUnseenScores(scores, label, variance).scores);
  }

  /** Up to `count` rows worth a label, most useful first, without those that are `taken`. */
  choose(count: number, taken: ReadonlySet<string>): NextRow[] {
    const temperature = this.#readTemperature();
    const pool = this.#pool;
    const readDoubt = (lead: number) => Math.exp(-lead / temperature);
    const uses = Float64Array.from({ length: pool.size }, (_, index) =>
      rateUse(readDoubt(pool.readLead(index).lead), pool.readVariance(index)),
    );
    for (const id of taken) {
      const index = pool.find(id);
      if (index !== null) uses[index] = Number.NEGATIVE_INFINITY;
    }
    this.#round += 1;
    const choices = chooseRows(
      {
        uses,
        read: (index) => {
          const { first, second, lead } = pool.readLead(index);
          return { index, first, second, doubt: readDoubt(lead), variance: pool.readVariance(index) };
        },
        labelCounts: this.#labelCounts,
        multiplyRow: (index, vector) => this.#matrix.multiply(pool.places[index] ?? 0, vector),
        readRow: (index) => this.#matrix.read(pool.places[index] ?? 0),
        multiplyInverse: (row) => this.#ridge.multiplyInverse(row),
      },
      count,
      this.#round,
    );
    return choices.map(({ candidate: { index }, reason }) => ({
      id: pool.ids[index] ?? '',
      suggestion: this.#toSuggestion(pool.readScores(index)),
      reason,
    }));
  }

  /** The rows most like one, or the labelled ones of them, most alike first; null for a row that is not known. */
  findSimilar(id: string, count: number, labelled = false): { id: string; similarity: number }[] | null {
    const place = this.#matrix.findPlace(id);
    const isMeant = (other: string) => other !== id && (!labelled || this.#labelled.has(other));
    return place === null ? null : this.#matrix.findNearest(this.#matrix.read(place), count, isMeant);
  }

  /** The labelled rows most like one that need not be known, most alike first. */
  findNearestLabelled(row: Float64Array, count: number): { id: string; similarity: number }[] {
    return this.#matrix.findNearest(row, count, (id) => this.#labelled.has(id));
  }

  #noteLabelled(id: string, state: RowState): void {
    if (typeof state === 'number') this.#labelled.add(id);
    else this.#labelled.delete(id);
  }

  #offer(id: string): void {
    if (this.#pool.size < maxPool) this.#trackInPool(id);
    else this.#waiting.add(id);
  }

  #refill(): void {
    if (this.#pool.size >= maxPool) return;
    const [id] = this.#waiting;
    if (id === undefined) return;
    this.#waiting.delete(id);
    this.#trackInPool(id);
  }

  #trackInPool(id: string): void {
    const place = this.#matrix.findPlace(id) ?? 0;
    const row = this.#matrix.read(place);
    this.#pool.add(id, place, this.#ridge.score(row), dot(row, this.#ridge.multiplyInverse(row)));
  }

  #learn(id: string, label: number): void {
    const place = this.#matrix.findPlace(id) ?? 0;
    const row = this.#matrix.read(place);
    this.#labels.set(id, label);
    this.#count(label, 1);
    this.#follow(this.#ridge.add(row, label, 1));
    this.#trackUnseen(id, place, row);
  }

  #relearn(id: string, from: number, to: number): void {
    const place = this.#matrix.findPlace(id) ?? 0;
    const row = this.#matrix.read(place);
    this.#labels.set(id, to);
    this.#count(from, -1);
    this.#count(to, 1);
    this.#unseen.remove(id);
    this.#follow(this.#ridge.relabel(row, from, to, 1));
    this.#trackUnseen(id, place, row);
  }

  #unlearn(id: string, label: number): void {
    this.#labels.delete(id);
    this.#count(label, -1);
    this.#unseen.remove(id);
    this.#follow(this.#ridge.add(this.#matrix.read(this.#matrix.findPlace(id) ?? 0), label, -1));
  }

  #count(label: number, difference: number): void {
    this.#labelCounts[label] = (this.#labelCounts[label] ?? 0) + difference;
  }

  #trackUnseen(id: string, place: number, row: Float64Array): void {
    this.#unseen.add(id, place, this.#ridge.score(row), dot(row, this.#ridge.multiplyInverse(row)));
    const [first] = this.#unseen.ids;
    const limit = Math.min(maxUnseenRows, maxUnseenScores / this.#labelCounts.length);
    if (this.#unseen.size > limit && first !== undefined) this.#unseen.remove(first);
  }

  #follow(step: RidgeStep): void {
    this.#pool.apply(step, this.#matrix);
    this.#unseen.apply(step, this.#matrix);
    this.#temperature = null;
  }

  #readTemperature(): number {
    this.#temperature ??= fitTemperature(
      this.#unseen.ids.map((id, index) =>
        toUnseenScores(this.#unseen.readScores(index), this.#labels.get(id) ?? 0, this.#unseen.readVariance(index)),
      ),
    );
    return this.#temperature;
  }

  #toSuggestion(scores: Float64Array): Suggestion {
    const temperature = this.#readTemperature();
    const probabilities = softmaxInPlace(scores.map((score) => score / temperature));
    const likely = Array.from(probabilities, (probability, option) => ({ option, probability }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, maxLikely);
    return { ...(likely[0] ?? { option: 0, probability: 0 }), likely };
  }
}
