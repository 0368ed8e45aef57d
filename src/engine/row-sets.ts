/** Sets of numbered rows, as bits, 32 to a word, and such as grow together. */
export type RowSet = Uint32Array<ArrayBuffer>;

/** The set of rows below `count` that fulfil a condition. */
export function collectRows(count: number, fulfils: (row: number) => boolean): RowSet {
  const set = new Uint32Array(Math.ceil(count / 32));
  for (let row = 0; row < count; row++) {
    if (fulfils(row)) set[row >>> 5] = (set[row >>> 5] as number) | (1 << (row & 31));
  }
  return set;
}

/** The number of ones in a word (Warren, "Hacker's Delight"). */
function countOnes(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Whether a row is in the set. */
export const hasRow = (set: RowSet, row: number): boolean => (((set[row >>> 5] as number) >>> (row & 31)) & 1) === 1;

/** The size of a set. */
export function countRows(set: RowSet): number {
  let count = 0;
  for (let w = 0; w < set.length; w++) count += countOnes(set[w] as number);
  return count;
}

/** The size of the intersection, without making it. */
export function countCommon(a: RowSet, b: RowSet): number {
  let count = 0;
  for (let w = 0; w < a.length; w++) count += countOnes((a[w] as number) & (b[w] as number));
  return count;
}

/** The rows in both sets. */
export const intersect = (a: RowSet, b: RowSet): RowSet => a.map((word, w) => word & (b[w] as number));
/** The rows in either set. */
export const unite = (a: RowSet, b: RowSet): RowSet => a.map((word, w) => word | (b[w] as number));
/** The rows of `a` that are not in `b`. */
export const subtract = (a: RowSet, b: RowSet): RowSet => a.map((word, w) => word & ~(b[w] as number));

/** Sets of numbered rows that grow together (union-find, Tarjan 1975): `count` of one row each, and those added. */
export function createGroups(count = 0) {
  const parents = Array.from({ length: count }, (_, row) => row);
  /** The row that stands for the set of a row. */
  const find = (row: number): number => {
    let root = row;
    while (parents[root] !== root) root = parents[root] ?? root;
    for (let at = row; at !== root; ) {
      const parent = parents[at] ?? root;
      parents[at] = root;
      at = parent;
    }
    return root;
  };
  return {
    find,
    add: () => parents.push(parents.length) - 1,
    join(a: number, b: number) {
      parents[find(a)] = find(b);
    },
    /** The groups of at least two rows, in the order of their first row. */
    list: () => [...Map.groupBy(parents.keys(), find).values()].filter((group) => group.length > 1),
  };
}
