/** Labelled examples in the order and form that training works with. */
import type { Readings } from '../../domain/definition.ts';
import { atRandom, type SplitWay, type TrainingExample } from '../../domain/training.ts';
import { toRowContent } from '../../drawn-rows.ts';
import { WorkbenchError } from '../../errors.ts';
import { listIdentifyingFields } from '../../features/identifying-fields.ts';
import { type JsonObject, toCanonicalJson } from '../../json.ts';
import { limits } from '../../limits.ts';
import { toMeasuredLabel } from '../../measure/reapply.ts';
import { countOf } from '../../numeric.ts';
import type { Adapters, BatchTextEncoder } from '../../ports.ts';
import { hashString } from '../../random.ts';
import { compileKnownReadings } from '../../readings/readings.ts';
import type { CompiledRules } from '../../rules/rules-file.ts';
import { groupByLength, toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { splitIntoWords } from '../../text/words.ts';
import { compilePlacement, placeUnits } from '../../units/hold-out.ts';
import { compareStrings, type SplitRow } from '../../units/sides.ts';
import { isLabelled } from './hint-rows.ts';
import { nothingRare, type RareOptions } from './rare-options.ts';

/** A labelled example; `label` counts the learned options, -1 where set aside or left to a rule. */
export type LabelledRow = SplitRow & {
  id: string;
  input: JsonObject;
  /** The hash of the whole input as it is stored; left out: that of the content. */
  inputHash?: number;
  decision: string;
  /** The label that it is measured by where that is another one, as it was before a model doubted it. */
  first?: { decision: string; label: number };
  /** The current label of a row that is measured by its first one. */
  relabelled?: string;
  /** Whether its label may be the answer of a policy of the type; left out: no. */
  answered?: boolean;
  reasonCodes: string[];
  ruled?: boolean;
  /** Whether personal values were masked, and are missing in `input`. */
  isMasked?: boolean;
  /** The fields whose values could not be read, and are null in `input`; left out: none. */
  unreadable?: readonly string[];
};

type PreparedRows = {
  rows: LabelledRow[];
  /** For each label the index of its option in the definition, of options learned as one the first; ascending. */
  presentOptions: number[];
  /** Sentences on options without examples, unusable decisions and an uneven distribution. */
  notes: string[];
  nearRepeats: number;
};

type RowSettings = {
  rare?: RareOptions;
  piiFields?: readonly string[];
  /** How the type reads texts of its fields; left out: it takes them as they are. */
  readings?: Readings;
  split?: SplitWay;
  /** Fields that only tell rows apart; left out: as the examples show. */
  identifying?: readonly (readonly string[])[] | undefined;
};

/**
 * Keeps labelled examples in the order of their contents; masks under `piiFields` count as missing. Throws
 * WorkbenchError 'validation_error' without a label or two options; options without examples become notes.
 */
export function prepareRows(
  examples: readonly TrainingExample[],
  options: readonly string[],
  {
    rare = nothingRare,
    piiFields = [],
    readings = {},
    split = atRandom,
    identifying = listIdentifyingFields(examples.map(({ input }) => input)),
  }: RowSettings = {},
): PreparedRows {
  const labelled = examples.filter((example) => example.decision !== null);
  if (labelled.length === 0) {
    throw new WorkbenchError(
      'validation_error',
      'There are no labelled examples to train on. Add examples with their decision first.',
    );
  }
  const open = labelled.filter(({ ruled }) => ruled !== true);
  const used = new Set(open.map((example) => example.decision));
  const isLearned = (option: string) => !rare.options.includes(option) || option === rare.together[0];
  const presentOptions = options.flatMap((option, index) => (used.has(option) && isLearned(option) ? [index] : []));
  if (presentOptions.length < 2) {
    const isWhole = rare.options.length === 0 && open.length === labelled.length;
    const enough = isWhole ? 'examples' : 'enough examples to be learned';
    throw new WorkbenchError(
      'validation_error',
      `Only one option has ${enough}. Add examples of at least two options.`,
    );
  }
  const labels = new Map(options.map((option) => [option, -1]));
  for (const [label, index] of presentOptions.entries()) labels.set(options[index] ?? '', label);
  for (const option of rare.together) labels.set(option, labels.get(rare.together[0] ?? '') ?? -1);
  const toRow = compileRowMaker(labels, { piiFields, readings, split, identifying });
  const sorted = labelled
    .flatMap(toRow)
    .sort((a, b) => compareStrings(a.content, b.content) || a.label - b.label || compareStrings(a.id, b.id));
  const { rows, nearRepeats } = placeUnits(sorted, identifying);
  const learnedAlone = presentOptions
    .flatMap((index) => options[index] ?? [])
    .filter((option) => !rare.options.includes(option));
  return {
    rows,
    presentOptions,
    notes: noteRows({ labelled, rows, options, learnedAlone, piiFields }),
    nearRepeats,
  };
}

/** Makes the row of a labelled example; none where its label is no option. */
function compileRowMaker(
  labels: ReadonlyMap<string, number>,
  {
    piiFields,
    readings,
    split,
    identifying,
  }: Required<Omit<RowSettings, 'rare' | 'identifying'>> & {
    identifying: readonly (readonly string[])[];
  },
) {
  const place = compilePlacement(split);
  const readKnown = compileKnownReadings(readings, piiFields);
  return (example: TrainingExample) => {
    if (example.decision === null) return [];
    const { id, source, reasonCodes, decision, firstDecision = null } = example;
    const { test = false, ruled = false, later = false, answered = false, addedMs = 0 } = example;
    const findLabel = (option: string | null) => (ruled && labels.has(option ?? '') ? -1 : labels.get(option ?? ''));
    const [label, firstLabel] = [findLabel(decision), findLabel(firstDecision)];
    if (label === undefined) return [];
    const { input, isMasked, unreadable } = readKnown(example.input);
    const content = toRowContent(example.input, identifying);
    const inputHash = hashString(toCanonicalJson(example.input));
    const read = { id, content, input, inputHash, source, reasonCodes, decision, label };
    const row = { ...read, addedMs, test, later, answered, ruled, isMasked, unreadable, ...place(input) };
    if (firstDecision === null || firstLabel === undefined) return [row];
    return [{ ...row, first: { decision: firstDecision, label: firstLabel } }];
  };
}

type Noted = {
  labelled: readonly TrainingExample[];
  rows: readonly LabelledRow[];
  options: readonly string[];
  learnedAlone: readonly string[];
  piiFields: readonly string[];
};

const maxNamedFields = 5;

/** Sentences on options without examples, unusable decisions or values, and an uneven distribution. */
function noteRows({ labelled, rows, options, learnedAlone, piiFields }: Noted): string[] {
  const notes: string[] = [];
  const decided = new Set(labelled.map((example) => example.decision));
  const empty = options.filter((option) => !decided.has(option));
  if (empty.length > 0) notes.push(`Options without examples are never predicted: ${empty.join(', ')}.`);
  const unknown = labelled.length - rows.length;
  if (unknown > 0) notes.push(`${unknown} examples were left out because their decision is not an option.`);
  const maskedCount = rows.filter(({ isMasked }) => isMasked).length;
  if (maskedCount > 0) {
    notes.push(
      `${maskedCount} examples come from the log, where personal fields (${piiFields.join(', ')}) are masked; these count as missing in them.`,
    );
  }
  const unreadable = rows.flatMap((row) => (row.unreadable?.length ? [row.unreadable] : []));
  if (unreadable.length > 0) {
    const fields = [...new Set(unreadable.flat())].slice(0, maxNamedFields).join(', ');
    const rowCount = countOf(unreadable.length, 'example');
    notes.push(`In ${rowCount} values of ${fields} are not of their field’s kind and count as missing.`);
  }
  const imbalance = describeImbalance(
    rows.filter((row) => !row.ruled && isLabelled(row)),
    learnedAlone,
  );
  if (imbalance !== null) notes.push(imbalance);
  return notes;
}

/** A row as it is measured: with its first label, whatever a model made of that. */
export function toMeasured(row: LabelledRow): LabelledRow {
  return row.first === undefined ? row : { ...row, ...row.first, relabelled: row.decision };
}

/** A row with the label that it is measured by, as `toMeasuredLabel` writes it. */
export function toRowLabel(row: LabelledRow): string {
  const { inputHash = hashString(row.content), decision } = toMeasured(row);
  return toMeasuredLabel(inputHash, decision);
}

/** Prepares telling whether a rule decides an example's input; masked values under `piiFields` count as missing. */
export function compileRuledTest(rules: CompiledRules, readings: Readings, piiFields: readonly string[]) {
  const readKnown = compileKnownReadings(readings, piiFields);
  return (input: JsonObject): boolean => rules.evaluate(readKnown(input).input, false).matched !== null;
}

/** The labels of the rows as numbers of options. */
export function listLabels(rows: readonly LabelledRow[]): Int32Array {
  return Int32Array.from(rows, (row) => row.label);
}

/** The most frequent option has this many times the examples of the rarest one before that is worth a note. */
const notableImbalance = 5;

function describeImbalance(rows: readonly LabelledRow[], options: readonly string[]): string | null {
  const counts = options.map((option) => ({
    option,
    count: rows.filter(({ decision }) => decision === option).length,
  }));
  counts.sort((a, b) => a.count - b.count);
  const rarest = counts[0];
  const commonest = counts.at(-1);
  if (rarest === undefined || commonest === undefined || commonest.count < notableImbalance * rarest.count) return null;
  return `The options are unevenly represented: ${commonest.option} has ${commonest.count} examples and ${rarest.option} only ${rarest.count}. Look at the figures of each option, not only at the accuracy; more examples of rare options help most.`;
}

/** The share of an option's coded examples that must carry a reason code for it to go with the option. */
const minReasonShare = 0.3;
const maxReasonsPerOption = 3;

/** An option's reason codes: on 30% of its examples that have any, three at most. */
export function countReasonsByOption(
  rows: readonly LabelledRow[],
  options: readonly string[],
  codes: readonly string[],
): Record<string, string[]> {
  const reasons: [string, string[]][] = options.map((option) => {
    const coded = rows.filter((row) => row.decision === option && row.reasonCodes.length > 0);
    const counts = codes
      .map((code) => ({ code, count: coded.filter((row) => row.reasonCodes.includes(code)).length }))
      .filter(({ count }) => count > 0 && count >= minReasonShare * coded.length)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
    return [option, counts.slice(0, maxReasonsPerOption).map(({ code }) => code)];
  });
  return Object.fromEntries(reasons);
}

/** A text's words, its token ids, and the embedding of the first ones; both empty without an encoder. */
export type EncodedText = { words: string[]; ids: number[]; embedding: Float32Array; truncated: boolean };
export type EncodedTexts = ReadonlyMap<string, EncodedText>;

/** Parts and embeds every different text once; `report` follows each batch. Rejects as the encoder does. */
export async function encodeTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: BatchTextEncoder | null,
  report: (done: number, total: number) => void,
  adapters: Adapters | null = null,
): Promise<EncodedTexts> {
  const parted = [...new Set(texts)].map((text): [string, Pick<EncodedText, 'words' | 'ids'>] => [
    text,
    { words: splitIntoWords(text), ids: encoder === null ? [] : tokenizer.encode(text) },
  ]);
  return embedTexts(new Map(parted), encoder, adapters, report);
}

/** Embeds texts that are parted already, with adapters or by the plain encoder, as {@link encodeTexts} does. */
export async function embedTexts(
  texts: ReadonlyMap<string, Pick<EncodedText, 'words' | 'ids'>>,
  encoder: BatchTextEncoder | null,
  adapters: Adapters | null,
  report: (done: number, total: number) => void,
): Promise<EncodedTexts> {
  const inputs = [...texts].map(([text, { words, ids }]) => ({
    text,
    words,
    ids,
    input: toEncoderInput(ids, limits.maxEncoderTokens, encoder?.frame),
  }));
  const encoded = new Map<string, EncodedText>();
  for (const group of groupByLength(inputs, ({ input }) => input.ids.length)) {
    const embeddings = await encoder?.embedBatch(
      group.map(({ input }) => input.ids),
      adapters,
    );
    for (const [at, { text, words, ids, input }] of group.entries()) {
      const embedding = embeddings?.[at] ?? new Float32Array();
      encoded.set(text, { words, ids, embedding, truncated: input.truncated });
    }
    report(encoded.size, inputs.length);
  }
  return encoded;
}
