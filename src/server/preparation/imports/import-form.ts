/** The form of an import: its file, and what it says beside that. */
import type { ZodType, z } from 'zod';
import { readPart } from '../../../door/errors/parse-part.ts';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { parseJsonText } from '../../../engine/strict-json/json-faults.ts';
import { readForm } from '../read-form.ts';

/** A request as the bytes of its body: JSON, or a form with the file. */
export type ImportBody = { bytes: Uint8Array; contentType: string };

/** Fields of a form that are texts as they stand. */
const plainFields = new Set(['sheet', 'delimiter', 'quote', 'encoding', 'on_conflict', 'decision_type_id', 'name']);

/** Reads the parts of a form: the file, texts as they stand, and the other fields as JSON. */
export async function readImportForm<S extends ZodType<{ file: File }>>(
  { bytes, contentType }: ImportBody,
  schema: S,
): Promise<{ file: { name: string; bytes: Uint8Array }; fields: Omit<z.output<S>, 'file'> }> {
  const form = await readForm(bytes, contentType);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) {
    const isPlain = typeof value !== 'string' || plainFields.has(name);
    const parsed = isPlain ? { ok: true as const, value } : parseJsonText(value);
    fields[name] = parsed.ok ? parsed.value : refuseField(name, `this field is not JSON: ${parsed.fault.message}`);
  }
  const { file, ...others } = readPart(schema, fields);
  return { file: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }, fields: others };
}

function refuseField(field: string, msg: string): never {
  throw toValidationError([toInvalidValue(['body', field], msg)]);
}
