import { type InputOf, type OperationName, type OutputOf, operations } from './operations.ts';

/** A refusal of the server: the envelope's code, message and details, with the HTTP status (0: not reached). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: readonly unknown[];
  constructor(code: string, message: string, status: number, details: readonly unknown[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;
type ClientOptions = {
  baseUrl: string;
  fetch: Fetch;
  token(): string | null;
  /** Makes the id of a call; events name their calls by it. */
  newRequestId(): string;
  onUnauthorized(): void;
  /** Hears of every call whether the server answered, and after how many milliseconds. */
  onAnswer?(reached: boolean, elapsedMs: number): void;
};
type AnyInput = {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  form?: FormData;
  idempotencyKey?: string;
  ifMatch?: string;
};
type AnyOperation = { method: string; path: string };

export type Client = {
  /** Calls an operation by name; rejects with an ApiError. */
  call<N extends OperationName>(name: N, input: InputOf<N>, signal?: AbortSignal): Promise<OutputOf<N>>;
  /** The same with a file, as the form of the operation. */
  upload<N extends OperationName>(
    name: N,
    input: Omit<InputOf<N>, 'body'>,
    form: FormData,
    signal?: AbortSignal,
  ): Promise<OutputOf<N>>;
  /** The same for an answer that goes on as long as it is listened to. */
  listen<N extends OperationName>(name: N, input: InputOf<N>, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  download<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    signal?: AbortSignal,
  ): Promise<{ blob: Blob; fileName: string | null }>;
};

/** Makes the typed client of the operation table, which alone states paths, methods and shapes. */
export function createClient(options: ClientOptions): Client {
  const send = async (name: OperationName, input: AnyInput, signal?: AbortSignal): Promise<Response> => {
    const operation: AnyOperation = operations[name];
    const headers: Record<string, string> = { 'x-request-id': options.newRequestId() };
    const token = options.token();
    if (token !== null) headers.authorization = `Bearer ${token}`;
    const init: RequestInit = { method: operation.method, headers };
    if (signal) init.signal = signal;
    if (input.idempotencyKey !== undefined) headers['idempotency-key'] = input.idempotencyKey;
    if (input.ifMatch !== undefined) headers['if-match'] = input.ifMatch;
    if (input.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(input.body);
    }
    if (input.form !== undefined) init.body = input.form;
    const startedMs = performance.now();
    const response = await options.fetch(options.baseUrl + toAddress(operation.path, input), init).catch((cause) => {
      if (signal?.aborted) throw cause;
      options.onAnswer?.(false, performance.now() - startedMs);
      throw new ApiError('unreachable', 'The workbench server does not answer. Is it still running?', 0, [], { cause });
    });
    options.onAnswer?.(true, performance.now() - startedMs);
    if (response.ok) return response;
    if (response.status === 401) options.onUnauthorized();
    throw await readError(response);
  };
  return {
    call: async <N extends OperationName>(name: N, input: InputOf<N>, signal?: AbortSignal) => {
      const response = await send(name, input as AnyInput, signal);
      const body: unknown = response.status === 204 ? null : await response.json();
      return body as OutputOf<N>; // the server serialises by the very schema the type is inferred from
    },
    upload: async <N extends OperationName>(
      name: N,
      input: Omit<InputOf<N>, 'body'>,
      form: FormData,
      signal?: AbortSignal,
    ) => {
      const response = await send(name, { ...input, form }, signal);
      return (await response.json()) as OutputOf<N>;
    },
    listen: async (name, input, signal) => {
      const { body } = await send(name, input as AnyInput, signal);
      if (body === null) throw new ApiError('unreadable', 'The server answered without a stream.', 0);
      return body;
    },
    download: async (name, input, signal) => {
      const response = await send(name, input as AnyInput, signal);
      const disposition = response.headers.get('content-disposition') ?? '';
      return { blob: await response.blob(), fileName: /filename="([^"]+)"/.exec(disposition)?.[1] ?? null };
    },
  };
}

function toAddress(path: string, input: AnyInput): string {
  const filled = path.replace(/:([a-z_]+)/gi, (_whole, key: string) => encodeURIComponent(String(input.params?.[key])));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(key, String(value));
  }
  const text = query.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; details?: unknown[] } };
    return new ApiError(error.code, error.message, response.status, error.details ?? []);
  } catch (cause) {
    return new ApiError(
      'unreadable',
      `The server answered ${response.status} without an explanation.`,
      response.status,
      [],
      {
        cause,
      },
    );
  }
}

/** One finding of a refusal as a sentence: the place in front, when it has one. */
export function describeDetail(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (typeof detail !== 'object' || detail === null) return JSON.stringify(detail);
  const { loc, msg } = detail as { loc?: unknown; msg?: unknown };
  if (typeof msg !== 'string') return JSON.stringify(detail);
  const place = Array.isArray(loc)
    ? loc
        .filter((part) => part !== 'body')
        .map(String)
        .join(' › ')
    : '';
  return place === '' ? msg : `${place}: ${msg}`;
}
