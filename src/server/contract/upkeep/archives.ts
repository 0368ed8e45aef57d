/** Moving a decision type from one workbench to another: as a file with all of it, or by the bundle of its policy. */
import { z } from 'zod';
import { nameText } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import { operation, replaces } from '../operation.ts';
import { releaseSchema } from '../policies/releases.ts';
import { decisionTypeSchema } from '../types/decision-types.ts';

const mebibyte = 1024 * 1024;
/** The largest archive, as a file; a body holds a form around it. */
export const maxArchiveBytes = 63 * mebibyte;

const fields = {
  name: nameText(limits.maxTypeNameLength).optional().describe('Of the new type; left out: as in the file'),
  reason: z.string().trim().min(1).max(500).optional().describe('Why, for the history of releases'),
};
const base64 = z.string().max(maxArchiveBytes).describe('The file in Base64');
/** A file with every field that an import of one may have. */
export const importedFileSchema = z.strictObject({ file: base64, ...fields });
const typeFileSchema = importedFileSchema.omit({ reason: true }).meta({ id: 'TypeFile' });
const bundleFileSchema = importedFileSchema.omit({ name: true }).meta({ id: 'BundleFile' });
const formOf = <S extends typeof typeFileSchema | typeof bundleFileSchema>(schema: S) =>
  schema.extend({ file: z.file().describe('The file') });

const base = '/api/v1/decision-types';
const common = { access: 'key', scope: 'deploy', tag: 'Decision types', bodyLimitBytes: 64 * mebibyte } as const;

export const archiveOperations = {
  'decision_types.archive': operation('GET', `${base}/:decision_type_id/archive`, {
    access: 'key',
    scope: 'export',
    tag: 'Decision types',
    output: null,
    produces: 'application/zip',
    summary: 'A decision type as one file, which another workbench imports',
    description:
      'Definition with every version, lists, rules, examples with labels, notes, marks and first labels, policies with their bundles and held-out rows, releases and aliases, and the questions of decision models that the type answers. The values of personal fields are in it; log, keys, model connections, the history of labels, second readings and an unpublished draft are not. The same state gives the same bytes.',
    errors: ['conflict'],
  }),
  'decision_types.import': operation('POST', `${base}/import`, {
    ...common,
    body: typeFileSchema,
    fileForm: formOf(typeFileSchema),
    output: z.object({
      decision_type: decisionTypeSchema,
      examples: z.int(),
      policies: z.int(),
      releases: z.int(),
      notes: z.array(z.string()).describe('What the file names and is not here'),
    }),
    status: 201,
    summary: 'Make a decision type from the file of another workbench, or from a bundle: whole or not at all',
    description:
      'Ids stay where all of them are free here, else all are new; releases keep their numbers, digests and reasons, and what decided there decides here at once. A question that another type answers here stays with it. A bundle gives a type without examples, whose policy decides and cannot be trained.',
    takesIdempotencyKey: true,
    errors: ['conflict', 'quota_exceeded'],
  }),
  'policies.import': operation('POST', `${base}/:decision_type_id/policies/import`, {
    ...common,
    tag: 'Training',
    body: bundleFileSchema,
    fileForm: formOf(bundleFileSchema),
    output: releaseSchema,
    status: 201,
    summary:
      'Let a bundle decide: its policy with its rules, schema, thresholds, readings and fallback as a new release',
    description:
      'The type must have the options of the bundle. Everything else of the type stays, and the release before it can be brought back. The digest of the release is that of the one which the bundle was exported from.',
    hints: { ...replaces, idempotent: false },
    takesIdempotencyKey: true,
    guardsType: true,
    errors: ['conflict'],
  }),
};
