/** The model that learns while somebody labels, and says which rows are worth it. Deterministic, not stored. */

import { isDrawn } from '../drawn-rows.ts';
import { exp, log } from '../exact-math.ts';
import { computeWilsonInterval } from '../intervals.ts';
import { dot, findLeast, logSumExp, softmaxInPlace } from '../numeric.ts';
import { chooseRows, type QueueOrder, type QueueRow, type Reason } from './choose-rows.ts';
import { type Doubt, fitMarginModel, type MarginModel } from './margin-model.ts';
import { OnlineRidge, type RidgeStep } from './online-ridge.ts';
import { RowMatrix } from './row-matrix.ts';
import { TrackedRows } from './tracked-rows.ts';

/** Rows without a label that can be chosen by doubt; others wait until one of these is labelled. */
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
/** The order is learned again after this many new labels, or this share of them. */
const labelsPerFit = 10;
const shareOfLabelsPerFit = 0.05;
/** An option with fewer labels is preferred, where the options are so few that this costs the others nothing. */
const minLabels = 3;
const maxOptionsWithNeed = 10;
/** Rows as alike as this are near copies: they say the same, so that one of them is enough. */
const copySimilarity = 0.97;
/** Rows given out, and not labelled yet, that a chosen one must not repeat. */
const maxComparedTaken = 100;

/** Where a row stands: the number of its option, open to be chosen, or put aside, neither learned nor chosen. */
export type RowState = number | 'open' | 'aside';

/** Among which rows similar ones are looked for; `copies`: open ones that say nearly the same. */
export type SimilarRows = 'all' | 'labelled' | 'copies';

type Likely = { option: number; probability: number };
/**
 * The likeliest option, and the likeliest ones in their order. `beatsChance`: on the labels so far, each left out in
 * turn, the model is certainly right more often than answers drawn by their shares are.
 */
export type Suggestion = Likely & { likely: Likely[]; beatsChance: boolean };
/** A row worth a label; nothing is suggested for one that has not been read. */
export type NextRow = { id: string; suggestion: Suggestion | null; reason: Reason; doubted: Doubt | null };

/** A row as the model keeps it: what draws it, and what the order knows of it while it is open. */
type KnownRow = { number: number; isDrawn: boolean; isOpen: boolean; doubt: Doubt | null };

export class LabellingModel {
  readonly #matrix: RowMatrix;
  readonly #ridge: OnlineRidge;
  readonly #optionCount: number;
  readonly #rows = new Map<string, KnownRow>();
  /** Learned labels. */
  readonly #labels = new Map<string, number>();
  /** The rows that have a label, learned or not. */
  readonly #labelled = new Set<string>();
  /** The rows labelled last, from which the temperature follows. */
  readonly #unseen: TrackedRows;
  #temperature: number | null = null;
  #beatsChance: boolean | null = null;
  #margins: MarginModel | null = null;
  #countChanged = 0;

  /** `optionRows` holds what is known about each option in words, null where no field is text. */
  constructor(width: number, optionCount: number, optionRows: readonly Float64Array[] | null) {
    this.#matrix = new RowMatrix(width);
    this.#ridge = new OnlineRidge(width, optionCount, penalty);
    this.#optionCount = optionCount;
    this.#unseen = new TrackedRows(optionCount);
    optionRows?.forEach((row, option) => {
      this.#ridge.add(row, option, optionTextWeight);
    });
  }

  get labelCount(): number {
    return this.#labels.size;
  }

  /** Learned labels of rows that are drawn by their number, by which figures are measured. */
  get drawnCount(): number {
    return this.#labels.size - [...this.#listLearned()].length;
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

  /** `number` is the permanent random number of the row, 0 to 1. */
  addRow(id: string, row: Float64Array, state: RowState, number: number): void {
    const place = this.#matrix.add(id, row);
    const isOpen = state === 'open';
    const known: KnownRow = { number, isDrawn: isDrawn(number), isOpen, doubt: null };
    this.#rows.set(id, known);
    this.#noteLabelled(id, state);
    if (this.#margins !== null && isOpen && !known.isDrawn) this.#rate([known], [place], this.#margins);
    if (typeof state === 'number' && this.#labels.size < maxLabelsAtStart) this.#learn(id, state);
  }

  removeRow(id: string): void {
    if (!this.has(id)) return;
    this.setState(id, 'aside');
    this.#matrix.remove(id);
    this.#rows.delete(id);
  }

  /** Learns a label, another one in its place, or forgets it; a row that is not known changes nothing. */
  setState(id: string, state: RowState): void {
    const known = this.#rows.get(id);
    const before = this.#labels.get(id);
    if (known === undefined) return;
    this.#noteLabelled(id, state);
    known.isOpen = state === 'open';
    if (before === state) return;
    if (before !== undefined) this.#unlearn(id, before);
    if (typeof state === 'number') this.#learn(id, state);
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

  /** Up to `count` rows worth a label, without those that are `taken`; some of them may be `unread` ones. */
  choose(
    count: number,
    taken: ReadonlySet<string>,
    order: QueueOrder = 'useful',
    unread: readonly QueueRow[] = [],
  ): NextRow[] {
    this.#fitMargins();
    const counts = new Array<number>(this.#optionCount).fill(0);
    for (const { label } of this.#listLearned()) counts[label] = (counts[label] ?? 0) + 1;
    const hasNeed = this.#optionCount <= maxOptionsWithNeed;
    const rows = [...unread];
    for (const [id, { number, isOpen, doubt }] of this.#rows) {
      if (!isOpen && !this.#labelled.has(id)) continue;
      const isRare = hasNeed && doubt !== null && (counts[doubt.first] ?? 0) < minLabels;
      const state = !isOpen ? 'labelled' : taken.has(id) ? 'out' : 'open';
      rows.push({ id, number, state, isRead: true, doubt: doubt?.doubt ?? null, isRare });
    }
    const out = [...taken].filter((id) => this.#rows.get(id)?.isOpen === true).slice(-maxComparedTaken);
    const choices = chooseRows(rows, count, order, (id, chosen) =>
      this.#repeats(id, [...out, ...chosen.map((row) => row.id)]),
    );
    return choices.map(({ id, reason }) => ({
      id,
      suggestion: this.suggest(id),
      reason,
      doubted: this.#rows.get(id)?.doubt ?? null,
    }));
  }

  /** The rows most like one, of all or some, most alike first; null for a row that is not known. */
  findSimilar(id: string, count: number, among: SimilarRows = 'all'): { id: string; similarity: number }[] | null {
    const place = this.#matrix.findPlace(id);
    if (place === null) return null;
    const isAmong = (other: string) => {
      if (among === 'labelled') return this.#labelled.has(other);
      return among === 'all' || this.#rows.get(other)?.isOpen === true;
    };
    const found = this.#matrix.findNearest(this.#matrix.read(place), count, (other) => other !== id && isAmong(other));
    return among === 'copies' ? found.filter(({ similarity }) => similarity >= copySimilarity) : found;
  }

  /** The labelled rows most like one that need not be known, most alike first. */
  findNearestLabelled(row: Float64Array, count: number): { id: string; similarity: number }[] {
    return this.#matrix.findNearest(row, count, (id) => this.#labelled.has(id));
  }

  #noteLabelled(id: string, state: RowState): void {
    if (typeof state === 'number') this.#labelled.add(id);
    else this.#labelled.delete(id);
  }

  /** Learns the order again where enough has changed, and rates the open rows by it. */
  #fitMargins(): void {
    if (this.#countChanged < Math.max(labelsPerFit, shareOfLabelsPerFit * this.#labels.size)) return;
    this.#countChanged = 0;
    this.#margins = fitMarginModel(this.#matrix, [...this.#listLearned()]);
    const rows: KnownRow[] = [];
    const places: number[] = [];
    for (const [id, known] of this.#rows) {
      known.doubt = null;
      if (rows.length === maxPool || !known.isOpen || known.isDrawn) continue;
      rows.push(known);
      places.push(this.#matrix.findPlace(id) ?? 0);
    }
    if (this.#margins !== null) this.#rate(rows, places, this.#margins);
  }

  #rate(rows: readonly KnownRow[], places: readonly number[], margins: MarginModel): void {
    margins(places).forEach((doubt, at) => {
      Object.assign(rows[at] ?? {}, { doubt });
    });
  }

  *#listLearned(): Generator<{ place: number; label: number }> {
    for (const [id, label] of this.#labels) {
      if (this.#rows.get(id)?.isDrawn === false) yield { place: this.#matrix.findPlace(id) ?? 0, label };
    }
  }

  #repeats(id: string, others: readonly string[]): boolean {
    const row = this.#matrix.read(this.#matrix.findPlace(id) ?? 0);
    return others.some((other) => this.#matrix.compare(this.#matrix.findPlace(other) ?? 0, row) >= copySimilarity);
  }

  #learn(id: string, label: number): void {
    const place = this.#matrix.findPlace(id) ?? 0;
    const row = this.#matrix.read(place);
    this.#labels.set(id, label);
    this.#follow(this.#ridge.add(row, label, 1));
    this.#trackUnseen(id, place, row);
  }

  #unlearn(id: string, label: number): void {
    this.#labels.delete(id);
    this.#unseen.remove(id);
    this.#follow(this.#ridge.add(this.#matrix.read(this.#matrix.findPlace(id) ?? 0), label, -1));
  }

  #trackUnseen(id: string, place: number, row: Float64Array): void {
    this.#unseen.add(id, place, this.#ridge.score(row), dot(row, this.#ridge.multiplyInverse(row)));
    const [first] = this.#unseen.ids;
    const limit = Math.min(maxUnseenRows, maxUnseenScores / this.#optionCount);
    if (this.#unseen.size > limit && first !== undefined) this.#unseen.remove(first);
  }

  #follow(step: RidgeStep): void {
    this.#unseen.apply(step, this.#matrix);
    this.#temperature = null;
    this.#beatsChance = null;
    this.#countChanged += 1;
  }

  #readTemperature(): number {
    this.#temperature ??= fitTemperature(this.#listUnseen());
    return this.#temperature;
  }

  #listUnseen(): UnseenScores[] {
    return this.#unseen.ids.map((id, index) =>
      toUnseenScores(this.#unseen.readScores(index), this.#labels.get(id) ?? 0, this.#unseen.readVariance(index)),
    );
  }

  #toSuggestion(scores: Float64Array): Suggestion {
    const temperature = this.#readTemperature();
    const probabilities = softmaxInPlace(scores.map((score) => score / temperature));
    const likely = Array.from(probabilities, (probability, option) => ({ option, probability }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, maxLikely);
    this.#beatsChance ??= beatsChance(this.#listUnseen());
    return { ...(likely[0] ?? { option: 0, probability: 0 }), likely, beatsChance: this.#beatsChance };
  }
}

/** The assumption for a type without labels, as a logarithm. */
const usual = log(0.2);

/** The scores that a labelled row would have if it had not been learned from, and its label. */
type UnseenScores = { scores: Float64Array; label: number };

/** Computes a row's scores without its own label (Allen's PRESS), by the `variance` with that label. */
export function toUnseenScores(scores: Float64Array, label: number, variance: number): UnseenScores {
  const factor = variance / Math.max(1e-6, 1 - variance);
  return { scores: scores.map((score, k) => score - factor * ((k === label ? 1 : 0) - score)), label };
}

/** Whether unseen rows are right more often than guesses are, with 97.5% certainty (Wilson's interval). */
function beatsChance(rows: readonly UnseenScores[]): boolean {
  const counts = new Map<number, number>();
  let right = 0;
  for (const { scores, label } of rows) {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    if (scores.every((score, option) => option === label || score < scores[label])) right += 1;
  }
  const chance = [...counts.values()].reduce((sum, count) => sum + (count / rows.length) ** 2, 0);
  return rows.length > 0 && computeWilsonInterval(right, rows.length).low > chance;
}

/** The temperature of the lowest log-loss on unseen rows, 0.02 to 2; the usual 0.2 weighs as much as two of them. */
export function fitTemperature(rows: readonly UnseenScores[]): number {
  const computeLoss = (logTemperature: number) => {
    const temperature = exp(logTemperature);
    let loss = 2 * (logTemperature - usual) ** 2;
    for (const { scores, label } of rows) {
      loss += logSumExp(scores, 0, scores.length, temperature) - scores[label] / temperature;
    }
    return loss;
  };
  return exp(findLeast(computeLoss, log(0.02), log(2)));
}
