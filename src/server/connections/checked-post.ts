/** One POST to an address that a user chose: checked, bounded in time and size, not redirected. */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressPolicy, checkedLookup, findAddressProblem } from './address.ts';

const maxResponseKib = 256;

/** A failure that another try may cure (`isRetryable`), or not. The message never holds the request or a key. */
export class CallError extends Error {
  readonly isRetryable: boolean;
  readonly status: number | null;
  constructor(message: string, isRetryable: boolean, status: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.isRetryable = isRetryable;
    this.status = status;
  }
}

type Message = { url: URL; headers: Readonly<Record<string, string>>; body: string };

/** Sends JSON. Rejects with a CallError: a wrong address, no connection, too slow, too large, redirected. */
export function postChecked(
  address: AddressPolicy,
  { url, headers, body }: Message,
  { timeoutMs, signal: ending }: { timeoutMs: number; signal: AbortSignal },
): Promise<{ status: number; bytes: Buffer }> {
  const problem = findAddressProblem(address);
  if (problem !== null) return Promise.reject(new CallError(problem, false));
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([limit, ending]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      if (cause instanceof CallError) reject(cause);
      else if (limit.aborted) reject(new CallError(`It did not answer within ${timeoutMs / 1_000} s.`, true));
      else if (signal.aborted) reject(new CallError('The call was cancelled.', false));
      else {
        const code =
          (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown fault');
        reject(new CallError(`There is no connection (${code}).`, true, null, { cause }));
      }
    };
    // As an import, it would load Node's WebSocket and fetch at each start: 30 ms.
    const send = url.protocol === 'https:' ? httpsRequest : process.getBuiltinModule('node:http').request;
    const call = send(
      url,
      {
        method: 'POST',
        // A connection of its own, so that it goes to the checked address.
        agent: false,
        lookup: checkedLookup(address),
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...headers,
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
    throw new CallError('It redirects to another address, which is not followed.', false);
  }
  if (encoding !== undefined && encoding !== 'identity') {
    response.destroy();
    throw new CallError('It sent a compressed answer, which was not asked for.', false);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxResponseKib * 1024) {
      response.destroy();
      throw new CallError(`Its answer is larger than ${maxResponseKib} KiB.`, false);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
