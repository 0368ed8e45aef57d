/** A file that a call sends, in Base64 or as a form, with the fields beside it. */
import { z } from 'zod';
import { readPart } from '../../../door/errors/parse-part.ts';
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
  if (contentType.startsWith('application/json')) return fromBase64(readPart(importedFileSchema, readJsonBody(bytes)));
  const form = await readForm(bytes, contentType);
  const { file, ...fields } = readPart(formSchema, Object.fromEntries(form));
  return { ...fields, bytes: new Uint8Array(await file.arrayBuffer()) };
}

const fromBase64 = ({ file, ...fields }: z.output<typeof importedFileSchema>): UploadedFile => ({
  ...fields,
  bytes: Buffer.from(file, 'base64'),
});
