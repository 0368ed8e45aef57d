import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { joinTurns, readTurns } from './conversation.ts';
import { compileField, compileReader, countSlots } from './kinds.ts';
import { type FeaturePlan, listTextFields, nameField } from './plan.ts';
import { toReadableText } from './readable-text.ts';
import { compilePath } from './values.ts';

type Slot = { field: string; kind: string; start: number; size: number };
/** The text of an input and where each field's part of it ends (UTF-16 index). `cut` are the fields not read whole. */
export type InputText = { text: string; parts: { field: string; end: number }[]; cut: string[] };

export type CompiledFeatures = {
  slots: Slot[];
  tabularSize: number;
  /** Whether texts that are HTML are read as their readable text. */
  isMarkup: boolean;
  /** Writes the tabular part of the dense vector, `tabularSize` numbers in float32, over the start of `dense`. */
  writeTabular(input: JsonObject, dense?: Float32Array): Float32Array;
  /** The text fields, readable where the plan says so, joined by line ends up to `limits.maxTextCharacters`. */
  joinText(input: JsonObject): InputText;
};

/** Compiles a plan into functions over inputs, in which what is missing or of another type counts as missing. */
export function compileFeatures(plan: FeaturePlan): CompiledFeatures {
  let size = 0;
  const slots = plan.fields.map((field) => {
    const slot = { field: nameField(field), kind: field.kind, start: size, size: countSlots(field) };
    size += slot.size;
    return slot;
  });
  const fields = plan.fields.map((field, index) => ({
    read: compileReader(field),
    write: compileField(field),
    start: slots[index]?.start ?? 0,
  }));
  const textFields = listTextFields(plan).map(({ path, kind }) => ({
    ...{ read: compilePath(path), field: path.join('.'), hasTurns: kind === 'conversation' },
  }));
  const isMarkup = plan.text?.markup === true;
  const readPart = (value: string) =>
    isMarkup ? toReadableText(value.slice(0, findTextEnd(value, limits.maxMarkupCharacters))) : value;
  return {
    slots,
    tabularSize: size,
    isMarkup,
    writeTabular(input, dense = new Float32Array(size)) {
      dense.fill(0, 0, size);
      for (const { read, write, start } of fields) write(read(input), dense, start);
      return dense;
    },
    joinText(input) {
      let text = '';
      const parts: InputText['parts'] = [];
      for (const { read, field, hasTurns } of textFields) {
        const value = read(input);
        if (typeof value !== 'string' && !(hasTurns && Array.isArray(value))) continue;
        const part = typeof value === 'string' ? readPart(value) : joinTurns(readTurns(value), readPart);
        text = parts.length === 0 ? part : `${text}\n${part}`;
        parts.push({ field, end: text.length });
      }
      const end = findTextEnd(text, limits.maxTextCharacters);
      if (end === text.length) return { text, parts, cut: [] };
      const cut = parts.filter((part) => part.end > end).map(({ field }) => field);
      return { text: text.slice(0, end), parts: parts.map((part) => ({ ...part, end: Math.min(part.end, end) })), cut };
    },
  };
}

/** Finds where the text that is read ends (UTF-16 index): whole code points, at most `maxCharacters`. */
function findTextEnd(text: string, maxCharacters: number): number {
  if (text.length <= maxCharacters) return text.length;
  let end = 0;
  for (let count = 0; count < maxCharacters && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}
