import { nextTurn } from '../../../door/turns.ts';
import { foldCase } from '../../../engine/code-points.ts';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import { readPath } from '../../../engine/features/values.ts';
import type { Json } from '../../../engine/json.ts';
import type { ExampleFilter } from '../../contract/examples/examples.ts';
import { createRecentCache } from '../../process/recent-cache.ts';
import type { OrderColumn } from '../../store/examples/example-places.ts';
import type { Store } from '../../store/store.ts';

/** Which part of a list is asked for; `pageOf` names an example whose page counts instead of `page`. */
type ListPart = { page: number; pageSize: number; sort?: string | undefined; pageOf?: string | undefined };
type ListPage = { examples: ExampleRecord[]; total: number; page: number };

type Sort = { column: OrderColumn; field: string | null; isDescending: boolean };
type Key = { seq: number; value: string | number | null };
type Compare = (a: Key, b: Key) => number;

/** Examples that are read in one turn: about 2 ms with inputs of 1 kB. */
const rowsPerTurn = 250;
/** Orders that are kept: of 200,000 examples one takes 1.6 MB. */
const keptOrders = 4;
/** As much of a text decides about its place; so 200,000 long texts take 40 MB while they are ordered, at most. */
const comparedLength = 100;
const fieldPrefix = 'input.';

/** Reads pages of examples; an order is merged in short turns, and the last ones are kept until a change. */
export class ExampleLists {
  readonly #store: Store;
  readonly #orders = createRecentCache<string, readonly number[]>(keptOrders);
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns one page with the number of all matches and of the page; `sort` is as the contract has it. */
  async readPage(decisionTypeId: string, filter: ExampleFilter, part: ListPart): Promise<ListPage> {
    const { examples, examplePlaces } = this.#store;
    const { pageSize, sort, pageOf } = part;
    const seq = pageOf === undefined ? null : examplePlaces.findSeq(decisionTypeId, pageOf);
    const pageAt = (place: number | null) =>
      place === null || place < 0 ? part.page : Math.floor(place / pageSize) + 1;
    // Words and fields are looked for in every input, as an order is found: in turns, and once for all pages.
    if (sort === undefined && !filter.search && filter.fields === undefined) {
      const page = pageAt(seq === null ? null : examplePlaces.countNewer(decisionTypeId, filter, seq));
      return { ...examples.page(decisionTypeId, filter, page, pageSize), page };
    }
    const order = await this.#findOrder(decisionTypeId, filter, sort ?? '-seq');
    const page = pageAt(seq === null ? null : order.indexOf(seq));
    const seqs = order.slice((page - 1) * pageSize, page * pageSize);
    return { examples: examplePlaces.readAt(decisionTypeId, seqs), total: order.length, page };
  }

  async #findOrder(decisionTypeId: string, filter: ExampleFilter, sort: string): Promise<readonly number[]> {
    const toKey = () =>
      JSON.stringify([decisionTypeId, this.#store.examples.readRevision(decisionTypeId), sort, filter]);
    const known = this.#orders.get(toKey());
    if (known !== undefined) return known;
    const found = this.#turn.then(async () => {
      const key = toKey();
      const order = this.#orders.get(key) ?? (await this.#readOrder(decisionTypeId, filter, readSort(sort)));
      this.#orders.set(key, order);
      return order;
    });
    this.#turn = found.catch(() => undefined);
    return found;
  }

  async #readOrder(decisionTypeId: string, filter: ExampleFilter, sort: Sort): Promise<number[]> {
    const compare = compareBy(sort);
    const { column, field } = sort;
    /** Ordered runs, each longer than the next: as many as the binary digits of what was read. */
    const runs: Key[][] = [];
    const mergeLast = () => {
      const [later = [], earlier = []] = [runs.pop(), runs.pop()];
      runs.push(merge(earlier, later, compare));
    };
    for (const stored of this.#store.examplePlaces.readKeys(decisionTypeId, filter, column, rowsPerTurn)) {
      const keys = stored.map(({ seq, value }) => ({
        seq,
        value: toComparable(field === null ? value : readField(String(value), field)),
      }));
      runs.push(keys.sort(compare));
      while (runs.length > 1 && (runs.at(-2)?.length ?? 0) <= (runs.at(-1)?.length ?? 0)) {
        mergeLast();
        await nextTurn();
      }
      await nextTurn();
    }
    while (runs.length > 1) {
      mergeLast();
      await nextTurn();
    }
    return (runs[0] ?? []).map(({ seq }) => seq);
  }
}

/** Reads `created_at`, `updated_at`, `decision` or `input.<dot path>`, with `-` in front for descending. */
function readSort(sort: string): Sort {
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  if (name.startsWith(fieldPrefix)) return { column: 'input', field: name.slice(fieldPrefix.length), isDescending };
  return { column: name as Exclude<OrderColumn, 'input'>, field: null, isDescending };
}

/** The value at a dot path of an input as it is stored; a field that has the whole path as its name comes first. */
function readField(inputJson: string, path: string): Json | undefined {
  const input = JSON.parse(inputJson);
  return Object.hasOwn(input, path) ? input[path] : readPath(input, path.split('.'));
}

/** Truth values count as 0 and 1, texts by their folded case and an accent behind its letter, others as their JSON. */
function toComparable(value: Json | undefined): Key['value'] {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return foldCase(text.slice(0, comparedLength)).normalize('NFD');
}

/** Numbers before texts, what is missing last in either direction, and the newest first among equals. */
function compareBy({ isDescending }: Sort): Compare {
  const direction = isDescending ? -1 : 1;
  return (a, b) => {
    if (a.value === b.value) return b.seq - a.seq;
    if (a.value === null) return 1;
    if (b.value === null) return -1;
    if (typeof a.value !== typeof b.value) return typeof a.value === 'number' ? -direction : direction;
    return a.value < b.value ? -direction : direction;
  };
}

function merge(earlier: readonly Key[], later: readonly Key[], compare: Compare): Key[] {
  const merged: Key[] = [];
  let [at, other] = [0, 0];
  for (;;) {
    const [a, b] = [earlier[at], later[other]];
    if (a === undefined) return merged.concat(later.slice(other));
    if (b === undefined) return merged.concat(earlier.slice(at));
    if (compare(a, b) <= 0) {
      merged.push(a);
      at += 1;
    } else {
      merged.push(b);
      other += 1;
    }
  }
}
