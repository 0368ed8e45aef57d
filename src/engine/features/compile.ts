/** A feature plan made ready to run. */
import type { JsonObject } from '../domain.ts';
import { fieldSize, transformField } from './kinds.ts';
import type { FeaturePlan } from './plan.ts';
import { valueAt } from './values.ts';

/** Where a field stands in the dense vector. */
export type Slot = { field: string; kind: string; start: number; size: number };
/** The text of an input and where each field's part of it ends (UTF-16 index). */
export type InputText = { text: string; parts: { field: string; end: number }[] };

export type CompiledFeatures = {
  slots: Slot[];
  tabularSize: number;
  /** The tabular part of the dense vector, float32, `tabularSize` long. */
  tabular(input: JsonObject): Float32Array;
  /** The text fields joined by line ends; missing and non-string values are skipped. */
  textOf(input: JsonObject): InputText;
};

/** Compiles a plan into functions over inputs. They never fail: what is missing or of another type counts as missing. */
export function compileFeatures(plan: FeaturePlan): CompiledFeatures {
  let size = 0;
  const slots = plan.fields.map((field) => {
    const slot = { field: field.path.join('.'), kind: field.kind, start: size, size: fieldSize(field) };
    size += slot.size;
    return slot;
  });
  const textFields = (plan.text?.fields ?? []).map((path) => ({ path, field: path.join('.') }));
  return {
    slots,
    tabularSize: size,
    tabular(input) {
      const dense = new Float32Array(size);
      plan.fields.forEach((field, index) => {
        dense.set(transformField(field, valueAt(input, field.path)), slots[index]?.start ?? 0);
      });
      return dense;
    },
    textOf(input) {
      let text = '';
      const parts: InputText['parts'] = [];
      for (const { path, field } of textFields) {
        const value = valueAt(input, path);
        if (typeof value !== 'string') continue;
        text = parts.length === 0 ? value : `${text}\n${value}`;
        parts.push({ field, end: text.length });
      }
      return { text, parts };
    },
  };
}
