/** Questions to an OpenAI-compatible endpoint, answered in JSON, and retried. */
import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import { readJsonBody } from '../../engine/strict-json/json-body.ts';
import type { AddressPolicy } from './address.ts';
import { CallError, postChecked } from './checked-post.ts';

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

const limits = { retries: 2, backoffMs: 500 } as const;

/** Characters counted as a token where the endpoint does not report usage. */
const bytesPerToken = 4;
const maxPromptTokens = 1_000_000;

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

/** JSON Schema of a list of these texts; of any texts if there are none. */
export const toListSchema = (texts: readonly string[]) => ({
  type: 'array',
  items: texts.length > 0 ? { type: 'string', enum: texts } : { type: 'string' },
});

/** Asks once, and again where it may help; `accept` throws a sentence about a wrong answer. Rejects `unavailable`. */
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
      if (!(error instanceof CallError)) throw error;
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
    throw new CallError(`Its answer is not what was asked for. ${detail}`, true, null, { cause });
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
  const url = new URL(`${endpoint.url.replace(/\/+$/, '')}/chat/completions`);
  const headers: Record<string, string> =
    endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` };
  const { status, bytes } = await postChecked(endpoint, { url, headers, body }, options);
  if (status !== 200) {
    const isRetryable = status === 408 || status === 429 || status >= 500;
    throw new CallError(
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
    throw new CallError('Its answer is cut off or not JSON.', false, null, { cause });
  }
  const content = Array.isArray(answer.choices) ? answer.choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw new CallError('Its answer is not a chat completion.', true);
  const reported = answer.usage?.total_tokens;
  return { content, tokens: isPlausible(reported, bytes.length) ? reported : Math.ceil(bytes.length / bytesPerToken) };
}

/** Tells a count of tokens that an endpoint may have taken from one that it made up. */
function isPlausible(tokens: unknown, answerBytes: number): tokens is number {
  return (
    typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0 && tokens <= answerBytes + maxPromptTokens
  );
}
