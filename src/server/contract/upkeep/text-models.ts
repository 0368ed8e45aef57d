/** The text models by which types may be read. */
import { z } from 'zod';
import { ownTextModelNameSchema } from '../../../engine/domain/training.ts';
import { operation } from '../operation.ts';

const textModelSchema = z
  .object({
    name: z.string().describe('As `text_model` of a training names it'),
    own: z.boolean().describe('Whether it was added here'),
    base_model: z.string().describe('As model cards name it'),
    languages: z.array(z.string()).describe('By ISO 639-1; empty where they are not known'),
    size_mb: z.number(),
  })
  .meta({ id: 'TextModel' });
export type TextModelEntry = z.infer<typeof textModelSchema>;

const path = '/api/v1/text-models';

export const textModelOperations = {
  'text_models.list': operation('GET', path, {
    access: 'key',
    scope: 'read',
    tag: 'Training',
    output: z.array(textModelSchema),
    summary: 'Text models: those of the program, and those that were added',
  }),
  'text_models.add': operation('POST', path, {
    access: 'owner',
    tag: 'Training',
    body: z.strictObject({
      folder: z.string().min(1).max(1_000).describe('Absolute path of a folder on this machine'),
      name: ownTextModelNameSchema.optional().describe('Left out: as the folder is called'),
    }),
    output: textModelSchema.extend({
      notes: z.array(z.string()).describe('What was guessed or could not be checked'),
    }),
    status: 201,
    summary: 'Add a text model: its files are checked, tried and copied into the data folder',
    description:
      'The folder has `encoder.onnx` (reads `input_ids` and `attention_mask`, gives `sentence_embedding` of length 1), `tokenizer.json` (WordPiece of a lower-casing BERT, or Unigram), `LICENSE` and, if need be, `encoder.json` (`base_model`, `languages`, `prefix`, `dimensions`, `frame`), `golden.json` (texts with their embeddings), `NOTICE` and `SHA256SUMS`. Trainings with `text_model: auto` try it, too; bundles carry it.',
    errors: ['conflict'],
  }),
  'text_models.delete': operation('DELETE', `${path}/:text_model`, {
    access: 'owner',
    tag: 'Training',
    params: z.strictObject({ text_model: ownTextModelNameSchema.describe('Name of a text model that was added') }),
    output: null,
    summary: 'Remove a text model that was added; refused while a release of any decision type reads by it',
    errors: ['conflict'],
  }),
};
