/** A file that a call sends, in Base64 or as a form, with the fields beside it. */
import { z } from 'zod';
import { parsePart } from '../../../door/errors/parse-part.ts';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { readJsonBody } from '../../../engine/strict-json/json-body.ts';
import { importedFileSchema } from '../../contract/upkeep/archives.ts';
import { readForm } from '../read-form.ts';

/** The body as it came where it is large or a form, else as it was read. */
export type Upload = { bytes: Uint8Array; contentType: string } | z.output<typeof importedFileSchema>;
type UploadedFile = Omit<z.output<typeof importedFileSchema>, 'file'> & { bytes: Uint8Array };

const formSchema = importedFileSchema.extend({ file: z.file() });

/** Reads the file and its fields; throws `validation_error` or `bad_request`. */
export async function readUpload(upload: Upload): Promise<UploadedFile> {
  if (!('bytes' in upload)) return fromBase64(upload);
  const { bytes, contentType } = upload;
  if (contentType.startsWith('application/json')) return fromBase64(parse(importedFileSchema, readJsonBody(bytes)));
  const form = await readForm(bytes, contentType).catch(() => {
    const problem = 'the body is not multipart/form-data; let your HTTP client write it';
    throw toValidationError([toInvalidValue(['body', 'file'], problem)]);
  });
  const { file, ...fields } = parse(formSchema, Object.fromEntries(form));
  return { ...fields, bytes: new Uint8Array(await file.arrayBuffer()) };
}

const fromBase64 = ({ file, ...fields }: z.output<typeof importedFileSchema>): UploadedFile => ({
  ...fields,
  bytes: Buffer.from(file, 'base64'),
});

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = parsePart(schema, value, 'body');
  if (!parsed.ok) throw toValidationError(parsed.problems);
  return parsed.value;
}
