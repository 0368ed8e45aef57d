/** The check of all labels of a type without a training: before the first one, and between two. */

import type { Readings } from '../domain/definition.ts';
import type { SplitWay, TrainingExample } from '../domain/training.ts';
import { compileFeatures } from '../features/compile.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { BatchTextEncoder } from '../ports.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { splitRows } from '../units/sides.ts';
import { type EncodedTexts, encodeTexts, type LabelledRow, prepareRows } from './data/labelled-rows.ts';
import { checkLabels, type LabelSearch } from './evaluate/label-checks.ts';
import { predictOutOfFold } from './evaluate/out-of-fold.ts';
import { chooseByDefaults } from './select/choose-by-defaults.ts';
import { inferFieldPlan } from './stages/features.ts';

/** Settings of a decision type that affect how its examples are read. */
export type SearchedType = {
  options: string[];
  inputSchema: JsonObject | null;
  piiFields: string[];
  readings: Readings;
  split: SplitWay;
};

/** The same examples give the same verdicts. */
const seed = 1;
/** Checks labels as a training does, without tuning. Throws 'validation_error'; rejects as the encoder. */
export async function searchLabels(
  examples: readonly TrainingExample[],
  { options, inputSchema, piiFields, readings, split }: SearchedType,
  ports: { tokenizer: Tokenizer; openEncoder(): Promise<BatchTextEncoder> },
): Promise<LabelSearch> {
  const { rows, presentOptions } = prepareRows(examples, options, { piiFields, readings, split });
  const fieldPlan = inferFieldPlan(rows, inputSchema, piiFields);
  const features = compileFeatures(fieldPlan);
  const report = () => undefined;
  const texts: EncodedTexts =
    fieldPlan.text === null
      ? new Map()
      : await encodeTexts(
          rows.map(({ input }) => features.joinText(input).text),
          ports.tokenizer,
          await ports.openEncoder(),
          report,
        );
  const optionCount = presentOptions.length;
  const encoder = { dimensions: limits.embeddingDimensions };
  const choice = chooseByDefaults({ plan: fieldPlan, rows, optionCount, texts, encoder, seed, tick: report });
  const outOfFold = predictOutOfFold({
    choice,
    rows,
    trainRows: chooseTrainRows(rows, split.by),
    presentOptions,
    optionCount: options.length,
    texts,
    seed,
    report,
  });
  return checkLabels(rows, outOfFold, options);
}

/** The rows that a training would learn from; all where these would leave an option out. */
function chooseTrainRows(rows: readonly LabelledRow[], by: SplitWay['by']): readonly LabelledRow[] {
  const trainRows = splitRows(rows, by).train.flatMap((position) => rows[position] ?? []);
  const countLabels = (of: readonly LabelledRow[]) => new Set(of.map(({ label }) => label)).size;
  return countLabels(trainRows) === countLabels(rows) ? trainRows : rows;
}
