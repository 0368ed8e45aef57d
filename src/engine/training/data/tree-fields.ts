import type { TreeField } from '../../classifiers/classifier.ts';
import { countSlots } from '../../features/kinds.ts';
import type { FeaturePlan, Field } from '../../features/plan.ts';

function toTreeFields(field: Field, start: number, directions: FeaturePlan['directions'] = []): TreeField[] {
  const size = countSlots(field);
  if (field.kind === 'category') return [{ kind: 'category', slot: start, size }];
  // In every other kind the last slot is 1 where the value is missing.
  const missingSlot = start + size - 1;
  const direction = directions.find(({ path }) => path.join('\0') === field.path.join('\0'));
  const signs = field.kind === 'number' && direction !== undefined ? { signs: direction.signs } : {};
  return Array.from({ length: size - 1 }, (_, i) => ({ kind: 'number', slot: start + i, missingSlot, ...signs }));
}

/** The tabular slots of a plan as trees see them; the embedding, if there is one, stays with the linear model. */
export function listTreeFields(plan: FeaturePlan): TreeField[] {
  let start = 0;
  return plan.fields.flatMap((field) => {
    const treeFields = toTreeFields(field, start, plan.directions);
    start += countSlots(field);
    return treeFields;
  });
}
