/** From grown trees, which test bins, to trees that test columns of the dense vector. */
import type { Trees } from '../trees-model.ts';
import type { FieldBins } from './bins.ts';
import type { GrownNode } from './grow-tree.ts';

/** Further away than any number: where a missing number is moved to so that it goes left or right as learned. */
const farAway = 1e6;

type Column = { slots: number[]; weights: number[] };
type Test = { column: Column; threshold: number };

/** Finds the column and the threshold that send exactly the bins of `goesRight` to the right. */
function toTest(bins: FieldBins, goesRight: Uint8Array): Test {
  const { field, bounds, hasMissing, size } = bins;
  if (field.kind === 'category') {
    const slots = [...goesRight.keys()].filter((b) => goesRight[b] === 1).map((b) => field.slot + b);
    return { column: { slots, weights: slots.map(() => 1) }, threshold: 0.5 };
  }
  const known = size - (hasMissing ? 1 : 0);
  const firstRight = goesRight.subarray(0, known).indexOf(1);
  const threshold = firstRight < 0 ? farAway / 2 : bounds[firstRight - 1];
  if (!hasMissing || field.missingSlot === null) return { column: { slots: [field.slot], weights: [1] }, threshold };
  const shift = goesRight[size - 1] === 1 ? farAway : -farAway;
  return { column: { slots: [field.slot, field.missingSlot], weights: [1, shift] }, threshold };
}

/** Numbers columns as they are first asked for; equal columns have one number. */
class ColumnNumbers {
  readonly columns: Column[] = [];
  readonly #numbers = new Map<string, number>();

  find(column: Column): number {
    const key = `${column.slots.join()}/${column.weights.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.columns.length);
    this.columns.push(column);
    return this.columns.length - 1;
  }
}

/** Puts grown trees (each with the score it adds to) together over a dense vector of `denseWidth` slots. */
export function assembleTrees(
  grown: readonly { nodes: readonly GrownNode[]; target: number }[],
  fields: readonly FieldBins[],
  { denseWidth, scoreCount, scoreOptions }: { denseWidth: number } & Pick<Trees, 'scoreCount' | 'scoreOptions'>,
): Trees {
  const size = grown.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const trees = {
    roots: new Int32Array(grown.length),
    targets: Int32Array.from(grown, ({ target }) => target),
    columns: new Int32Array(size).fill(-1),
    thresholds: new Float32Array(size),
    rights: new Int32Array(size),
    values: new Float32Array(size),
    covers: new Float32Array(size),
  };
  const numbers = new ColumnNumbers();
  let from = 0;
  grown.forEach(({ nodes }, tree) => {
    trees.roots[tree] = from;
    nodes.forEach((node, i) => {
      trees.covers[from + i] = node.cover;
      trees.values[from + i] = node.value;
      if (node.split === null) return;
      const { column, threshold } = toTest(fields[node.split.field], node.split.goesRight);
      trees.columns[from + i] = numbers.find(column);
      trees.thresholds[from + i] = threshold;
      trees.rights[from + i] = from + node.right;
    });
    from += nodes.length;
  });
  return {
    ...trees,
    ...groupBySlot(numbers.columns, denseWidth),
    // Trees that found nothing to test are leaves only, and ONNX Runtime still wants a column.
    columnCount: Math.max(1, numbers.columns.length),
    scoreCount,
    scoreOptions,
  };
}

function groupBySlot(
  columns: readonly Column[],
  denseWidth: number,
): Pick<Trees, 'slotStarts' | 'slotColumns' | 'slotWeights'> {
  const entries = columns.flatMap(({ slots, weights }, column) =>
    slots.map((slot, i) => ({ slot, column, weight: weights[i] })),
  );
  entries.sort((a, b) => a.slot - b.slot || a.column - b.column);
  const slotStarts = new Int32Array(denseWidth + 1);
  for (const { slot } of entries) slotStarts[slot + 1] += 1;
  for (let slot = 0; slot < denseWidth; slot++) {
    slotStarts[slot + 1] += slotStarts[slot];
  }
  return {
    slotStarts,
    slotColumns: Int32Array.from(entries, ({ column }) => column),
    slotWeights: Float32Array.from(entries, ({ weight }) => weight),
  };
}
