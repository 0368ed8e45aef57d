/** Second readings: who labelled an example when, blind second labels, and how far readers agree. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { orNull } from '../../../engine/json.ts';
import { dateTime, uuid } from '../common.ts';
import { creates, operation } from '../operation.ts';
import { exampleSchema, readerName } from './examples.ts';

const count = z.int();
const range = { value: z.number(), low: z.number(), high: z.number() };
const coefficient = z.object(range).nullable();
const common = { access: 'key', scope: 'read', tag: 'Labelling' } as const;
const base = '/api/v1/decision-types/:decision_type_id';

export const secondReadingOperations = {
  'second_readings.draw': operation('POST', `${base}/examples/second-readings`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      share: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .describe('Of the labelled examples, at random: as many as are missing until this share is read twice'),
      ids: z.array(uuid).min(1).max(1_000).optional().describe('These; those without a label are left out'),
    }),
    output: z.object({
      drawn: count.describe('Examples that were chosen now'),
      waiting: count.describe('Examples in the queue "second_reading"'),
      undo_token: z.string().describe('By which examples.undo takes back those that are not read yet'),
    }),
    status: 200,
    summary: 'Give labelled examples to a second reader, who does not see their labels; to the first one after a week',
    hints: creates,
  }),
  'second_readings.give': operation('PUT', `${base}/examples/:example_id/second-reading`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      expected_decision: z.string().nullable().describe('The label; null takes it back'),
      note: orNull(characters(0, 2_000), 'For people'),
      reader: readerName,
    }),
    output: exampleSchema.describe('With this label, and nothing of the first one'),
    status: 200,
    summary: 'Label an example of the queue "second_reading" again: the label stands beside the first one',
    errors: ['conflict'],
  }),
  'examples.labels': operation('GET', `${base}/examples/:example_id/labels`, {
    ...common,
    output: z.object({
      items: z.array(
        z.object({
          kind: z
            .enum(['label', 'second_reading', 'settled'])
            .describe('settled: one person has decided between two labels that differed'),
          before: z.string().nullable().describe('The label until then'),
          decision: z.string().nullable().describe('The label given; null: it was taken away'),
          reader: z.string().nullable().describe('Person, key or model; null where it is not known, as in a file'),
          suggested: z.string().nullable().describe('What was suggested to them; null for nothing'),
          note: z.string().nullable(),
          given_at: dateTime,
        }),
      ),
    }),
    summary: 'The labels that an example was given after the one it came with, newest first, 100 at most',
  }),
  'agreement.get': operation('GET', `${base}/agreement`, {
    ...common,
    output: z.object({
      drawn: count.describe('Examples chosen for a second reading'),
      waiting: count,
      conflicts: count.describe('Examples with two labels that differ, until one person decides'),
      settled: count,
      rows: count.describe('Examples with both labels'),
      agreed: count,
      share: coefficient.describe('Of agreed rows, with its 95% interval (Wilson); null without rows'),
      alpha: coefficient.describe(
        "Krippendorff's alpha: agreement beyond luck, 1 is always, 0 that of guesses; with a bootstrap's 95% interval",
      ),
      pairs: z.array(
        z.object({
          readers: z.array(z.string()).length(2),
          rows: count,
          agreed: count,
          kappa: coefficient.describe("Cohen's kappa with its 95% interval; null where only one label was given"),
        }),
      ),
      by_option: z
        .array(z.object({ option: z.string(), rows: count, agreed: count }))
        .describe('Rows where a reader gave the option, the least agreed first'),
      sentence: z.string(),
    }),
    summary: 'How far two readers agree: the most that any policy can be asked for',
  }),
};
