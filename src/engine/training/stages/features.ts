import { inferPlan } from '../../features/infer.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { formatCount } from '../../numeric.ts';
import { isPiiField } from '../../pii.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { noNgrams } from '../select/text-use.ts';
import type { Planned, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> & Pick<Prepared, 'trainRows' | 'notes'>;

/** Infers the plan of the fields from the training rows; the use of text is left open. */
export function planFeatures({ request, progress, trainRows, notes }: State): Planned {
  const piiPaths = request.piiFields ?? [];
  const fieldPlan = inferFieldPlan(trainRows, request.definition.input_schema, piiPaths);
  const personal = findPersonalText(fieldPlan, piiPaths);
  const textFields = fieldPlan.text?.fields ?? [];
  const added: string[] = [];
  if (fieldPlan.fields.length === 0 && fieldPlan.text === null) {
    added.push('No field of the inputs can be learned from, so every input gets the same probabilities.');
  }
  if (textFields.length > 1) {
    added.push(`These fields are read together as one text: ${textFields.map((path) => path.join('.')).join(', ')}.`);
  }
  if (fieldPlan.text?.markup) added.push('HTML in texts is read as what a person sees of it.');
  if (personal !== undefined) {
    const name = personal.join('.');
    added.push(
      `The text is read by the sentence encoder only: ${name} holds personal data, whose words must not be stored.`,
    );
  }
  for (const { path, reason } of fieldPlan.left_out) added.push(`Field ${path} is left out. ${reason}`);
  const texts = textFields.length === 0 ? '' : `, ${formatCount(textFields.length)} of them text`;
  const message = `${formatCount(fieldPlan.fields.length + textFields.length)} fields${texts}`;
  progress.report('features', 1, message);
  return { fieldPlan, notes: [...notes, ...added] };
}

const findPersonalText = ({ text }: FeaturePlan, piiPaths: readonly string[]) =>
  text?.fields.find((path) => isPiiField(path, piiPaths));

/** Infers the plan of the fields; nothing that stands at or below a path of personal data is written into it. */
export function inferFieldPlan(
  rows: readonly LabelledRow[],
  inputSchema: Parameters<typeof inferPlan>[1],
  piiPaths: readonly string[],
): FeaturePlan {
  const inputs = rows.map((row) => row.input);
  const plan = inferPlan(inputs, inputSchema, piiPaths);
  // A path may name a whole object, but the plan knows the fields of it by their own paths.
  const covered = plan.fields.filter(({ path }) => isPiiField(path, piiPaths)).map(({ path }) => path.join('.'));
  const inferred = covered.every((path) => piiPaths.includes(path))
    ? plan
    : inferPlan(inputs, inputSchema, [...piiPaths, ...covered]);
  if (findPersonalText(inferred, piiPaths) === undefined) return inferred;
  return { ...inferred, text: inferred.text && { ...inferred.text, ngrams: noNgrams } };
}
