/** The example as one table of fields: its rows, its SQL, archive, export and merging follow from it by name. */
import { z } from 'zod';
import { characters } from '../domain/definition.ts';
import { byName } from '../domain/records.ts';
import { jsonObject } from '../json.ts';
import { limits } from '../limits.ts';

type Field = {
  column: string;
  /** How the column holds it: as it is, as 0 or 1, as JSON, or as milliseconds since 1970. */
  kind: 'plain' | 'flag' | 'json' | 'time';
  /** Its value in a new example of which nothing else is said. */
  initial?: unknown;
  /** Its name in answers, archives and exports where that is not the column's. */
  wire?: string;
  /** The meaning of a flag, which answers then show. */
  shown?: string;
  /** The effect of a flag, which then may come with a new example. */
  given?: string;
  /** The noun for an example with this flag, which a generated one cannot be. */
  notGenerated?: string;
  /**
   * How a file that comes back changes it, of fields that can change at all: with a label that is taken; where nobody
   * has changed the example here since; or by a rule of its own.
   */
  merges?: 'with_label' | 'untouched' | 'apart';
};

const flag = { kind: 'flag', initial: false } as const;

export const exampleFields = {
  id: { column: 'id', kind: 'plain' },
  decisionTypeId: { column: 'decision_type_id', kind: 'plain' },
  input: { column: 'input', kind: 'json', wire: 'input_payload', merges: 'apart' },
  /** The label, or null while there is none. */
  decision: {
    column: 'decision',
    kind: 'plain',
    initial: null,
    wire: 'expected_decision',
    merges: 'with_label',
  },
  /** The label that it is measured by where that is another one, else null. */
  firstDecision: { column: 'first_decision', kind: 'plain', initial: null },
  reasonCodes: {
    column: 'reason_codes',
    kind: 'json',
    initial: [],
    merges: 'with_label',
  },
  source: { column: 'source', kind: 'plain', initial: 'user' },
  reviewed: {
    ...flag,
    column: 'reviewed',
    shown: 'Whether a person has confirmed the label',
    merges: 'with_label',
  },
  /** Whether it is a test row: policies are measured on it and never learn from it. */
  test: {
    ...flag,
    column: 'test',
    shown: 'Measured on, never learned from',
    given: 'Policies are measured on test rows and never learn from them',
    notGenerated: 'test row',
    merges: 'untouched',
  },
  /** Whether its decision must hold: every policy is tried on it, and none learns from it or is measured on it. */
  must: {
    ...flag,
    column: 'must',
    shown: 'A pinned case: its decision must hold',
    given: 'Its decision must hold: every policy is tried on it, and none learns from it or is measured on it',
    notGenerated: 'pinned case',
    merges: 'untouched',
  },
  /** The decision of a person to put it aside, or that somebody else should look at it. */
  mark: {
    column: 'mark',
    kind: 'plain',
    initial: null,
    merges: 'with_label',
  },
  note: { column: 'note', kind: 'plain', initial: null, merges: 'apart' },
  /** Whether a teacher gave the label that it has now. */
  byTeacher: { ...flag, column: 'by_teacher', merges: 'with_label' },
  /** Id of the log record whose correction made the example, or null. */
  logId: { column: 'log_id', kind: 'plain', initial: null },
  /** Whether it is a live decision that was drawn to be judged blind. */
  audited: {
    ...flag,
    column: 'audited',
    shown: 'A live decision that was drawn by the audit to be judged blind',
  },
  createdAt: { column: 'created_at', kind: 'time' },
  updatedAt: { column: 'updated_at', kind: 'time' },
} as const satisfies Record<string, Field>;

type Fields = typeof exampleFields;
export type FieldName = keyof Fields;

/** The fields whose rows of the table have a form. */
export type FieldsOf<Form> = { [Name in FieldName]: Fields[Name] extends Form ? Name : never }[FieldName];

function listFields<Form>(isMeant: (field: Field) => boolean): Extract<FieldsOf<Form>, FieldName>[] {
  const isField = (each: string): each is FieldName => Object.hasOwn(exampleFields, each);
  return Object.keys(exampleFields)
    .filter(isField)
    .filter((each): each is Extract<FieldsOf<Form>, FieldName> => isMeant(exampleFields[each]));
}

export const fieldNames = listFields<unknown>(() => true);
export const flags = listFields<{ kind: 'flag' }>(({ kind }) => kind === 'flag');
const nameSchema = characters(1, limits.maxNameLength);
/** The values that each field may hold: apart from the table, as the page needs that alone. */
export const exampleShape = {
  id: z.uuid(),
  decisionTypeId: z.uuid(),
  input: jsonObject,
  decision: nameSchema.nullable(),
  firstDecision: nameSchema.nullable(),
  reasonCodes: z.array(nameSchema).max(limits.maxReasonCodesPerExample),
  source: z.literal(['user', 'synthetic']),
  mark: z.literal(['skipped', 'flagged']).nullable(),
  note: characters(0, 2_000).nullable(),
  logId: z.uuid().nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
  ...byName(flags, () => z.boolean()),
} as const satisfies Record<FieldName, z.ZodType>;

export type ExampleRecord = { [Name in FieldName]: z.output<(typeof exampleShape)[Name]> };

export const jsonFields = listFields<{ kind: 'json' }>(({ kind }) => kind === 'json');
type FieldWithInitial = FieldsOf<{ initial: unknown }>;
/** A new example as far as nothing is said of it. */
export const initialExample = Object.fromEntries(
  listFields<{ initial: unknown }>(({ initial }) => initial !== undefined).map((each): [string, unknown] => [
    each,
    exampleFields[each].initial,
  ]),
) as Pick<ExampleRecord, FieldWithInitial>;
/** The fields that can change after an example was made, but the time of that. */
export const mergedFields = listFields<{ merges: string }>(({ merges }) => merges !== undefined);
export const fieldsOfLabel = listFields<{ merges: 'with_label' }>(({ merges }) => merges === 'with_label');
export const fieldsOfUntouched = listFields<{ merges: 'untouched' }>(({ merges }) => merges === 'untouched');
/** The flags that answers show, those of them that a person sets, and those that may come with a new example. */
export const shownFlags = listFields<{ shown: string }>(({ shown }) => shown !== undefined);
export const setFlags = listFields<{ shown: string; merges: string }>(
  ({ shown, merges }) => shown !== undefined && merges !== undefined,
);
export const givenFlags = listFields<{ given: string }>(({ given }) => given !== undefined);
/** The flags that a generated example cannot have. */
export const flagsOfOwn = listFields<{ notGenerated: string }>(({ notGenerated }) => notGenerated !== undefined);

/** The name of a field in answers, archives and exports. */
export const toWireName = (field: Field): string => field.wire ?? field.column;
