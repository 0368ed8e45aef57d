/** How labelling tools write a record in their exports: the fields that people saw, and what they said about it. */
import { toPlainText } from '../../export/plain-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { isDone, isStatus } from './answer-statuses.ts';

/** The question where a tool has only one. */
export const onlyQuestion = 'label';

/** An answer to a question; `person` tells whose it is, where the tool says it; the truth wins over all others. */
export type GivenAnswer = [question: string, answer: Json, person?: string | undefined, isTruth?: boolean];
/** A record as read: `given` holds each person's answer to each question, `spans` the marked parts in words. */
export type LabelledTask = { fields: JsonObject; given: GivenAnswer[]; spans: string[] };

export type LabellingTool = {
  name: string;
  /** A sentence about the parts that are read and those that are not. */
  about: string;
  matches(record: JsonObject): boolean;
  /** The key of whether an answer was accepted, where answers are looked at. */
  status?: string;
  read(record: JsonObject, file: LabelledFile): LabelledTask;
};
/** All records together: the different labels, where each has one as text, and whether some answers were accepted. */
type LabelledFile = { labels: ReadonlySet<string>; areReviewed: boolean };

/** The objects of a list; none of anything else. */
export const toObjects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
/** An object, or one without fields for anything else. */
export const toObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** A list of one value is that value, and an empty one none. */
export function unwrapSingle(value: Json | undefined): Json {
  if (!Array.isArray(value)) return value ?? null;
  return value.length > 1 ? value : (value[0] ?? null);
}

/** A record without some of its keys. */
const without = (record: JsonObject, keys: RegExp): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.test(key)));

/** A marked part in words: “Berlin [city]”, or where it is: “1.5–2.25 [speech]”. */
export function describeSpan(
  start: Json | undefined,
  end: Json | undefined,
  label: Json | undefined,
  text = '',
): string {
  const what = text !== '' || start === undefined ? text : `${start}–${end ?? '?'}`;
  const labels = Array.isArray(label) ? label.join(', ') : String(label ?? '');
  return [what, labels === '' ? '' : `[${labels}]`].filter((part) => part !== '').join(' ');
}

/** Marked parts of a text, whose places count characters as Python does. */
function describeSpans(text: Json | undefined, spans: readonly (readonly (Json | undefined)[])[]): string[] {
  const letters = typeof text === 'string' && spans.length > 0 ? [...text] : [];
  return spans.map(([start, end, label]) =>
    describeSpan(start, end, label, letters.slice(Number(start), Number(end)).join('')),
  );
}

function addResult(
  { given, spans }: LabelledTask,
  { type, value, from_name: name }: JsonObject,
  person: string,
  isTruth: boolean,
): void {
  if (!isJsonObject(value) || typeof type !== 'string') return;
  const { start, end, text } = value;
  const own = value[type];
  if (start !== undefined || value['x'] !== undefined || value['points'] !== undefined) {
    spans.push(describeSpan(start, end, own, typeof text === 'string' ? text : ''));
    return;
  }
  const paths =
    type === 'taxonomy' && Array.isArray(own)
      ? own.map((path) => (Array.isArray(path) ? path.join(' / ') : path))
      : own;
  const [only] = Object.values(value);
  given.push([typeof name === 'string' ? name : onlyQuestion, unwrapSingle(paths ?? only), person, isTruth]);
}

export const labelStudio: LabellingTool = {
  name: 'Label Studio',
  about: 'Reads the data and annotations of each task, not who wrote them or when',
  matches: ({ data, annotations, completions = annotations }) => isJsonObject(data) && Array.isArray(completions),
  read({ data, annotations, completions = annotations }) {
    const task: LabelledTask = { fields: toObject(data), given: [], spans: [] };
    for (const { result, completed_by: by, ...one } of toObjects(completions)) {
      const isTruth = one['ground_truth'] === true;
      const isRefused =
        [one['last_action'], one['state'], one['status']].some((status) => isStatus(status) && !isDone({ status })) ||
        toObjects(one['reviews']).at(-1)?.['accepted'] === false;
      if (one['was_cancelled'] === true || isRefused) continue;
      for (const each of toObjects(result)) addResult(task, each, JSON.stringify(by ?? null), isTruth);
    }
    return task;
  },
};

const labelStudioMin: LabellingTool = {
  name: 'Label Studio (JSON-MIN)',
  about: 'Who annotated a task, and when, is not read',
  matches: (record) => record['annotation_id'] !== undefined && record['lead_time'] !== undefined,
  read(record) {
    const task: LabelledTask = { fields: {}, given: [], spans: [] };
    const kept = without(record, /^(?:annotator|annotation_id|created_at|updated_at|lead_time)$/);
    for (const [name, value] of Object.entries(kept)) {
      const marked = toObjects(value).filter(({ start }) => start !== undefined);
      for (const { start, end, text, labels, hypertextlabels = labels } of marked)
        task.spans.push(describeSpan(start, end, hypertextlabels, typeof text === 'string' ? text : ''));
      const { choices } = toObject(value);
      if (marked.length === 0) task.fields[name] = choices === undefined ? value : unwrapSingle(choices);
    }
    return task;
  },
};

/** Reads the responses of Argilla: one a person, as its API answers, or a list of them for each question. */
function* listResponses(responses: Json | undefined): Generator<GivenAnswer> {
  for (const { values, user_id: by } of toObjects(responses).filter(isDone))
    for (const [question, value] of Object.entries(toObject(values)))
      yield [question, isJsonObject(value) ? (value['value'] ?? null) : value, JSON.stringify(by ?? null)];
  for (const [question, list] of Object.entries(toObject(responses)))
    for (const { value, user_id: by } of toObjects(list).filter(isDone))
      yield [question, value ?? null, JSON.stringify(by ?? null)];
}

const argilla: LabellingTool = {
  name: 'Argilla',
  about: 'Reads the fields, metadata and responses of each record, not suggestions and vectors',
  matches: ({ fields, responses, suggestions = responses }) => isJsonObject(fields) && suggestions !== undefined,
  read({ fields, metadata, responses }) {
    const task: LabelledTask = { fields: { ...toObject(fields), ...toObject(metadata) }, given: [], spans: [] };
    const text = Object.values(toObject(fields)).find((value) => typeof value === 'string');
    for (const [question, answer, person] of listResponses(responses)) {
      const marked = toObjects(answer).filter(({ start }) => start !== undefined);
      if (marked.length === 0) task.given.push([question, unwrapSingle(answer), person]);
      else
        task.spans.push(
          ...describeSpans(
            text,
            marked.map(({ start, end, label }) => [start, end, label]),
          ),
        );
    }
    return task;
  },
};

/** Records of Argilla 1: one annotation each, and whether it was confirmed. */
const oldArgilla: LabellingTool = {
  name: 'Argilla 1',
  about: 'Reads the inputs, metadata and validated annotation of each record, not predictions',
  matches: ({ annotation, prediction = annotation, status, text, inputs = text }) =>
    prediction !== undefined &&
    inputs !== undefined &&
    /^(?:validated|discarded|default|edited)$/i.test(String(status)),
  read({ annotation, status, text, inputs, metadata }) {
    const fields = { ...(isJsonObject(inputs) ? inputs : { text: text ?? inputs ?? null }), ...toObject(metadata) };
    return { fields, given: [[onlyQuestion, isDone({ status }) ? unwrapSingle(annotation) : null]], spans: [] };
  },
};

/** Argilla 1.x gave a data set a column of responses for each question, beside one of its suggestion. */
const feedback: LabellingTool = {
  name: 'Argilla',
  about: 'Reads the fields and responses of each record, not suggestions',
  matches: (record) => Object.keys(record).some((key) => Object.hasOwn(record, `${key}-suggestion`)),
  read(record) {
    const questions = Object.keys(record).filter((key) => Object.hasOwn(record, `${key}-suggestion`));
    const given = questions.flatMap((question) => {
      const counted = [...listResponses({ [question]: record[question] ?? null })];
      return counted.length > 0 ? counted : [[question, null] satisfies GivenAnswer];
    });
    const isField = (key: string) => !questions.some((question) => key === question || key.startsWith(`${question}-`));
    const fields = Object.entries(record).filter(([key]) => isField(key) && !/^(?:external_id|metadata)$/.test(key));
    return { fields: Object.fromEntries(fields), given, spans: [] };
  },
};

const responseKey = /^(.+)\.responses$/;
/** As Argilla flattens its records, also on the Hugging Face hub. */
const flatArgilla: LabellingTool = {
  name: 'Argilla',
  about: 'Reads the fields and responses of each record, not suggestions',
  matches: (record) => Object.keys(record).some((key) => responseKey.test(key)),
  read(record) {
    const given = Object.entries(record).flatMap(([key, value]) => {
      const question = responseKey.exec(key)?.[1];
      if (question === undefined) return [];
      const answers = Array.isArray(value) && value.length > 0 ? value : [null];
      const [statuses, people] = ['status', 'users'].map((part) => record[`${key}.${part}`]);
      return answers.map((answer, index): GivenAnswer => {
        const at = (list: Json | undefined) => (Array.isArray(list) ? list[index] : undefined);
        const isCounted = isDone({ status: at(statuses) });
        return [question, isCounted ? unwrapSingle(answer) : null, String(at(people) ?? index)];
      });
    });
    const fields = without(record, /\.(?:responses|suggestion)(?:\.\w+)?$|^(?:_server_id|status|vectors)$/);
    return { fields, given, spans: [] };
  },
};

/** The fields without a `text` that only repeats the texts of the others, as an export of a workbench adds one. */
function withoutCopy(fields: JsonObject): JsonObject {
  const { text, ...others } = fields;
  return Object.keys(others).length > 0 && text === toPlainText(others) ? others : fields;
}

/** Reads an answer of Prodigy: the options that were accepted, else the label that was asked about. */
function readAnswer({ answer, accept, options, label }: JsonObject, labels: ReadonlySet<string>): Json {
  if (Array.isArray(accept)) {
    const names = new Map(toObjects(options).map(({ id, text = id }) => [id, typeof id === 'number' ? text : id]));
    return answer === 'accept' ? unwrapSingle(accept.map((id) => names.get(id) ?? id)) : null;
  }
  if (answer === 'accept') return label ?? null;
  // Of several labels, that it is not this one says too little.
  return answer === 'reject' && labels.size === 1 ? `not ${String(label)}` : null;
}

const prodigy: LabellingTool = {
  name: 'Prodigy',
  about: 'Read are the text, its meta and what was accepted, without tokens, options and hashes',
  matches: ({ answer, accept, _task_hash: hash }) =>
    answer !== undefined && (hash !== undefined || Array.isArray(accept)),
  read(record, { labels }) {
    const { text, spans, answer, label, accept = label } = record;
    const marked = answer === 'accept' ? toObjects(spans) : [];
    return {
      fields: withoutCopy(
        without(record, /^_|^(?:answer|accept|options|tokens|spans|label|config|style|priority|score)$/),
      ),
      given: accept === undefined ? [] : [[onlyQuestion, readAnswer(record, labels)]],
      spans: describeSpans(
        text,
        marked.map(({ start, end, label: name }) => [start, end, name]),
      ),
    };
  },
};

const spacy: LabellingTool = {
  name: 'spaCy',
  about: 'Of the categories of a text the one with the highest value is its label',
  matches: ({ text, cats }) => typeof text === 'string' && isJsonObject(cats),
  read({ cats, ...record }) {
    const sorted = Object.entries(toObject(cats)).sort(([, a], [, b]) => Number(b) - Number(a));
    const [highest] = sorted;
    const label = highest !== undefined && Number(highest[1]) > 0 ? highest[0] : null;
    return {
      fields: withoutCopy(without(record, /^_|^(?:tokens|spans|meta)$/)),
      given: [[onlyQuestion, label]],
      spans: [],
    };
  },
};

const isTriple = (value: Json): value is [Json, Json, Json] =>
  Array.isArray(value) && value.length === 3 && typeof value[0] === 'number' && typeof value[1] === 'number';

const doccano: LabellingTool = {
  name: 'doccano, or labels in lists as there',
  about:
    'A list of one label is that label; comments and relations are not read, nor names of labels of which an old export has numbers alone',
  matches: ({ label, labels = label, entities, annotations }) =>
    labels === null ||
    Array.isArray(labels) ||
    Array.isArray(entities) ||
    (Array.isArray(annotations) && annotations.every((one) => toObject(one)['user'] !== undefined)),
  read(record) {
    const { text, data = text, annotations, entities } = record;
    const { label = toObjects(annotations).map((one) => one['label'] ?? null), labels = label } = record;
    const triples = [labels, entities].flatMap((list) => (Array.isArray(list) ? list.filter(isTriple) : []));
    const marked = toObjects(entities).map(
      ({ start_offset: start, end_offset: end, label: name }) => [start, end, name] as const,
    );
    const isAnswered = triples.length === 0 && entities === undefined;
    return {
      fields: without(record, /^(?:labels?|entities|annotations|relations|comments|annotation_approver)$/i),
      given: isAnswered ? [[onlyQuestion, unwrapSingle(labels)]] : [],
      spans: describeSpans(data, [...triples, ...marked]),
    };
  },
};

/** Tools of which a table says the same as their JSON. */
export const tableTools: readonly LabellingTool[] = [flatArgilla, oldArgilla];
export const labellingTools: readonly LabellingTool[] = [
  labelStudio,
  labelStudioMin,
  argilla,
  feedback,
  flatArgilla,
  oldArgilla,
  prodigy,
  spacy,
  doccano,
];
