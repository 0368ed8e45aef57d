/** Pieces that several operations share. */
import { z } from 'zod';
import { orNull } from '../../engine/json.ts';

/** Written in lower case; read in either (RFC 9562). */
export const uuid = z.uuid().toLowerCase();
/** Why somebody releases what decides. */
export const releaseReason = orNull(z.string().trim().min(1).max(500), 'Why, for the history');
export const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 date and time, UTC' });

export const pageQuery = {
  /** Bounded, so that the place of a row stays an exact number. */
  page: z.int().min(1).max(1_000_000_000).default(1).describe('Page of the list, from 1'),
  page_size: z.int().min(1).max(100).default(20).describe('Items on a page'),
};

/** A second name of the field `of`: accepted, and left out of the document and of what agents are offered. */
export function aliasOf<S extends z.ZodType>(of: string, schema: S) {
  return schema.optional().meta({ description: `The same as ${of}`, aliasOf: of });
}

/** A value that stands in an address as JSON. */
export function jsonText<S extends z.ZodType>(schema: S) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.issues.push({ code: 'custom', message: 'must be JSON', input: text });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The pagination envelope around one kind of item. */
export function paginated<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    total: z.int().describe('Items on all pages'),
    page: z.int(),
    page_size: z.int(),
    pages: z.int(),
  });
}

/** How far an analysis is that takes longer than a call waits. */
export const analysisStateShape = {
  state: z.enum(['ready', 'computing']).describe('computing: ask again; what is answered is the last known result'),
  stale: z.boolean().describe('Examples, options or policy changed after the answer was computed'),
  computed_at: dateTime.nullable().describe('null: nothing is known yet'),
  progress: z.number().min(0).max(1).nullable().describe('How far the computation is; null where none is under way'),
};

export const errorEnvelopeSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.array(z.unknown()).optional() }),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>;
