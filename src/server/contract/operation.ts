/** The shape of the one operation table, of which all else is made. Pure data: without Node and server. */
import { type ZodType, z } from 'zod';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';
import { uuid } from './common.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: anybody, an API key or a session (`key`), a session (`jwt`), the owner's session. */
export type Access = 'public' | 'key' | 'jwt' | 'owner';

/**
 * Scopes of a key: `deploy` changes decisions, `train` makes types and policies, `label` changes examples, `logs`
 * brings decisions that were made elsewhere.
 */
export const scopes = ['decide', 'read', 'label', 'train', 'deploy', 'export', 'logs'] as const;
export type Scope = (typeof scopes)[number];

/** Who may call an operation, in words for the documents. */
export function describeCallers({ access, scope }: Operation): string {
  switch (access) {
    case 'public':
      return 'anybody';
    case 'key':
      return `API key (scope \`${scope}\`) or session`;
    case 'jwt':
      return 'session, no API key';
    case 'owner':
      return 'session of the owner, no API key';
  }
}

export type Dialect = 'systemone' | 'decisions';

/** Hints for agents about an operation; `openWorld`: a connected model may be asked. */
export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld?: true };

type Row = {
  readonly method: Method;
  readonly path: string;
  readonly params?: ZodType;
  /** Declared with JSON types (`z.int()`, `z.boolean()`); the border reads the strings of the address exactly. */
  readonly query?: ZodType;
  readonly body?: ZodType;
  readonly bodyOptional?: boolean;
  /** null: no body (204), or a download described by `produces`. */
  readonly output: ZodType | null;
  /** Content type of an answer that is not JSON. */
  readonly produces?: string;
  readonly status: number;
  readonly summary: string;
  /** Details beyond the summary, the schemas and the flags. */
  readonly description?: string;
  readonly hints: Hints;
  readonly bodyLimitBytes?: number;
  /** The body as multipart/form-data, where it may be a form with a file. */
  readonly fileForm?: ZodType;
  /** Bytes of a form that is written to a file while it comes, and not kept in memory. */
  readonly spillsUpToBytes?: number;
  /** True when a call may carry an Idempotency-Key, so that a second one does nothing and is given the same answer. */
  readonly takesIdempotencyKey?: true;
  /** True when the answer has an ETag: it may be asked for by HEAD, and by If-None-Match. */
  readonly sendsETag?: true;
  /** True where the answer names the state of its decision type by an ETag, with which If-Match is compared: 412. */
  readonly guardsType?: true;
  /** True of operations that decide: they read bodies by `readDecideRequest`, and wait for nobody. */
  readonly decides?: true;
  /** The foreign format that the operation speaks: its errors have that format's shape. */
  readonly dialect?: Dialect;
  readonly takesZstd?: true;
  /** True when the answer holds nothing of the type's examples: a call need not wait for added ones. */
  readonly ignoresExamples?: true;
  readonly tag: string;
  /** Errors of this operation beside those that every operation of its kind may answer (`listErrors`). */
  readonly errors?: readonly ErrorCode[];
};

/** An API key needs the scope of an operation that keys may call; elsewhere it says nothing. */
export type Operation = Row &
  (
    | { readonly access: 'key'; readonly scope: Scope }
    | { readonly access: Exclude<Access, 'key'>; readonly scope?: Scope }
  );

export const reads: Hints = { readOnly: true, destructive: false, idempotent: true };
export const creates: Hints = { readOnly: false, destructive: false, idempotent: false };
export const updates: Hints = { readOnly: false, destructive: false, idempotent: true };
export const destroys: Hints = { readOnly: false, destructive: true, idempotent: true };
/** The former one no longer decides, although it is kept and can be brought back. */
export const replaces: Hints = { readOnly: false, destructive: true, idempotent: true };

const hintsByMethod: Readonly<Record<Method, Hints>> = {
  GET: reads,
  POST: creates,
  PUT: updates,
  PATCH: updates,
  DELETE: destroys,
};

const pathIds: Readonly<Record<string, string>> = {
  decision_type_id: 'Id of the decision type',
  policy_id: 'Id of the policy',
  version_id: 'Id of the version',
  question_id: 'Id of the question',
  example_id: 'Id of the example',
  import_id: 'Id of the import',
  log_id: 'Id of the log record',
};

type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type PathIds<Path extends string> = z.ZodObject<Record<PathNames<Path>, typeof uuid>, z.core.$strict>;
type Derived = Pick<Row, 'method' | 'path' | 'params' | 'status' | 'hints'>;
type Stated = OmitEach<Operation, keyof Derived> & Partial<Pick<Row, 'params' | 'status' | 'hints'>>;
type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The parameters of a path, all of which are ids; nothing for a path without any. */
function toPathIds(path: string): Pick<Row, 'params'> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  const toField = (name: string) => (pathIds[name] === undefined ? uuid : uuid.describe(pathIds[name]));
  return { params: z.strictObject(Object.fromEntries(names.map((name) => [name, toField(name)]))) };
}

/** Makes a row with its literal types; status, hints and path ids follow from the rest where left out. */
export function operation<const M extends Method, const Path extends string, const O extends Stated>(
  method: M,
  path: Path,
  row: O,
) {
  const status = row.output === null && row.produces === undefined ? 204 : 200;
  type Ids = [PathNames<Path>] extends [never]
    ? unknown
    : O extends { params: ZodType }
      ? unknown
      : { params: PathIds<Path> };
  const made: Derived & O = { method, path, status, hints: hintsByMethod[method], ...toPathIds(path), ...row };
  return made as O & Pick<Row, 'status' | 'hints'> & { method: M; path: Path } & Ids;
}

/** The HTTP methods of an operation: HEAD, too, where it sends an ETag, or where a balancer of load may ask. */
export function listMethods({ method, sendsETag, access }: Operation): string[] {
  return sendsETag || (access === 'public' && method === 'GET') ? [method, 'HEAD'] : [method];
}

/** The path as OpenAPI writes it: `{id}` for `:id`. */
export function toOpenApiPath({ path }: Operation): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** Every error code that an operation may answer, by its kind and by its own row, in the order of their statuses. */
export function listErrors(row: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['bad_request', 'forbidden', 'unsupported_media_type', 'validation_error']);
  if (row.access !== 'public') codes.add('unauthorized');
  if (row.method !== 'GET') codes.add('payload_too_large');
  if (row.takesIdempotencyKey) codes.add('conflict');
  if (row.guardsType && row.method !== 'GET') codes.add('precondition_failed');
  if (row.path.includes(':decision_type_id')) codes.add('decision_type_not_found');
  // An operation on one thing of a decision type: `/examples/:example_id`, `/policies/:policy_id/deploy`.
  if (/:(?!decision_type_id)/.test(row.path)) codes.add('not_found');
  for (const code of row.errors ?? []) codes.add(code);
  for (const code of ['rate_limited', 'internal_error', 'unavailable'] as const) codes.add(code);
  return [...codes].sort((a, b) => errorTable[a].status - errorTable[b].status);
}

type Field<O, K extends string, D> = O extends { readonly [P in K]: infer S } ? (S extends ZodType ? S : D) : D;
type OutputOfSchema<S, D> = S extends ZodType ? z.output<S> : D;
type InputOfSchema<S, D> = S extends ZodType ? z.input<S> : D;

export type ParsedRequest<O extends Operation> = {
  params: OutputOfSchema<Field<O, 'params', null>, Record<string, never>>;
  query: OutputOfSchema<Field<O, 'query', null>, Record<string, never>>;
  body: OutputOfSchema<Field<O, 'body', null>, undefined>;
};

/** The input that a client passes; keys that the operation does not know are `never`. */
export type CallInput<O extends Operation> = {
  [K in 'params' | 'query' | 'body' as O extends { readonly [P in K]: ZodType } ? K : never]: O extends {
    readonly [P in K]: infer S;
  }
    ? InputOfSchema<S, never>
    : never;
} & (O extends { readonly takesIdempotencyKey: true } ? { idempotencyKey?: string } : unknown) &
  (O extends { readonly guardsType: true } ? { ifMatch?: string } : unknown);

/** The answer that a client gets and a handler returns: null where there is no JSON body. */
export type CallOutput<O extends Operation> = O['output'] extends ZodType ? z.output<O['output']> : null;
