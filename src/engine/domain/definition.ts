/** The part of a decision type that decides: options, rules, lists, readings, schema and thresholds, as stored. */
import { z } from 'zod';
import { jsonObject, orNull } from '../json.ts';
import { limits } from '../limits.ts';
import { describeNameFault } from './names.ts';

/** A string of `minLength` to `maxLength` characters, counted in code points as JSON Schema counts them. */
export function characters(minLength: 0 | 1, maxLength: number) {
  return z
    .string()
    .min(minLength)
    .check(({ value, issues }) => {
      if (value.length > maxLength && [...value].length > maxLength) {
        issues.push({ code: 'too_big', origin: 'string', maximum: maxLength, inclusive: true, input: value });
      }
    })
    .meta({ maxLength });
}

export const ruleSchema = z
  .strictObject({
    name: characters(1, limits.maxNameLength).describe('Shown in answers and log'),
    condition: characters(1, limits.maxConditionBytes).describe('A CEL expression over `ctx`, the input'),
    then: z.string().min(1).describe('One of the options'),
    reason_code: orNull(z.string(), 'One of the reason codes'),
    priority: z.int().min(1).default(100).describe('Lower numbers are evaluated first'),
    hint: z.boolean().optional().describe('Teaches, decides nothing'),
  })
  .meta({ id: 'Rule' });
/** One rule: where `condition` holds, `then` decides, lowest `priority` first; a hint is a weak label instead. */
export type Rule = z.infer<typeof ruleSchema>;

const confidenceSchema = z.number().min(0).max(1);
export const confidenceThresholdsSchema = z
  .strictObject({
    auto_decide: confidenceSchema.describe('Confidence from which the classifier decides alone'),
    escalation: confidenceSchema.describe('Confidence below which the decision is handed on'),
    by_option: z
      .record(z.string(), confidenceSchema)
      .refine((own) => Object.keys(own).length > 0, { message: 'must name an option, or be left out' })
      .meta({ minProperties: 1 })
      .optional()
      .describe('A higher `auto_decide` of single options'),
  })
  .refine((t) => t.escalation <= t.auto_decide, { message: 'escalation must not exceed auto_decide' })
  .describe('The confidences that separate deciding alone, a look and handing on');
/** From `auto_decide`, or an option's higher own, decided directly; below `escalation` the fallback decides. */
export type ConfidenceThresholds = z.infer<typeof confidenceThresholdsSchema>;
export const defaultThresholds: ConfidenceThresholds = { auto_decide: 0.85, escalation: 0.6 };

export const escalationPolicySchema = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether a connected model is asked below the thresholds'),
    between: z
      .enum(['flag', 'accept', 'fallback', 'escalate'])
      .default('flag')
      .describe('What becomes of a confidence between the thresholds'),
    connection: orNull(z.string(), 'Name of the model connection that is asked'),
    timeout_ms: z.int().min(100).max(60_000).default(10_000).describe('Wait for the connected model'),
    unfamiliar: z.enum(['escalate', 'ignore']).default('escalate').describe('What becomes of unfamiliar inputs'),
  })
  .describe('What happens to decisions of low confidence');
/** The handling of low-confidence decisions; `enabled` means that a connected model may be asked. */
export type EscalationPolicy = z.infer<typeof escalationPolicySchema>;

const areDistinct = (values: readonly string[]) => new Set(values).size === values.length;
/** A name that a person chooses: not only blanks, and without signs that nobody sees. */
export const nameText = (maxLength: number) =>
  characters(1, maxLength)
    .regex(/[^ \t\n\r]/, 'must not be blank')
    .check(({ value, issues }) => {
      const message = describeNameFault(value);
      if (message !== null) issues.push({ code: 'custom', message, input: value });
    });

/** An option is a key of `class_probabilities` and of counts; keys are never `__proto__`. */
const toOption = (name: z.ZodString) =>
  name
    .refine((option) => option !== '__proto__', { message: 'an option may not be "__proto__"' })
    .meta({ not: { const: '__proto__' } });
const toOptions = (option: z.ZodString) =>
  z
    .array(option)
    .min(limits.minOptions)
    .max(limits.maxOptions)
    .refine(areDistinct, { message: 'options must be distinct' })
    .meta({ uniqueItems: true });
const toReasonCodes = (code: z.ZodString) =>
  z
    .array(code)
    .max(limits.maxReasonCodes)
    .refine(areDistinct, { message: 'reason codes must be distinct' })
    .meta({ uniqueItems: true });

/** Options and reason codes as they are stored and packed, which may be from before blank ones were refused. */
export const optionsSchema = toOptions(toOption(characters(1, limits.maxNameLength)));
export const reasonCodesSchema = toReasonCodes(characters(1, limits.maxNameLength));
/** Options and reason codes as a person enters them: none is blank. */
export const optionInputSchema = toOption(nameText(limits.maxNameLength));
export const optionsInputSchema = toOptions(optionInputSchema);
export const reasonCodesInputSchema = toReasonCodes(nameText(limits.maxNameLength));

/** Words of the rules language, and the one key that no JSON object can hold safely. */
const takenListNames = ['in', 'true', 'false', 'null', '__proto__'];
const listValue = z.union([
  characters(0, limits.maxNameLength).refine((text) => text.isWellFormed() && !text.includes('\0'), {
    error: 'must not hold NUL or half a surrogate pair',
  }),
  z.number(),
  z.boolean(),
]);
const listNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'a list is named by up to 64 letters, digits and _, no digit first')
  .refine((name) => !takenListNames.includes(name), { error: 'this word cannot name a list' });
export const namedListsSchema = z
  .record(listNameSchema, z.array(listValue).min(1).max(limits.maxListValues))
  .refine((lists) => Object.keys(lists).length <= limits.maxLists, { error: `at most ${limits.maxLists} lists` })
  .meta({ maxProperties: limits.maxLists })
  .describe('Values that conditions name: `… in lists.eu`');
/** Lists of values by name, which conditions of a type's rules refer to. */
export type NamedLists = z.infer<typeof namedListsSchema>;

const wordsSchema = z.array(characters(1, 60)).max(40);
const textBecomes = 'What a text becomes';
const missingWordsSchema = wordsSchema
  .optional()
  .describe('Words that say there is no value; left out: the usual ones');
/** How the texts of one field are read where they are not of its kind already. */
export const readingSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('number').describe(textBecomes),
      decimal: z.enum(['.', ',']).describe('The sign before the decimals'),
      unit: characters(0, 20)
        .optional()
        .describe('The only unit that a text may have, as it is written: € or %; left out: any'),
      missing: missingWordsSchema,
    }),
    z.strictObject({
      kind: z.literal('date').describe(textBecomes),
      order: z
        .enum(['day_first', 'month_first', 'year_first', 'month_only'])
        .describe('ISO 8601 is read in any order; month_only: months of years, each as its first day'),
      last_year: z
        .int()
        .min(1099)
        .max(9999)
        .optional()
        .describe('The last year that two digits mean, 1999 of 1900 to 1999; left out: 2068'),
      missing: missingWordsSchema,
    }),
    z.strictObject({
      kind: z.literal('boolean').describe(textBecomes),
      yes: wordsSchema.optional().describe('Words for true, beside true; left out: the usual ones'),
      no: wordsSchema.optional().describe('Words for false, likewise'),
      missing: missingWordsSchema,
    }),
    z.strictObject({
      kind: z.literal('list').describe(textBecomes),
      separator: z.enum([';', '|', ',']).describe('What stands between the texts of the list'),
      missing: missingWordsSchema,
    }),
    z.strictObject({ kind: z.literal('text').describe(textBecomes), missing: missingWordsSchema }),
  ])
  .meta({ id: 'Reading' });
export type Reading = z.infer<typeof readingSchema>;

export const readingsSchema = z
  .record(
    characters(1, limits.maxReadingNameLength).refine((name) => !name.split('.').includes('__proto__'), {
      error: 'this name is not allowed',
    }),
    readingSchema,
  )
  .refine((readings) => JSON.stringify(readings).length <= limits.maxReadingsCharacters, {
    error: `take more than ${limits.maxReadingsCharacters} characters in all`,
  })
  .describe('How texts of fields, by dot paths, become numbers, dates, lists, yes or no: as in their file');
/** The readings of a type's fields, by the names of the columns that they were: dots nest. */
export type Readings = z.infer<typeof readingsSchema>;

/** The part of a decision type that decides; a change of it makes a new immutable version. */
export const definitionSchema = z.strictObject({
  options: optionsSchema,
  reason_codes: reasonCodesSchema,
  hard_rules: z.array(ruleSchema).max(limits.maxRules),
  lists: namedListsSchema.default({}),
  readings: readingsSchema.default({}),
  input_schema: jsonObject.nullable(),
  confidence_thresholds: confidenceThresholdsSchema,
  escalation_policy: escalationPolicySchema,
});
export type Definition = z.infer<typeof definitionSchema>;
