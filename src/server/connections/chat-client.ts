/** Questions to an OpenAI-compatible endpoint, answered in JSON, and retried. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { WorkbenchError } from '../../engine/errors.ts';
import { readJsonBody } from '../../engine/strict-json/json-body.ts';
import { parseJsonText } from '../../engine/strict-json/json-faults.ts';
import type { AddressPolicy } from './address.ts';
import { CallError, postChecked } from './checked-post.ts';

/**
 * Parameters of a question that endpoints may not know; `max_completion_tokens` stands in for `max_tokens`, and the
 * user's message for that of the system.
 */
const parameters = ['max_tokens', 'max_completion_tokens', 'temperature', 'response_format', 'system'] as const;
export type Parameter = (typeof parameters)[number];
/** By what the sentence about a refusal names each. */
const signs: Readonly<Record<Parameter, RegExp>> = {
  max_tokens: /max_tokens/i,
  max_completion_tokens: /max_completion_tokens/i,
  temperature: /temperature/i,
  response_format: /response_format|json_schema|grammar|structured/i,
  system: /system (?:role|message|prompt|instruction)|'system'|roles must alternate|developer instruction/i,
};

/** `refused` remembers the parameters that the endpoint does not know, as long as the program runs. */
export type Endpoint = AddressPolicy & { model: string; apiKey: string | null; refused?: Set<Parameter> };
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
/** Tokens that a model may think before it answers. */
const thinkingTokens = 4_000;
/** Characters of a sentence of an endpoint, and objects of an answer, that are read. */
const maxSaid = 200;
const maxObjects = 50;

/** The block of data in a question: no string in it can end the block, as "<" is written as an escape. */
export function writeData(data: object, maxLength = Number.POSITIVE_INFINITY): string {
  const shorten = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
  return `<data>${JSON.stringify(data, shorten).replaceAll('<', '\\u003c')}</data>`;
}

/** The option that a model names: as it is written, or where only case and blanks differ; null for none. */
export function findOption(options: readonly string[], written: string): string | null {
  const toPlain = (text: string) => text.trim().toLowerCase();
  const same = options.filter((option) => toPlain(option) === toPlain(written));
  return options.includes(written) ? written : same.length === 1 ? (same[0] ?? null) : null;
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
  const refused = endpoint.refused ?? new Set();
  let tokens = 0;
  for (let attempt = 0; ; ) {
    try {
      const answer = await askOnce(endpoint, question, refused, options);
      tokens += answer.tokens;
      return { value: readAnswer(accept, answer.content), tokens };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // A parameter that the endpoint does not know is left out from then on, and it is asked at once.
      const left = error instanceof AnsweredError ? error.findRefused(refused) : null;
      if (left !== null && !options.signal.aborted) {
        refused.add(left);
        continue;
      }
      if (attempt >= retries || !error.isRetryable || options.signal.aborted) {
        throw new WorkbenchError('unavailable', `The model could not be asked. ${error.message}`, undefined, {
          cause: error,
        });
      }
      await pause(limits.backoffMs * 2 ** attempt * (0.5 + Math.random()), options.signal);
      attempt += 1;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** An answer with another status than 200, and what the endpoint says of it. */
class AnsweredError extends CallError {
  readonly #said: string;

  constructor(status: number, said: string) {
    const isRetryable = status === 408 || status === 429 || status >= 500;
    const hint = status === 401 || status === 403 ? '; check the API key' : '';
    super(`It answered ${status}${hint}.${said === '' ? '' : ` It says: ${said}`}`, isRetryable, status);
    this.#said = said;
  }

  /** The parameter that the endpoint does not take, as far as it was sent; null for none. */
  findRefused(refused: ReadonlySet<Parameter>): Parameter | null {
    const isRefusal = this.status === 400 || this.status === 422;
    const isSent = (name: Parameter) =>
      !refused.has(name) && (name !== 'max_completion_tokens' || refused.has('max_tokens'));
    const named = parameters.find((name) => isSent(name) && signs[name].test(this.#said));
    if (named !== undefined && (isRefusal || named === 'response_format')) return named;
    return isRefusal && !refused.has('response_format') ? 'response_format' : null;
  }
}

/** The sentence of an endpoint in the body of an error, without anything else in it; a page says none. */
function readSentence(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, maxSaid * 4);
  const plain = /^\s*[<[{]/.test(text) ? '' : text;
  const json = parseJsonText(bytes.toString('utf8'));
  const said = json.ok ? saidSchema.safeParse(json.value).data : undefined;
  return (said ?? plain).replaceAll(/\s+/g, ' ').trim().slice(0, maxSaid);
}
const sentence = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]);
const saidSchema = z.union([
  z.object({ error: sentence }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z
    .object({ detail: z.array(z.object({ loc: z.array(z.unknown()).default([]), msg: z.string() })).min(1) })
    .transform(({ detail }) => detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
  z.object({ errors: z.array(sentence).min(1) }).transform(({ errors }) => errors.join('; ')),
]);

/** Thoughts of a model before its answer, up to their last end; all that follows where they have none. */
const thoughts =
  /^[\s\S]*[<[◁]\/(?:think|thinking|thought|reasoning)[>\]▷]|[<[◁](?:think|thinking|thought|reasoning)[>\]▷][\s\S]*$/gi;

/** Reads the last JSON object that fits, past what a model has thought aloud, words and code fences. */
function readAnswer<T>(accept: (value: unknown) => T, content: string): T {
  let fault: unknown = new Error('It holds no JSON object.');
  for (const text of listObjects(content.replace(thoughts, ''))) {
    try {
      return accept(readJsonBody(Buffer.from(text)));
    } catch (error) {
      fault = error;
    }
  }
  throw new CallError(`Its answer is not what was asked for. ${describeFault(fault)}`, true, null, { cause: fault });
}

function describeFault(fault: unknown): string {
  const [issue] = fault instanceof z.ZodError ? fault.issues : [];
  if (issue !== undefined) return `${issue.path.join('.') || 'the answer'}: ${issue.message}`;
  return fault instanceof Error ? fault.message.slice(0, maxSaid) : '';
}

/** The objects of JSON that stand in a text, the last first; an object within another one comes behind it. */
function* listObjects(text: string): Generator<string> {
  const whole: string[] = [];
  const open: number[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inString && sign === '\\') at += 1;
    else if (sign === '"' && open.length > 0) inString = !inString;
    else if (inString) continue;
    else if (sign === '{') open.push(at);
    else if (sign === '}' && open.length > 0) whole.push(text.slice(open.pop(), at + 1));
  }
  for (const found of whole.toReversed().slice(0, maxObjects)) yield found;
  // A quotation mark in prose before the answer may have hidden it.
  const [start, end] = [text.lastIndexOf('\n{') + 1, text.lastIndexOf('}')];
  if (end > start) yield text.slice(text.indexOf('{', start), end + 1);
}

/** The address of the chat, whether the connection names it or its parent. */
function toChatUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  return url;
}

async function askOnce(
  endpoint: Endpoint,
  question: Question,
  refused: ReadonlySet<Parameter>,
  options: ChatOptions,
): Promise<{ content: string; tokens: number }> {
  const { schemaName: name, schema, maxTokens } = question;
  const tokens = refused.has('max_tokens')
    ? // What a model thinks counts as well.
      { max_completion_tokens: maxTokens + thinkingTokens }
    : { max_tokens: maxTokens };
  const body = JSON.stringify({
    model: endpoint.model,
    messages: refused.has('system')
      ? [{ role: 'user', content: `${question.system}\n\n${question.user}` }]
      : [
          { role: 'system', content: question.system },
          { role: 'user', content: question.user },
        ],
    stream: false,
    ...(!refused.has('temperature') && { temperature: question.temperature }),
    ...(!refused.has('max_completion_tokens') && tokens),
    ...(!refused.has('response_format') && {
      response_format: { type: 'json_schema', json_schema: { name, schema } },
    }),
  });
  const headers: Record<string, string> =
    endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` };
  const { status, bytes } = await postChecked(endpoint, { url: toChatUrl(endpoint.url), headers, body }, options);
  if (status !== 200) throw new AnsweredError(status, readSentence(bytes));
  return readCompletion(bytes);
}

const part = z.object({ text: z.string().default('') });
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z
            .union([z.string(), z.array(part).transform((parts) => parts.map(({ text }) => text).join(''))])
            .nullish(),
          refusal: z.string().nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ total_tokens: z.unknown() }).nullish(),
});

function readCompletion(bytes: Buffer): { content: string; tokens: number } {
  let answer: unknown;
  try {
    answer = readJsonBody(bytes);
  } catch (cause) {
    throw new CallError('Its answer is cut off or not JSON.', false, null, { cause });
  }
  const read = completionSchema.safeParse(answer);
  const said = readSentence(bytes);
  if (!read.success)
    throw new CallError(said === '' ? 'Its answer is not a chat completion.' : `It says: ${said}`, true);
  const { choices, usage } = read.data;
  const { message, finish_reason: ending } = choices[0] ?? { message: {} };
  const content = message.content ?? '';
  if (content === '' && message.refusal) throw new CallError(`It refused: ${message.refusal.slice(0, maxSaid)}`, false);
  if (ending === 'length' && listObjects(content).next().done === true)
    throw new CallError('It came to its limit of tokens before its answer was whole.', true);
  if (content === '') throw new CallError('Its answer is empty.', true);
  const reported = usage?.total_tokens;
  return { content, tokens: isPlausible(reported, bytes.length) ? reported : Math.ceil(bytes.length / bytesPerToken) };
}

/** Tells a count of tokens that an endpoint may have taken from one that it made up. */
function isPlausible(tokens: unknown, answerBytes: number): tokens is number {
  return (
    typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0 && tokens <= answerBytes + maxPromptTokens
  );
}
