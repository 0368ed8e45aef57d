import type { TreeField } from '../../classifiers/classifier.ts';
import { countSlots } from '../../features/kinds.ts';
import type { FeaturePlan, Field } from '../../features/plan.ts';

function toTreeFields(field: Field, start: number): TreeField[] {
  const size = countSlots(field);
  if (field.kind === 'category') return [{ kind: 'category', slot: start, size }];
  // In every other kind the last slot is 1 where the value is missing.
  const missingSlot = start + size - 1;
  return Array.from({ length: size - 1 }, (_, i) => ({ kind: 'number', slot: start + i, missingSlot }));
}

/** The tabular slots of a plan as trees see them; the embedding, if there is one, stays with the linear model. */
export function listTreeFields(plan: FeaturePlan): TreeField[] {
  let start = 0;
  return plan.fields.flatMap((field) => {
    const treeFields = toTreeFields(field, start);
    start += countSlots(field);
    return treeFields;
  });
}
