/**
 * The first label of an example: what it is measured by once its label was changed after a model's doubt, or with many
 * others. Every statement that gives an example a label sets it by these expressions, so no door bends a figure.
 */

/** A label that nobody has confirmed since a teacher gave it is not a measure. */
const isMeasure = '(examples.by_teacher = 0 OR examples.reviewed = 1)';

/** The held-out rows `h` of a type's policies, of an equal input each; it is hashed once, not for each policy. */
const equalRows = (typeId: string, input: string) => `(SELECT input_hash(${input}) AS hash LIMIT 1) own
  CROSS JOIN policies p CROSS JOIN held_out_predictions h ON h.policy_id = p.id AND h.input_hash = own.hash
  WHERE p.decision_type_id = ${typeId}`;

/** Whether models that had not seen the input found another option than its label: a check of labels, or a policy. */
const isDoubted = `(EXISTS (SELECT 1 FROM label_searches s
    JOIN label_checks c ON c.search_id = s.id AND c.example_id = examples.id
    WHERE s.decision_type_id = examples.decision_type_id AND s.complete = 1 AND c.suspect = 1
      AND c.label = examples.decision)
  OR EXISTS (SELECT 1 FROM policies p JOIN held_out_predictions h ON h.policy_id = p.id AND h.example_id = examples.id
    WHERE p.decision_type_id = examples.decision_type_id AND h.expected = examples.decision
      AND h.predicted <> h.expected)
  OR EXISTS (SELECT 1 FROM ${equalRows('examples.decision_type_id', 'examples.input')}
    AND h.expected = examples.decision AND h.predicted <> h.expected))`;

/** Whether a model has said anything of the type's examples: before that, labels are set right many at once. */
const hasModel = `(EXISTS (SELECT 1 FROM label_searches s
    WHERE s.decision_type_id = examples.decision_type_id AND s.complete = 1)
  OR ${hasMeasured('examples.decision_type_id')})`;

function hasMeasured(typeId: string): string {
  return `EXISTS (SELECT 1 FROM policies p JOIN held_out_predictions h ON h.policy_id = p.id
    WHERE p.decision_type_id = ${typeId})`;
}

const toAssignment = (keepsFirst: string, decision: string) => `first_decision = nullif(ifnull(examples.first_decision,
  iif(${isMeasure} AND ${keepsFirst}, examples.decision, NULL)), ${decision})`;

/** SQL that sets the first label where one example gets the label `@decision`. */
export const setFirstOfOne = toAssignment(isDoubted, '@decision');
/** SQL that sets the first label where many examples get the label `decision` at once. */
export const toFirstOfMany = (decision: string) => toAssignment(hasModel, decision);

/**
 * SQL of the first label of a new example: the one under which a policy doubted an equal input, unless one measured
 * that input also under the new label. So neither an import of other labels nor a deletion before it changes a measure.
 */
export const firstOfNew = ({ typeId, input, decision }: Record<'typeId' | 'input' | 'decision', string>): string => `
  iif(${hasMeasured(typeId)}, (SELECT h.expected FROM ${equalRows(typeId, input)} AND h.predicted <> h.expected
    AND NOT EXISTS (SELECT 1 FROM ${equalRows(typeId, input)} AND h.expected IS ${decision})
    ORDER BY p.version LIMIT 1), NULL)`;
