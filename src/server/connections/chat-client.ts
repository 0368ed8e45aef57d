/** Questions to an OpenAI-compatible endpoint, answered in JSON: bounded in time and size, never redirected, retried. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import { type AddressPolicy, checkedLookup, refuseAddress } from './address.ts';

export type Endpoint = AddressPolicy & { model: string; apiKey: string | null };
export type Question = {
  system: string;
  user: string;
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>;
  schemaName: string;
  temperature: number;
  maxTokens: number;
};
export type ChatOptions = { timeoutMs: number; retries?: number; signal: AbortSignal };

const limits = { responseBytes: 4 * 1024 * 1024, retries: 2, backoffMs: 500 } as const;

/** A failure that another try may cure (`again`), or not. The text never holds what was sent or the key. */
class ChatFault extends Error {
  readonly again: boolean;
  readonly status: number | null;
  constructor(message: string, again: boolean, status: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.again = again;
    this.status = status;
  }
}

/**
 * Asks once and, where it may help, up to twice more with growing pauses. `accept` turns the answer's JSON into what is
 * wanted or throws a sentence about what is wrong with it. `tokens` counts every answered try. Rejects with
 * WorkbenchError 'unavailable'.
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
      return { value: accepted(accept, answer.content), tokens };
    } catch (error) {
      if (!(error instanceof ChatFault)) throw error;
      // an endpoint that does not know structured output is asked in words alone
      const unstructured: boolean = structured && (error.status === 400 || error.status === 422);
      structured &&= !unstructured;
      if (attempt >= retries || !(error.again || unstructured) || options.signal.aborted) {
        throw new WorkbenchError('unavailable', `The teacher could not be asked: ${error.message}`, undefined, {
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

function accepted<T>(accept: (value: unknown) => T, content: string): T {
  // some models wrap what was asked for in words or a code fence
  const from = content.indexOf('{');
  const to = content.lastIndexOf('}');
  try {
    return accept(readJsonBody(Buffer.from(from < 0 ? content : content.slice(from, to + 1))));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.slice(0, 200) : '';
    throw new ChatFault(`its answer is not what was asked for. ${detail}`, true, null, { cause });
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
    const again = status === 408 || status === 429 || status >= 500;
    throw new ChatFault(
      `it answered ${status}${status === 401 || status === 403 ? '; check the API key' : ''}.`,
      again,
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
    throw new ChatFault('its answer is cut off or not JSON.', true, null, { cause });
  }
  const content = Array.isArray(answer.choices) ? answer.choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw new ChatFault('its answer is not a chat completion.', true);
  const told = answer.usage?.total_tokens;
  const plausible = typeof told === 'number' && Number.isInteger(told) && told > 0 && told <= bytes.length + 1_000_000;
  return { content, tokens: plausible ? told : Math.ceil(bytes.length / 4) };
}

/** One POST. Rejects with a ChatFault: no connection, too slow, too large, redirected. */
function post(endpoint: Endpoint, body: string, options: ChatOptions): Promise<{ status: number; bytes: Buffer }> {
  const refused = refuseAddress(endpoint);
  if (refused !== null) return Promise.reject(new ChatFault(refused, false));
  const url = new URL(`${endpoint.url.replace(/\/+$/, '')}/chat/completions`);
  const { timeoutMs } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([limit, options.signal]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      if (cause instanceof ChatFault) reject(cause);
      else if (limit.aborted) reject(new ChatFault(`it did not answer within ${timeoutMs / 1_000} s.`, true));
      else if (signal.aborted) reject(new ChatFault('the call was cancelled.', false));
      else {
        const code =
          (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown fault');
        reject(new ChatFault(`no connection (${code}).`, true, null, { cause }));
      }
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(
      url,
      {
        method: 'POST',
        // a connection of its own: what was checked is what is connected to
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
    throw new ChatFault('it redirects to another address, which is not followed.', false);
  }
  if (encoding !== undefined && encoding !== 'identity') {
    response.destroy();
    throw new ChatFault('it sent a compressed answer, which was not asked for.', false);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > limits.responseBytes) {
      response.destroy();
      throw new ChatFault('its answer is larger than 4 MiB.', false);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
