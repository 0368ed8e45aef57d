import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { QueueOrder } from '../../../engine/labelling/choose-rows.ts';
import type { NextRow, SimilarRows, Suggestion } from '../../../engine/labelling/labelling-model.ts';
import { writeOptionTexts } from '../../../engine/labelling/option-texts.ts';
import type { ChildPool } from '../../process/child-pool.ts';
import type { GiveOrder, OrderInput, OrderName } from '../../process/orders.ts';
import type { ExampleStore } from '../../store/examples/examples.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { LabellingOrders } from './labelling-child.ts';
import { type ExampleFeed, feedExamples, toOptionNumbers, toRowState } from './labelling-feed.ts';
import type { AlikeRow, ModelSettings } from './labelling-messages.ts';
import { type LabellingProcessOptions, openLabellingProcess } from './labelling-process.ts';

/** All models together; types that were asked of longest ago are dropped beyond it. */
const maxRows = 250_000;
/** How long a question waits for the first reading of the examples; then it is answered from the rows read so far. */
const patienceMs = 400;
/** How long it waits before, until their random numbers say which are drawn: of 20,000 rows about a second. */
const maxPatienceMs = 3_000;
/** Time between two tries to read in examples where the encoder was away or the child died. */
const retryMs = 5_000;

type LabellingModelsOptions = LabellingProcessOptions & {
  examples: Pick<ExampleStore, 'readRevision'>;
  feed: ExampleFeed;
  resourcesDir: string;
  encodingsDir: string;
  now(): number;
};

type Known = {
  settings: Omit<ModelSettings, 'identifying'>;
  settingsKey: string;
  /** Fields that only tell rows apart, by which the child was opened: more rows may show others. */
  openedKey: string | null;
  options: readonly string[];
  /** The revision of the examples that the model has, or is being brought to; null where it must be read again. */
  revision: number | null;
  reading: Promise<void> | null;
  /** Resolved when the child knows the number of every row. */
  numbered: Promise<void>;
  retryAtMs: number;
  rows: number;
};

type Likely = { decision: string; probability: number };
export type ModelSuggestion = Likely & { likely: Likely[]; beats_chance: boolean };
export type ModelNext = {
  /** `between` names the two options that the order leaves open; none where it has not rated the row. */
  rows: { id: string; suggestion: ModelSuggestion | null; reason: NextRow['reason']; between: string[] }[];
  read: number;
  labels: number;
  /** Labels of rows drawn at random. */
  drawn: number;
};

/** Answers from models that follow the examples: reported labels at once, other changes with the next question. */
export class LabellingModels {
  readonly #options: LabellingModelsOptions;
  readonly #pool: ChildPool<LabellingOrders>;
  readonly #ask: GiveOrder<LabellingOrders> = (name, input) => this.#pool.run('labelling', name, input);
  readonly #known = new Map<string, Known>();

  constructor(options: LabellingModelsOptions) {
    this.#options = options;
    this.#pool = openLabellingProcess(options, () => this.#known.clear());
  }

  /** Rows worth a label, in an order, without those of the ids `taken`. */
  async next(
    type: DecisionTypeRecord,
    count: number,
    taken: readonly string[],
    order: QueueOrder = 'useful',
  ): Promise<ModelNext> {
    const known = await this.#prepare(type);
    const { rows, ...counts } = await this.#ask('next', { typeId: type.id, count, taken: [...taken], order });
    const named = rows.map(({ id, suggestion, reason, doubted }) => ({
      id,
      reason,
      suggestion: suggestion && nameOptions(suggestion, known.options),
      between: doubted === null ? [] : [doubted.first, doubted.second].map((option) => known.options[option] ?? ''),
    }));
    return { rows: named, ...counts };
  }

  /** Resolves when the model has read all examples as they are now; rejects when `signal` says so. */
  async readAll(type: DecisionTypeRecord, signal: AbortSignal): Promise<void> {
    for (;;) {
      const known = await this.#prepare(type);
      if (known.reading !== null) await Promise.race([known.reading, once(signal, 'abort')]);
      else if (known.revision === this.#options.examples.readRevision(type.id)) return;
      else await wait(retryMs / 10, undefined, { signal });
      signal.throwIfAborted();
    }
  }

  /** Predicts examples as if their own labels had not been learned; null for those that it has not read. */
  async suggest(type: DecisionTypeRecord, ids: readonly string[]): Promise<(ModelSuggestion | null)[]> {
    const known = await this.#prepare(type);
    const found = await this.#ask('suggest', { typeId: type.id, ids: [...ids] });
    return found.map((each) => each && nameOptions(each, known.options));
  }

  /** The examples most like one, of all or some, most alike first; null while it has not been read. */
  async findSimilar(
    type: DecisionTypeRecord,
    id: string,
    count: number,
    among: SimilarRows,
  ): Promise<AlikeRow[] | null> {
    await this.#prepare(type);
    return await this.#ask('similar', { typeId: type.id, id, count, among });
  }

  /** The labelled examples most like an input, most alike first, as far as they have been read. */
  async findNearest(type: DecisionTypeRecord, input: JsonObject, count: number): Promise<AlikeRow[]> {
    await this.#prepare(type);
    return await this.#ask('nearest', { typeId: type.id, inputJson: JSON.stringify(input), count });
  }

  /** Tells of a changed example: its label is learned at once, and with `isInputChanged` it is read again. */
  noteChange(type: DecisionTypeRecord, example: ExampleRecord, isInputChanged: boolean): void {
    const known = this.#known.get(type.id);
    if (known === undefined) return;
    const isNext = known.revision === this.#options.examples.readRevision(type.id) - 1;
    if (isInputChanged) this.#tell('remove', { typeId: type.id, id: example.id });
    else {
      if (isNext) known.revision = this.#options.examples.readRevision(type.id);
      const isUnconfirmed = example.byTeacher && !example.reviewed;
      const state = toRowState({ ...example, isUnconfirmed }, toOptionNumbers(known.options));
      this.#tell('state', { typeId: type.id, id: example.id, state });
    }
  }

  /** Ends the child; questions that wait are refused. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Opens the model of a type where it is not, brings it up to date, and waits a moment for that. */
  async #prepare(type: DecisionTypeRecord): Promise<Known> {
    const known = this.#find(type);
    this.#dropOthers(type.id);
    const isCurrent = known.revision === this.#options.examples.readRevision(type.id);
    if (!isCurrent && known.reading === null && this.#options.now() >= known.retryAtMs) {
      known.reading = this.#read(type.id, known)
        .catch(() => this.#retryLater(known))
        .finally(() => {
          known.reading = null;
        });
    }
    if (known.reading !== null) {
      const pause = (ms: number) => wait(ms, undefined, { ref: false });
      const readSome = known.numbered.then(() => pause(patienceMs));
      await Promise.race([known.reading, readSome, pause(maxPatienceMs)]);
    }
    return known;
  }

  #find(type: DecisionTypeRecord): Known {
    const { definition } = type.activeVersion;
    const optionTexts = writeOptionTexts(definition, type.description);
    const settings = {
      typeId: type.id,
      optionCount: definition.options.length,
      optionTexts,
      inputSchemaJson: JSON.stringify(definition.input_schema),
      readings: definition.readings,
      resourcesDir: this.#options.resourcesDir,
      encodingsDir: this.#options.encodingsDir,
    };
    const settingsKey = JSON.stringify([definition.options, settings]);
    const before = this.#known.get(type.id);
    this.#known.delete(type.id);
    const isSame = before?.settingsKey === settingsKey;
    const known: Known = isSame
      ? before
      : {
          settings,
          settingsKey,
          openedKey: null,
          options: definition.options,
          revision: null,
          reading: null,
          numbered: Promise.resolve(),
          retryAtMs: 0,
          rows: 0,
        };
    this.#known.set(type.id, known);
    return known;
  }

  #dropOthers(typeId: string): void {
    let rows = [...this.#known.values()].reduce((sum, known) => sum + known.rows, 0);
    for (const [id, known] of this.#known) {
      if (rows <= maxRows || id === typeId) return;
      rows -= known.rows;
      this.#known.delete(id);
      this.#tell('forget', { typeId: id });
    }
  }

  async #read(typeId: string, known: Known): Promise<void> {
    const { examples, feed } = this.#options;
    known.revision = examples.readRevision(typeId);
    const { promise, resolve } = Promise.withResolvers<void>();
    known.numbered = promise;
    this.#open(known, feed.listIdentifyingFields(typeId));
    const count = (rows: number) => {
      known.rows = rows;
    };
    const type = { id: typeId, options: known.options };
    // A model that is opened again, or for other options, is fed from the start.
    const give: GiveOrder<LabellingOrders> = (name, input) =>
      this.#known.get(typeId) === known ? this.#ask(name, input) : Promise.reject(new Error('The model was replaced.'));
    const isRead = await feedExamples(give, feed, type, { count, numbered: resolve });
    if (!isRead) this.#retryLater(known);
  }

  #open(known: Known, identifying: string[][]): void {
    const openedKey = JSON.stringify(identifying);
    if (openedKey === known.openedKey) return;
    known.openedKey = openedKey;
    this.#tell('open', { ...known.settings, identifying });
  }

  #retryLater(known: Known): void {
    known.revision = null;
    known.retryAtMs = this.#options.now() + retryMs;
  }

  /** Gives an order for whose end nobody waits: a child that is gone learns all again from the next one. */
  #tell<Name extends OrderName<LabellingOrders>>(name: Name, input: OrderInput<LabellingOrders, Name>): void {
    this.#ask(name, input).catch(() => undefined);
  }
}

function nameOptions(
  { option, probability, likely, beatsChance }: Suggestion,
  options: readonly string[],
): ModelSuggestion {
  const name = (each: Pick<Suggestion, 'option' | 'probability'>) => ({
    decision: options[each.option] ?? '',
    probability: each.probability,
  });
  return { ...name({ option, probability }), likely: likely.map(name), beats_chance: beatsChance };
}
