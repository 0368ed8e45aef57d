/** How hosted services and crowds export labels: JSON of tasks, or a table with a row for each answer. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { isAccepted, isDone } from './answer-statuses.ts';
import {
  describeSpan,
  type GivenAnswer,
  type LabelledTask,
  type LabellingTool,
  onlyQuestion,
  toObject,
  toObjects,
  unwrapSingle,
} from './labelling-tools.ts';

/** Labelbox answers: the option of a radio, the options of a checklist or a text; nested questions by their names. */
function* listClassifications(found: Json | undefined): Generator<[question: string, answer: Json]> {
  for (const { name, radio_answer: radio, checklist_answers: checklist, text_answer: text } of toObjects(found)) {
    const chosen = isJsonObject(radio) ? [radio] : toObjects(checklist);
    const written = toObject(text)['content'];
    yield [String(name ?? onlyQuestion), unwrapSingle(written ?? chosen.map((option) => option['name'] ?? null))];
    for (const { classifications } of chosen) yield* listClassifications(classifications);
  }
}

const labelbox: LabellingTool = {
  name: 'Labelbox',
  about: 'Reads the text, metadata and labels of each data row, not who wrote them or when',
  matches: ({ data_row: row, projects }) => isJsonObject(row) && isJsonObject(projects),
  read({ data_row: row, metadata_fields: metadata, projects }) {
    const { row_data: data } = toObject(row);
    const named = toObjects(metadata).map(({ schema_name: name, value }) => [String(name ?? ''), value ?? null]);
    const task: LabelledTask = {
      fields: { ...(isJsonObject(data) ? data : { text: data ?? null }), ...Object.fromEntries(named) },
      given: [],
      spans: [],
    };
    const done = Object.values(toObject(projects))
      .map(toObject)
      .filter(({ project_details: details }) => isDone({ status: toObject(details)['workflow_status'] }));
    const labels = done.flatMap((project) => toObjects(project['labels']));
    const isKept = ({ performance_details: details }: JsonObject) => toObject(details)['skipped'] !== true;
    for (const { objects, classifications } of labels.filter(isKept).map(({ annotations }) => toObject(annotations))) {
      task.given.push(...listClassifications(classifications));
      for (const { name, location } of toObjects(objects)) {
        const { start, end, token } = toObject(location);
        task.spans.push(describeSpan(start, end, name, typeof token === 'string' ? token : ''));
      }
    }
    return task;
  },
};

/** As Labelbox exported until 2022. */
const oldLabelbox: LabellingTool = {
  name: 'Labelbox',
  about: labelbox.about,
  matches: (record) => record['Labeled Data'] !== undefined && record['Label'] !== undefined,
  read({ 'Labeled Data': data, Label: label, Skipped: isSkipped, Reviews: reviews }) {
    const isRefused = isSkipped === true || toObjects(reviews).some(({ score }) => Number(score) < 0);
    const classifications = isRefused ? [] : toObjects(toObject(label)['classifications']);
    const given = classifications.map(({ title, answer, answers = answer }): GivenAnswer => {
      const chosen = (Array.isArray(answers) ? answers : [answers ?? null]).map((each) =>
        isJsonObject(each) ? (each['title'] ?? null) : each,
      );
      return [String(title ?? onlyQuestion), unwrapSingle(chosen)];
    });
    return { fields: { text: data ?? null }, given, spans: [] };
  },
};

const lightTag: LabellingTool = {
  name: 'LightTag',
  about: 'Reads the content, metadata and classes of each example; a class that a review called wrong does not count',
  matches: ({ content, classifications }) => typeof content === 'string' && Array.isArray(classifications),
  read({ content = null, metadata, classifications }) {
    const kept = toObjects(classifications).filter(({ correct }) => correct !== false);
    const given = kept.flatMap(({ classname = null, annotated_by: people }) =>
      toObjects(people).map(
        ({ annotator }): GivenAnswer => [onlyQuestion, classname, JSON.stringify(annotator ?? null)],
      ),
    );
    const asked: GivenAnswer[] = given.length > 0 ? given : [[onlyQuestion, null]];
    return { fields: { text: content, ...toObject(metadata) }, given: asked, spans: [] };
  },
};

const kili: LabellingTool = {
  name: 'Kili',
  about: 'Reads the content and labels of each asset, not predictions and saved drafts; a review comes first',
  matches: ({ content, labels }) =>
    content !== undefined &&
    Array.isArray(labels) &&
    labels.every((one) => isJsonObject(toObject(one)['jsonResponse'])),
  read({ content = null, labels }) {
    const kept = toObjects(labels).filter(({ labelType: type }) => type === 'DEFAULT' || type === 'REVIEW');
    const given = kept.flatMap(({ jsonResponse: jobs, labelType: type, author }) =>
      Object.entries(toObject(jobs)).map(([question, job]): GivenAnswer => {
        const { categories, text = null } = toObject(job);
        const names = toObjects(categories).map(({ name }) => name ?? null);
        return [question, unwrapSingle(names) ?? text, JSON.stringify(author ?? null), type === 'REVIEW'];
      }),
    );
    return { fields: { text: content }, given, spans: [] };
  },
};

const findGroundTruth = (record: JsonObject) =>
  Object.keys(record).find((key) => toObject(record[`${key}-metadata`])['class-name'] !== undefined);

const groundTruth: LabellingTool = {
  name: 'SageMaker Ground Truth',
  about: 'Reads the fields and the name of the class of each task, not its number and who gave it',
  matches: (record) => findGroundTruth(record) !== undefined,
  read(record) {
    const question = findGroundTruth(record) ?? '';
    const { [question]: _, [`${question}-metadata`]: metadata, ...fields } = record;
    return { fields, given: [[question, toObject(metadata)['class-name'] ?? null]], spans: [] };
  },
};

/** The columns of a table that begin with a word, under the rest of their names. */
const listParts = (record: JsonObject, start: string): [string, Json][] =>
  Object.entries(record).flatMap(([key, value]) => (key.startsWith(start) ? [[key.slice(start.length), value]] : []));
const isEmpty = (value: Json | undefined) => value === undefined || value === null || value === '';

/** An answer that counts by its status, and what a checked task was known to be. */
function toGiven(question: string, answer: Json, isCounted: boolean, person: Json | undefined, truth?: Json) {
  const given: GivenAnswer[] = [
    [question, isCounted && !isEmpty(answer) ? answer : null, JSON.stringify(person ?? null)],
  ];
  if (!isEmpty(truth)) given.push([question, truth ?? null, undefined, true]);
  return given;
}

const isSubmitted = (status: Json | undefined) => isDone({ status });

const toloka: LabellingTool = {
  name: 'Toloka',
  about:
    'Reads inputs and outputs of each assignment; refused ones do not count, and golden answers come first; where some are accepted, those that wait do not count',
  status: 'ASSIGNMENT:status',
  matches: (record) => record['ASSIGNMENT:status'] !== undefined && listParts(record, 'INPUT:').length > 0,
  read(record, { areReviewed }): LabelledTask {
    const isCounted = (areReviewed ? isAccepted : isSubmitted)(record['ASSIGNMENT:status']);
    const given = listParts(record, 'OUTPUT:').flatMap(([question, answer]) =>
      toGiven(question, answer, isCounted, record['ASSIGNMENT:worker_id'], record[`GOLDEN:${question}`]),
    );
    return { fields: Object.fromEntries(listParts(record, 'INPUT:')), given, spans: [] };
  },
};

const mechanicalTurk: LabellingTool = {
  name: 'Mechanical Turk',
  about:
    'Reads inputs and answers of each assignment; rejected ones do not count; where some are approved, those that wait do not count',
  status: 'AssignmentStatus',
  matches: (record) => record['AssignmentStatus'] !== undefined && listParts(record, 'Input.').length > 0,
  read(record, { areReviewed }): LabelledTask {
    const isCounted = (areReviewed ? isAccepted : isSubmitted)(record['AssignmentStatus']);
    // A form of radio buttons has a column for each, true where it was chosen.
    const given = listParts(record, 'Answer.').flatMap(([name, value]) => {
      const [, question = name, option = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
      const isButton = /^(?:true|false)$/i.test(String(value));
      if (isButton && /^false$/i.test(String(value))) return [];
      return toGiven(question, isButton ? option : value, isCounted, record['WorkerId']);
    });
    return { fields: Object.fromEntries(listParts(record, 'Input.')), given, spans: [] };
  },
};

const appen: LabellingTool = {
  name: 'Appen',
  about: 'Reads the data and judgments of each unit; tainted ones do not count, and gold answers come first',
  matches: (record) => record['_unit_id'] !== undefined && record['_golden'] !== undefined,
  read(record): LabelledTask {
    const questions = Object.keys(record).filter((key) => Object.hasOwn(record, `${key}_gold`));
    const isCounted = !/^true$/i.test(String(record['_tainted']));
    const given = questions.flatMap((question) =>
      toGiven(question, record[question] ?? null, isCounted, record['_worker_id'], record[`${question}_gold`]),
    );
    const isField = (key: string) => !/^_|_gold$|:confidence$/.test(key) && !questions.includes(key);
    return { fields: Object.fromEntries(Object.entries(record).filter(([key]) => isField(key))), given, spans: [] };
  },
};

export const labellingServices: readonly LabellingTool[] = [labelbox, oldLabelbox, lightTag, kili, groundTruth];
/** Tools whose tables have a row for each answer of a person. */
export const answerTables: readonly LabellingTool[] = [toloka, mechanicalTurk, appen];
