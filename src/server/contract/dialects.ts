/** Errors in the formats of decision models: each has its own shape, and statuses that its clients know. */
import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';
import type { Dialect } from './operation.ts';

const problem = z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() });

/** The body of an error by its format. */
export const dialectErrorSchemas = {
  systemone: z
    .object({ detail: z.union([z.array(problem), z.object({ error_type: z.string(), message: z.string() })]) })
    .meta({ id: 'SystemoneError' }),
  decisions: z
    .object({
      error: z.object({
        message: z.string(),
        type: z.string(),
        param: z.string().nullable(),
        code: z.string().nullable(),
      }),
    })
    .meta({ id: 'DecisionsError' }),
} satisfies Record<Dialect, z.ZodType>;
export type SystemoneError = z.infer<typeof dialectErrorSchemas.systemone>;
export type DecisionsError = z.infer<typeof dialectErrorSchemas.decisions>;

/** The errors that say that `model` names nothing that decides. */
export const modelErrors: ReadonlySet<ErrorCode> = new Set([
  'decision_type_not_found',
  'not_found',
  'model_not_deployed',
]);

/** The status of an error in a format, or with null in the workbench's own. */
export function toStatus(dialect: Dialect | null, code: ErrorCode): number {
  if (dialect !== null && modelErrors.has(code)) return dialect === 'systemone' ? 400 : 404;
  if (dialect === 'decisions' && code === 'validation_error') return 400;
  return errorTable[code].status;
}
