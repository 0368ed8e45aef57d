import { describe, expect, it } from 'vitest';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { countSlots, fitField } from '../../../src/engine/features/kinds.ts';
import { type FeaturePlan, type FieldKind, fieldSchema } from '../../../src/engine/features/plan.ts';
import { listTreeFields } from '../../../src/engine/training/data/tree-fields.ts';

/** Values of each kind, by which the field is learned; a kind that is missing here fails the first test. */
const samples: Record<FieldKind, (string | number | boolean | object)[]> = {
  number: [1, 2, 3.5],
  boolean: [true, false],
  category: ['red', 'green', 'red'],
  date: ['2026-01-02', '2026-03-04'],
  numbers: [[1, 2], [3]],
  strings: [['a', 'b'], ['b']],
  objects: [[{ price: 1 }, { price: 2.5 }], [{ price: 4 }]],
};

const fields = (Object.keys(samples) as FieldKind[]).map((kind) => fitField(kind, [kind], samples[kind] as never));
const size = fields.reduce((sum, field) => sum + countSlots(field), 0);
const plan: FeaturePlan = { format: 1, fields, tabular_size: size, left_out: [], text: null };

describe('the slots that trees see', () => {
  it('belong to every kind of field', () => {
    const kinds = fieldSchema.options.map((option) => option.shape.kind.value);
    expect(fields.map((field) => field.kind).sort()).toEqual([...kinds].sort());
  });

  it('tell in every kind what is missing', () => {
    const { writeTabular: tabular } = compileFeatures(plan);
    const known = tabular(Object.fromEntries(fields.map(({ kind }) => [kind, samples[kind][0]])) as never);
    const missing = tabular({});
    for (const field of listTreeFields(plan)) {
      if (field.kind === 'category') {
        for (const dense of [known, missing]) {
          expect(dense.slice(field.slot, field.slot + field.size).reduce((sum, x) => sum + x, 0)).toBe(1);
        }
        expect(missing[field.slot + field.size - 1]).toBe(1);
      } else {
        expect(known[field.missingSlot ?? -1]).toBe(0);
        expect(missing[field.missingSlot ?? -1]).toBe(1);
      }
    }
  });

  it('are all slots of the plan, each once, the missing ones beside their field', () => {
    const own = listTreeFields(plan).flatMap((field) =>
      field.kind === 'category' ? Array.from({ length: field.size }, (_, i) => field.slot + i) : [field.slot],
    );
    const beside = listTreeFields(plan).flatMap((field) => (field.kind === 'number' ? [field.missingSlot ?? -1] : []));
    expect(new Set(own).size).toBe(own.length);
    expect([...new Set([...own, ...beside])].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
  });
});
