/** Makes an agent tool from operations of the table: its arguments, its answer and the notes on it. */
import { z } from 'zod';
import type { Place } from '../../engine/strict-json/json-body.ts';
import type { Caller } from '../auth/caller.ts';
import type { Hints, Operation } from '../contract/operation.ts';
import { type OperationName, type OutputOf, operations } from '../contract/operations.ts';

type Shape = Record<string, z.ZodType>;
type JsonSchema = Record<string, unknown>;

/** One call over HTTP, already authenticated, counted and checked for Host and Origin. */
export type McpCall = {
  caller: Caller;
  requestId: string;
  baseUrl: string;
  /** Places of the message whose whole numbers lose digits, or null. */
  lostDigits: readonly Place[] | null;
  /** Counts one tool call; throws `rate_limited` past the caller's limit. */
  countCall(): void;
};

type Progress = { percent: number; message: string };

export type Act = ReturnType<typeof toAct>;

export type Tool = {
  name: string;
  description: string;
  hints: Hints;
  inputSchema: JsonSchema;
  /** The acts by the argument `part`; a tool without it has one act, at ''. */
  acts: ReadonlyMap<string, Act>;
};

type ActDefinition<N extends OperationName> = {
  operation: N;
  /** Where the arguments are not simply the fields of the body. */
  body?: z.ZodObject;
  /** Fields that agents are not offered: settings for a person. */
  omit?: readonly string[];
  summarise(answer: OutputOf<N>): string;
  shorten?(answer: OutputOf<N>): unknown;
  follow?(answer: OutputOf<N>): Progress | null;
};
type Description = { name: string; description: string };

/** Seconds that a tool may wait: clients give up after a minute. */
const maxWaitSeconds = 50;
const waitArgument = {
  wait_seconds: z.int().min(0).max(maxWaitSeconds).default(20).describe('Waits so long for its end'),
};

/** The fields of an object's schema; none where the part of the request does not exist. */
const listFields = (schema: z.ZodType | undefined): Shape => (schema instanceof z.ZodObject ? schema.shape : {});

/** Makes an act of an operation: its arguments, how it is called and how its answer is shortened. */
export function toAct<const N extends OperationName>(definition: ActDefinition<N>) {
  const row: Operation = operations[definition.operation];
  const { shorten, follow, omit = [] } = definition;
  const fields = {
    ...listFields(row.params),
    ...listFields(row.query),
    ...listFields(definition.body ?? row.body),
    ...(follow === undefined ? {} : waitArgument),
  };
  return {
    operation: definition.operation,
    row,
    arguments: z.strictObject(fields),
    offered: Object.fromEntries(
      Object.entries(fields).filter(([name, field]) => !omit.includes(name) && field.meta()?.['aliasOf'] === undefined),
    ),
    /** Says what happened, what it cost, what to do next. */
    summarise: (answer: unknown): string => definition.summarise(answer as OutputOf<N>),
    /** Leaves out of the answer data that the agent has sent or can ask for. */
    shorten: (answer: unknown): unknown => (shorten === undefined ? answer : shorten(answer as OutputOf<N>)),
    /** How far the work is that the answer is about; null once it has ended. */
    follow: (answer: unknown): Progress | null => follow?.(answer as OutputOf<N>) ?? null,
  };
}

/** Makes a tool of a single act. */
export function toTool<const N extends OperationName>({
  name,
  description,
  ...definition
}: Description & ActDefinition<N>): Tool {
  const act = toAct(definition);
  const inputSchema = describeArguments(act.offered);
  return { name, description, hints: act.row.hints, inputSchema, acts: new Map([['', act]]) };
}

/** A tool of several operations on the same thing; its argument `part` says which. Their hints must be the same. */
export function toToolOfParts(description: Description, parts: Readonly<Record<string, Act>>): Tool {
  const acts = new Map(Object.entries(parts));
  const [first] = acts.values();
  if (first === undefined) throw new Error(`The tool ${description.name} has no part.`);
  const required = Object.keys(listFields(first.row.params));
  const fields: Shape = {};
  for (const act of acts.values()) {
    for (const [name, field] of Object.entries(act.offered)) {
      fields[name] ??= required.includes(name) ? field : field.optional();
    }
  }
  const part = z.enum([...acts.keys()] as [string, ...string[]]).describe('Which of them; see the description');
  const inputSchema = describeArguments({ part, ...fields });
  return { ...description, hints: first.row.hints, inputSchema, acts };
}

/** Keywords that agents pay for and do not need: a value that breaks one is refused in words. */
const unwritten =
  'pattern minLength maxLength minItems maxItems minProperties maxProperties uniqueItems not propertyNames examples'.split(
    ' ',
  );

/** Defaults that mean nothing is set, as JSON. */
const emptyValues: ReadonlySet<string | undefined> = new Set(['null', '""', '[]', '{}']);
/** Larger bounds are never met in practice, and smaller ones go without saying. */
const maxWrittenBound = 1_000;
const unwrittenMinima: ReadonlySet<unknown> = new Set([0, 1]);

/** Writes the arguments for agents, whose context holds the schemas of all tools. */
function describeArguments(fields: Shape): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(z.strictObject(fields), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      const written = jsonSchema as JsonSchema;
      for (const keyword of unwritten) delete written[keyword];
      if (Number(written['maximum']) > maxWrittenBound) delete written['maximum'];
      if (unwrittenMinima.has(written['minimum'])) delete written['minimum'];
      if (emptyValues.has(JSON.stringify(written['default']))) delete written['default'];
      if (path.length > 0) delete written['additionalProperties'];
      delete written['id'];
    },
  });
  return json;
}
