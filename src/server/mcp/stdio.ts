/** The agent tools on stdin and stdout: a pipe to `/mcp` of the workbench that runs on the data folder. */
import {
  type AuthProvider,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  SdkHttpError,
  StreamableHTTPClientTransport,
  serializeMessage,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { createIssuer } from '../auth/issuer.ts';
import { mcpPath } from '../contract/paths.ts';
import { systemClock } from '../process/clock.ts';
import { findRunningAddress } from '../process/folder-lock.ts';
import { StartError } from '../process/start-error.ts';

type ErrorObject = { code: number; message: string; data?: unknown };

/** A code that the protocol leaves to programs: the workbench is away, or refused the call before it reached a tool. */
const notForwardedCode = -32_000;

/** How long answers may take that are still awaited when the input ends. */
const lastAnswersMs = 10_000;

/**
 * Carries messages, a line each, between stdin and the running workbench, with the API key or as owner, until stdin
 * ends or SIGTERM. Throws StartError `absent` where none runs.
 */
export function pipeAgentTools(dataDir: string, apiKey: string | null): void {
  findAddress(dataDir);
  const open = new Map<RequestId, { method: string; cancel: AbortController }>();
  const http = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1${mcpPath}`), {
    authProvider: apiKey === null ? ownerSession(dataDir) : { token: async () => apiKey },
    fetch: (_, init) => fetch(`${findAddress(dataDir)}${mcpPath}`, init),
  });
  const stop = () => {
    open.clear();
    process.stdin.destroy();
    void http.close();
  };
  const refuse = (id: RequestId | undefined, error: ErrorObject) => {
    if (id !== undefined && !open.delete(id)) return;
    process.stderr.write(`${error.message}\n`);
    if (id !== undefined) process.stdout.write(serializeMessage({ jsonrpc: '2.0', id, error }));
  };
  http.onmessage = (message) => {
    if (isJSONRPCResponse(message) && message.id !== undefined) {
      const request = open.get(message.id);
      if (request === undefined) return;
      open.delete(message.id);
      if (request.method === 'initialize' && isJSONRPCResultResponse(message)) {
        http.setProtocolVersion(String(message.result['protocolVersion']));
      }
    }
    process.stdout.write(serializeMessage(message));
  };
  const forward = (line: string) => {
    const message = readMessage(line);
    if (message === null) return;
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      // Over HTTP a request is cancelled by leaving it.
      const id = message.params?.['requestId'] as RequestId;
      open.get(id)?.cancel.abort();
      open.delete(id);
      return;
    }
    const cancel = new AbortController();
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    if (isJSONRPCRequest(message)) open.set(message.id, { method: message.method, cancel });
    const onRequestStreamEnd = () => refuse(id, explainFailure(new Error('the connection broke off'), apiKey));
    http
      .send(message, { requestSignal: cancel.signal, onRequestStreamEnd })
      .catch((error: unknown) => refuse(id, explainFailure(error, apiKey)));
  };

  void http.start();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.on('error', stop);
  readLines(process.stdin, forward, () => {
    // With nothing more to read or to await the process ends by itself.
    setTimeout(() => void http.close(), lastAnswersMs).unref();
  });
}

/** Calls `onLine` with each line that is not blank, the last one too where it has no line break, then `onEnd`. */
function readLines(input: NodeJS.ReadStream, onLine: (line: string) => void, onEnd: () => void): void {
  const take = (line: string) => {
    if (line.trim() !== '') onLine(line);
  };
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    rest += text;
    if (!text.includes('\n')) return;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  input.on('end', () => {
    take(rest);
    onEnd();
  });
}

/** The SDK's own reader of stdin drops a line that is no JSON; here it is answered, and read as null. */
function readMessage(line: string): ReturnType<typeof parseJSONRPCMessage> | null {
  const answer = (id: unknown, code: ProtocolErrorCode, message: string) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
    return null;
  };
  const value = readJson(line);
  if (value === undefined) {
    return answer(null, ProtocolErrorCode.ParseError, 'Parse error: a line must be one JSON-RPC message.');
  }
  try {
    return parseJSONRPCMessage(value);
  } catch {
    const id = (value as { id?: unknown } | null)?.id;
    const known = typeof id === 'string' || typeof id === 'number' ? id : null;
    return answer(known, ProtocolErrorCode.InvalidRequest, 'Invalid request: this is no JSON-RPC 2.0 message.');
  }
}

function findAddress(dataDir: string): string {
  const url = findRunningAddress(dataDir);
  if (url !== null) return url;
  throw new StartError(
    'absent',
    `No workbench runs on the data folder ${dataDir}. Open Decision Workbench, or start it with: npm run -s workbench -- serve --data-dir ${dataDir}`,
  );
}

/** A session of the local owner, made as `workbench token` makes one, and made again when it is no longer accepted. */
function ownerSession(dataDir: string): AuthProvider {
  let token: string | undefined;
  return {
    async token() {
      token ??= (await createIssuer({ dataDir, oidc: null }, systemClock).issue()).token;
      return token;
    },
    async onUnauthorized() {
      token = undefined;
    },
  };
}

const refusalSchema = z.object({
  error: z.looseObject({ code: z.union([z.int(), z.string()]), message: z.string() }),
});

/** The answer to an agent whose message the workbench did not answer: why, and what to do. */
function explainFailure(error: unknown, apiKey: string | null): ErrorObject {
  const toErrorObject = (message: string, data?: object) => ({
    code: notForwardedCode,
    message,
    ...(data && { data }),
  });
  if (error instanceof StartError) return toErrorObject(error.message);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401)) {
    return apiKey === null
      ? toErrorObject(
          "The workbench does not accept the session of the data folder's owner. Restart it, and this command.",
        )
      : toErrorObject(
          'The workbench does not accept the key in WORKBENCH_API_KEY. Make one under Settings and set it there.',
        );
  }
  if (error instanceof SdkHttpError) {
    const refusal = refusalSchema.safeParse(readJson(String(error.data['text']))).data?.error;
    if (refusal === undefined) return toErrorObject(error.message);
    // An error of the protocol is handed on as it is, one of the service with its code and details.
    return typeof refusal.code === 'number'
      ? { ...refusal, code: refusal.code }
      : toErrorObject(refusal.message, refusal);
  }
  const { message } = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
  return toErrorObject(
    `The workbench gave no answer (${message}). Check whether the call was carried out before you repeat it.`,
  );
}

/** The value of a JSON text; undefined if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
