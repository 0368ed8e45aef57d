/** How the HTTP listener is set up: its bounds, its request ids, and its answers to bytes that are not a request. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FastifyHttpOptions, LogController } from 'fastify';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';
import type { Place } from '../../engine/strict-json/json-body.ts';
import type { Dialect } from '../../server/contract/operation.ts';
import { toEnvelope } from '../errors/envelope.ts';

// An import would read all that the module exports, and so load Node's WebSocket and fetch: 30 ms of each start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

declare module 'fastify' {
  interface FastifyRequest {
    /** Places of the body whose whole numbers lose digits, or null. */
    lostDigits: Place[] | null;
  }
  interface FastifyContextConfig {
    takesZstd?: boolean;
    /** The format whose errors the route has. */
    dialect?: Dialect | undefined;
  }
}

type ListenerOptions = FastifyHttpOptions<Server>;
export type HttpLogger = NonNullable<ListenerOptions['loggerInstance']>;

const listenerLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 5_000,
  slowClientCheckMs: 1_000,
  /** For the whole of a request with its body, which comes over the loopback interface. */
  requestTimeoutMs: 10_000,
  /** The announced lifetime of an idle connection, and how much longer it is kept, so that no request meets its end. */
  keepAliveMs: 71_000,
  keepAliveBufferMs: 1_000,
  /** How long a client has to read why its bytes were no request, before its connection is destroyed. */
  hangUpMs: 500,
  /** Longer than an address can be, so that an id that is too long is refused as a wrong id. */
  parameterLength: 16 * 1024,
} as const;

/** A request id that a caller may choose: up to 128 printable ASCII characters that do not begin with a space. */
const usableRequestId = /^[\x21-\x7e][\x20-\x7e]{0,127}$/;

/** The trace of a request as W3C writes it: version, trace, caller, flags; later versions may say more. */
const traceparent = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Fastify's options; `newId` makes the id of each request that brings none in `X-Request-ID` or `traceparent`. */
export function toListenerOptions(logger: HttpLogger, newId: () => string): ListenerOptions {
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: listenerLimits.bodyBytes,
    requestTimeout: listenerLimits.requestTimeoutMs,
    keepAliveTimeout: listenerLimits.keepAliveMs,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Fastify's own answer while closing has no envelope; the request guard refuses instead.
    return503OnClosing: false,
    trustProxy: false,
    routerOptions: { maxParamLength: listenerLimits.parameterLength },
    http: {
      headersTimeout: listenerLimits.headersTimeoutMs,
      connectionsCheckingInterval: listenerLimits.slowClientCheckMs,
      maxHeaderSize: listenerLimits.headerBytes,
      keepAliveTimeoutBuffer: listenerLimits.keepAliveBufferMs,
      // A request without Host is refused by the request guard, which answers with the error envelope.
      requireHostHeader: false,
    },
    requestIdHeader: false,
    genReqId: (request) => {
      const requestId = request.headers['x-request-id'];
      if (typeof requestId === 'string' && usableRequestId.test(requestId)) return requestId;
      return traceparent.exec(String(request.headers.traceparent))?.[1] ?? newId();
    },
    clientErrorHandler: answerClientError,
  };
}

/** Answers to methods that are not requests for an address, as CONNECT. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => {
    hangUp(socket, 'method_not_allowed', 'CONNECT is not offered here.');
  });
}

/** Answers bytes that are not a request; a connection without any is closed silently, as browsers open spare ones. */
const answerClientError: NonNullable<ListenerOptions['clientErrorHandler']> = (error, socket) => {
  if (error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') {
    hangUp(socket, 'headers_too_large', `The headers are larger than ${listenerLimits.headerBytes / 1024} KiB.`);
  } else hangUp(socket, 'bad_request', 'The request is not well-formed HTTP, or came too slowly.');
};

/** Answers with the envelope and hangs up after a moment: unread bytes would take the answer along. */
function hangUp(socket: Duplex, code: ErrorCode, message: string): void {
  // Each further piece of such bytes comes here again.
  if (socket.writableEnded) return;
  const hangingUp = setTimeout(() => socket.destroy(), listenerLimits.hangUpMs).unref();
  socket.once('close', () => clearTimeout(hangingUp));
  if (!socket.writable) return;
  const { status } = errorTable[code];
  const body = JSON.stringify(toEnvelope(code, message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
