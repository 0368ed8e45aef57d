/** Examples as the records that labelling tools import, and that the import reads as well. */
import type { Json, JsonObject } from '../json.ts';
import type { ExportedExample } from './example-columns.ts';
import type { LabellingFormat } from './file-kinds.ts';
import { toPlainText } from './plain-text.ts';

/** Makes a record of an example; null where the tool's format has no place for it. */
type RecordWriter = (options: readonly string[]) => (example: ExportedExample) => object | null;

/** The name of the only question. */
const question = 'label';

/** Writes for each tool; only what is known is written. */
export const labellingRecords: Readonly<Record<LabellingFormat, RecordWriter>> = {
  label_studio: () => toTask,
  argilla: () => toArgillaRecord,
  prodigy: toProdigyTask,
  spacy: toCategories,
};

/** A task of Label Studio with its annotation and prediction; the project there says how each field is shown. */
function toTask(example: ExportedExample): object {
  const { input_payload: data, expected_decision: label, suggestion, suggestion_probability: score } = example;
  const shown = Object.keys(data).find((key) => typeof data[key] === 'string') ?? Object.keys(data)[0] ?? 'text';
  const choose = (option: string) => [
    { from_name: question, to_name: shown, type: 'choices', value: { choices: [option] } },
  ];
  const isSkipped = example.status === 'skipped';
  return {
    data,
    annotations: label === null && !isSkipped ? [] : [toAnnotation(label === null ? [] : choose(label), isSkipped)],
    predictions:
      suggestion === null ? [] : [{ model_version: example.policy ?? '', score, result: choose(suggestion) }],
    meta: { id: example.id, note: example.note },
  };
}

const toAnnotation = (result: object[], isSkipped: boolean) => ({ result, was_cancelled: isSkipped });

/** Argilla wants a user for each response, and knows its own alone; the importing program replaces it. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** A record of Argilla: texts are fields, all else is metadata. */
function toArgillaRecord(example: ExportedExample): object {
  const { id, input_payload: input, expected_decision: label, suggestion, suggestion_probability: score } = example;
  const isField = (value: Json) => typeof value === 'string';
  const pick = (wanted: boolean): JsonObject =>
    Object.fromEntries(Object.entries(input).filter(([, value]) => isField(value) === wanted && value !== null));
  return {
    id,
    fields: pick(true),
    metadata: pick(false),
    responses: label === null ? {} : { [question]: [{ value: label, status: 'submitted', user_id: nobody }] },
    suggestions: suggestion === null ? {} : { [question]: { value: suggestion, score, agent: example.policy } },
  };
}

/** Keys that mean something to Prodigy and spaCy; fields of these names have no place there. */
const reserved = /^(?:_.*|answer|accept|options|tokens|spans|label|cats|config|style|priority|score)$/;
const listFields = (input: JsonObject) =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !reserved.test(key)));

/** A task of Prodigy's choice interface, with the fields of the input beside its text. */
function toProdigyTask(options: readonly string[]): (example: ExportedExample) => object {
  const choices = options.map((option) => ({ id: option, text: option }));
  return ({ input_payload: input, expected_decision: label }) => ({
    ...listFields(input),
    text: toPlainText(input),
    options: choices,
    accept: label === null ? [] : [label],
    answer: label === null ? 'ignore' : 'accept',
  });
}

/** A text with its categories for spaCy's text classification; without a label there is nothing to learn. */
function toCategories(options: readonly string[]): (example: ExportedExample) => object | null {
  return ({ input_payload: input, expected_decision: label }) => {
    if (label === null) return null;
    const cats = Object.fromEntries(options.map((option) => [option, option === label ? 1 : 0]));
    return { ...listFields(input), text: toPlainText(input), cats };
  };
}
