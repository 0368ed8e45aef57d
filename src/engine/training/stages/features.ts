import type { Metrics } from '../../domain/metrics.ts';
import { WorkbenchError } from '../../errors.ts';
import { inferPlan } from '../../features/infer.ts';
import { countSlots } from '../../features/kinds.ts';
import { type FeaturePlan, type FieldDirection, isBetweenDates, nameField } from '../../features/plan.ts';
import { formatCount } from '../../numeric.ts';
import { isPiiField } from '../../pii.ts';
import { listDirections } from '../../schema/directions.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { noNgrams } from '../select/text-use.ts';
import type { Planned, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> & Pick<Prepared, 'trainRows' | 'presentOptions' | 'sharing' | 'notes'>;

/** Infers the plan but for the use of text. Throws 'validation_error' where a directed field is not a number. */
export function planFeatures(state: State): Planned {
  const { request, progress, trainRows, notes } = state;
  const piiPaths = request.piiFields ?? [];
  const inferred = inferFieldPlan(trainRows, request.definition.input_schema, piiPaths);
  const fieldPlan = request.config.days_between ? inferred : leaveOutDays(inferred);
  const personal = findPersonalText(fieldPlan, piiPaths);
  const textFields = fieldPlan.text?.fields ?? [];
  const added: string[] = [];
  if (fieldPlan.fields.length === 0 && fieldPlan.text === null) {
    added.push('No field of the inputs can be learned from, so every input gets the same probabilities.');
  }
  if (textFields.length > 1) {
    added.push(`These fields are read together as one text: ${textFields.map((path) => path.join('.')).join(', ')}.`);
  }
  const between = fieldPlan.fields.filter(isBetweenDates).map((field) => `“${nameField(field)}”`);
  if (between.length > 0) added.push(`Days between dates are learned as inputs: ${between.join(', ')}.`);
  if (fieldPlan.text?.markup) added.push('HTML in texts is read as what a person sees of it.');
  if (personal !== undefined) {
    const name = personal.join('.');
    added.push(
      `The text is read by the sentence encoder only: ${name} holds personal data, whose words must not be stored.`,
    );
  }
  const taken = takeDirections(state, fieldPlan);
  const directions = taken.map(({ stated }) => stated);
  added.push(...directions.map(({ sentence }) => sentence));
  for (const { path, reason } of fieldPlan.left_out) added.push(`Field ${path} is left out. ${reason}`);
  const texts = textFields.length === 0 ? '' : `, ${formatCount(textFields.length)} of them text`;
  const message = `${formatCount(fieldPlan.fields.length + textFields.length)} fields${texts}`;
  progress.report('features', 1, message);
  return {
    fieldPlan: taken.length === 0 ? fieldPlan : { ...fieldPlan, directions: taken.map(({ kept }) => kept) },
    directions,
    notes: [...notes, ...added],
  };
}

function leaveOutDays(plan: FeaturePlan): FeaturePlan {
  const fields = plan.fields.filter((field) => !isBetweenDates(field));
  return { ...plan, fields, tabular_size: fields.reduce((size, field) => size + countSlots(field), 0) };
}

/** The directions of fields that the plan reads, for the labels that are learned; what is not read cannot move them. */
function takeDirections(
  { request, presentOptions, sharing }: Pick<State, 'request' | 'presentOptions' | 'sharing'>,
  { fields, text }: FeaturePlan,
): { kept: FieldDirection; stated: Metrics['directions'][number] }[] {
  const { options, input_schema } = request.definition;
  return listDirections(input_schema).flatMap(({ path, keyword, option }) => {
    const isThis = (other: readonly string[]) => other.join('\0') === path.join('\0');
    const kind = fields.find((field) => isThis(field.path))?.kind ?? (text?.fields.some(isThis) ? 'text' : null);
    if (kind === null) return [];
    const field = path.join('.');
    if (kind !== 'number') {
      throw new WorkbenchError(
        'validation_error',
        `The input schema gives the field "${field}" a direction, but the examples have no numbers in it: it is read as ${kind}. Take ${keyword} out of the schema, or give the examples numbers.`,
      );
    }
    const index = options.indexOf(option);
    const label = presentOptions.indexOf(sharing.includes(index) ? (sharing[0] ?? -1) : index);
    if (label < 0) return [];
    const up = keyword === 'never_lowers' ? 1 : -1;
    const signs = presentOptions.map((_, at) => (at === label ? up : -up));
    const verb = keyword === 'never_lowers' ? 'lowers' : 'raises';
    const sentence = `A higher value of ${field} never ${verb} the probability of ${option}: the classifier keeps this for every input.`;
    return [{ kept: { path, signs }, stated: { field, keyword, option, sentence } }];
  });
}

const findPersonalText = ({ text }: FeaturePlan, piiPaths: readonly string[]) =>
  text?.fields.find((path) => isPiiField(path, piiPaths));

/** Infers the plan of the fields; nothing that stands at or below a path of personal data is written into it. */
export function inferFieldPlan(
  rows: readonly LabelledRow[],
  inputSchema: Parameters<typeof inferPlan>[1],
  piiPaths: readonly string[],
): FeaturePlan {
  const inferred = inferPlan(
    rows.map((row) => row.input),
    inputSchema,
    piiPaths,
  );
  if (findPersonalText(inferred, piiPaths) === undefined) return inferred;
  return { ...inferred, text: inferred.text && { ...inferred.text, ngrams: noNgrams } };
}
