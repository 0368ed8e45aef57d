/** Questions to an OpenAI-compatible endpoint, answered in JSON: bounded in time and size, not redirected, retried. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import { type AddressPolicy, checkedLookup, findAddressProblem } from './address.ts';

export type Endpoint = AddressPolicy & { model: string; apiKey: string | null };
export type Question = {
  system: string;
  user: string;
  schema: Record<string, unknown>;
  schemaName: string;
  temperature: number;
  maxTokens: number;
};
export type ChatOptions = { timeoutMs: number; retries?: number; signal: AbortSignal };

const limits = { responseKib: 256, retries: 2, backoffMs: 500 } as const;

/** Characters counted as a token where the endpoint does not report usage. */
const bytesPerToken = 4;
const maxPromptTokens = 1_000_000;

/** A failure that another try may cure (`isRetryable`), or not. The message never holds the request or the key. */
class ChatError extends Error {
  readonly isRetryable: boolean;
  readonly status: number | null;
  constructor(message: string, isRetryable: boolean, status: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.isRetryable = isRetryable;
    this.status = status;
  }
}

/** The block of data in a question: no string in it can end the block, as "<" is written as an escape. */
export function writeData(data: object, maxLength = Number.POSITIVE_INFINITY): string {
  const shorten = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
  return `<data>${JSON.stringify(data, shorten).replaceAll('<', '\\u003c')}</data>`;
}

/** JSON Schema of an object with all of these fields and no others. */
export const toObjectSchema = (properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/** JSON Schema of a list of these texts; of any texts where there are none. */
export const toListSchema = (texts: readonly string[]) => ({
  type: 'array',
  items: texts.length > 0 ? { type: 'string', enum: texts } : { type: 'string' },
});

/**
 * Asks once and, where it may help, again, up to `options.retries` (2). `accept` throws a sentence about a wrong
 * answer; `tokens` counts every answered try. Rejects with `unavailable`.
 */
export async function askChat<T>(
  endpoint: Endpoint,
  question: Question,
  accept: (value: unknown) => T,
  options: ChatOptions,
): Promise<{ value: T; tokens: number }> {
  const retries = options.retries ?? limits.retries;
  let tokens = 0;
  let structured = true;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await askOnce(endpoint, question, structured, options);
      tokens += answer.tokens;
      return { value: readAnswer(accept, answer.content), tokens };
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      // An endpoint that does not know structured output is asked in words alone.
      const unstructured: boolean = structured && (error.status === 400 || error.status === 422);
      structured &&= !unstructured;
      if (attempt >= retries || !(error.isRetryable || unstructured) || options.signal.aborted) {
        throw new WorkbenchError('unavailable', `The model could not be asked. ${error.message}`, undefined, {
          cause: error,
        });
      }
      if (!unstructured) await pause(limits.backoffMs * 2 ** attempt * (0.5 + Math.random()), options.signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function readAnswer<T>(accept: (value: unknown) => T, content: string): T {
  // Some models wrap their answer in words or a code fence.
  const start = content.indexOf('{');
  const end = content.lastIndexOf('}');
  try {
    return accept(readJsonBody(Buffer.from(start < 0 ? content : content.slice(start, end + 1))));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.slice(0, 200) : '';
    throw new ChatError(`Its answer is not what was asked for. ${detail}`, true, null, { cause });
  }
}

async function askOnce(
  endpoint: Endpoint,
  question: Question,
  structured: boolean,
  options: ChatOptions,
): Promise<{ content: string; tokens: number }> {
  const body = JSON.stringify({
    model: endpoint.model,
    messages: [
      { role: 'system', content: question.system },
      { role: 'user', content: question.user },
    ],
    temperature: question.temperature,
    max_tokens: question.maxTokens,
    stream: false,
    ...(structured
      ? {
          response_format: { type: 'json_schema', json_schema: { name: question.schemaName, schema: question.schema } },
        }
      : {}),
  });
  const { status, bytes } = await post(endpoint, body, options);
  if (status !== 200) {
    const isRetryable = status === 408 || status === 429 || status >= 500;
    throw new ChatError(
      `It answered ${status}${status === 401 || status === 403 ? '; check the API key' : ''}.`,
      isRetryable,
      status,
    );
  }
  return readCompletion(bytes);
}

function readCompletion(bytes: Buffer): { content: string; tokens: number } {
  let answer: { choices?: { message?: { content?: unknown } }[]; usage?: { total_tokens?: unknown } };
  try {
    answer = (readJsonBody(bytes) ?? {}) as typeof answer;
  } catch (cause) {
    throw new ChatError('Its answer is cut off or not JSON.', false, null, { cause });
  }
  const content = Array.isArray(answer.choices) ? answer.choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw new ChatError('Its answer is not a chat completion.', true);
  const reported = answer.usage?.total_tokens;
  return { content, tokens: isPlausible(reported, bytes.length) ? reported : Math.ceil(bytes.length / bytesPerToken) };
}

/** Tells a count of tokens that an endpoint may have taken from one that it made up. */
function isPlausible(tokens: unknown, answerBytes: number): tokens is number {
  return (
    typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0 && tokens <= answerBytes + maxPromptTokens
  );
}

/** Sends one POST. Rejects with a ChatError: no connection, too slow, too large, redirected. */
function post(endpoint: Endpoint, body: string, options: ChatOptions): Promise<{ status: number; bytes: Buffer }> {
  const problem = findAddressProblem(endpoint);
  if (problem !== null) return Promise.reject(new ChatError(problem, false));
  const url = new URL(`${endpoint.url.replace(/\/+$/, '')}/chat/completions`);
  const { timeoutMs } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([limit, options.signal]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      if (cause instanceof ChatError) reject(cause);
      else if (limit.aborted) reject(new ChatError(`It did not answer within ${timeoutMs / 1_000} s.`, true));
      else if (signal.aborted) reject(new ChatError('The call was cancelled.', false));
      else {
        const code =
          (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown fault');
        reject(new ChatError(`There is no connection (${code}).`, true, null, { cause }));
      }
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(
      url,
      {
        method: 'POST',
        // A connection of its own, so that it goes to the checked address.
        agent: false,
        lookup: checkedLookup(endpoint),
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
        },
      },
      (response) => readAll(response).then((bytes) => resolve({ status: response.statusCode ?? 0, bytes }), fail),
    );
    call.once('error', fail);
    call.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const status = response.statusCode ?? 0;
  const encoding = response.headers['content-encoding'];
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ChatError('It redirects to another address, which is not followed.', false);
  }
  if (encoding !== undefined && encoding !== 'identity') {
    response.destroy();
    throw new ChatError('It sent a compressed answer, which was not asked for.', false);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > limits.responseKib * 1024) {
      response.destroy();
      throw new ChatError(`Its answer is larger than ${limits.responseKib} KiB.`, false);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
