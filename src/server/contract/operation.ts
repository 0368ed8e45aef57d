/**
 * The shape of the one operation table. Routes, validation, OpenAPI, agent tools and the typed client of the
 * renderer are all made from it. Pure data: nothing here may import Node or the server.
 */
import type { ZodType, z } from 'zod';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: anybody (`public`), an API key or a session (`key`), a session (`jwt`), the owner's session (`owner`).
 */
export type Access = 'public' | 'key' | 'jwt' | 'owner';

/** Who may call, in words. */
export const callersByAccess: Readonly<Record<Access, string>> = {
  public: 'anybody',
  key: 'API key or session',
  jwt: 'session, no API key',
  owner: 'session of the owner, no API key',
};

/** What agents are told of an operation; `openWorld`: a connected model may be asked. */
export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld?: true };

export type Operation = {
  readonly method: Method;
  /** Fastify notation: `/api/v1/decision-types/:decision_type_id`. */
  readonly path: string;
  readonly params?: ZodType;
  /** Declared with JSON types (`z.int()`, `z.boolean()`); the border reads the strings of the address exactly. */
  readonly query?: ZodType;
  readonly body?: ZodType;
  /** True when the body may be left out. */
  readonly bodyOptional?: boolean;
  /** null: no body (204), or a download described by `produces`. */
  readonly output: ZodType | null;
  /** Content type of an answer that is not JSON. */
  readonly produces?: string;
  readonly status: number;
  readonly access: Access;
  readonly summary: string;
  readonly hints: Hints;
  readonly bodyLimitBytes?: number;
  /** True when a call may carry an Idempotency-Key, so that a second one does nothing and is given the same answer. */
  readonly takesIdempotencyKey?: true;
  readonly tag: string;
  /** Errors of this operation beside those that every operation of its kind may answer (`listErrors`). */
  readonly errors?: readonly ErrorCode[];
};

export const reads: Hints = { readOnly: true, destructive: false, idempotent: true };
export const creates: Hints = { readOnly: false, destructive: false, idempotent: false };
export const updates: Hints = { readOnly: false, destructive: false, idempotent: true };
export const destroys: Hints = { readOnly: false, destructive: true, idempotent: true };
/** What was there before decides no more, although it is kept and can be brought back. */
export const replaces: Hints = { readOnly: false, destructive: true, idempotent: true };

/** Keeps the literal types of one row while checking its shape. */
export function operation<const O extends Operation>(row: O): O {
  return row;
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

/** What a handler is given, after validation. */
export type ParsedRequest<O extends Operation> = {
  params: OutputOfSchema<Field<O, 'params', null>, Record<string, never>>;
  query: OutputOfSchema<Field<O, 'query', null>, Record<string, never>>;
  body: OutputOfSchema<Field<O, 'body', null>, undefined>;
};

/** What a client passes; keys that the operation does not know are `never`. */
export type CallInput<O extends Operation> = {
  [K in 'params' | 'query' | 'body' as O extends { readonly [P in K]: ZodType } ? K : never]: O extends {
    readonly [P in K]: infer S;
  }
    ? InputOfSchema<S, never>
    : never;
};

/** What a client gets back (and what a handler returns): null where there is no JSON body. */
export type CallOutput<O extends Operation> = O['output'] extends ZodType ? z.output<O['output']> : null;
