/** `decision-edge serve`: one process, or a first one that listens and hands each connection to one of its workers. */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer, Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ServiceMetrics } from '../../door/service-metrics.ts';
import { buildService, type Shared } from './app.ts';
import { countedSeq, openBundleDoor } from './bundle-door.ts';
import { addUp, listCurrent, writeLogged } from './metrics.ts';
import { type Begun, Receipts } from './receipts.ts';
import { LogFile, type LogSettings, type Recorder } from './recorder.ts';
import { openBundles, type ServiceLog } from './served-bundles.ts';

const lookAtFilesMs = 1_000;
/** For those on whose connection no call is under way when the service ends: theirs may be on its way. */
const idleMs = 1_000;
const endCheckMs = 50;
const maxEndMs = 20_000;

/** The files that are served, and the folder of the text model of slim bundles. */
type Served = { files: string[]; textModel: string | undefined; version: string };

type Service = {
  app: FastifyInstance;
  /** The counts of this process, in Prometheus' text format. */
  writeMetrics(): string;
  /** Answers the calls that have come, each the last one of its connection. Call it once nobody else is let in. */
  end(): Promise<void>;
};

/** Opens bundles and door. Rejects with InvalidBundle. */
async function openService(
  { files, textModel, version }: Served,
  recorder: Recorder | null,
  shared: Shared,
  log: ServiceLog,
): Promise<Service> {
  const bundles = await openBundles(files, textModel);
  const metrics = new ServiceMetrics();
  const open = openBundleDoor({ bundles, metrics, recorder, log });
  const app = buildService({ bundles, open, metrics, shared, log, version });
  let isEnding = false;
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isEnding) reply.header('connection', 'close');
    done(null, payload);
  });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await app.ready();
  let looking: NodeJS.Timeout;
  const look = async () => {
    for (const bundle of bundles.values()) await bundle.reload(log);
    looking = setTimeout(look, lookAtFilesMs);
  };
  looking = setTimeout(look, lookAtFilesMs);
  return {
    app,
    writeMetrics: () => metrics.render(countedSeq, [listCurrent(bundles)]),
    async end() {
      isEnding = true;
      clearTimeout(looking);
      await closeConnections(app, sockets);
    },
  };
}

/** Waits for the answers to what has come, and for as long again as a call may be on its way. */
async function closeConnections({ server }: FastifyInstance, sockets: ReadonlySet<Socket>): Promise<void> {
  const beganAt = performance.now();
  while (sockets.size > 0) {
    const takenMs = performance.now() - beganAt;
    if (takenMs > maxEndMs) server.closeAllConnections();
    else if (takenMs > idleMs) server.closeIdleConnections();
    await new Promise((resolve) => setTimeout(resolve, endCheckMs));
  }
}

type Message = { ask: string; of: unknown[]; number?: number } | { answer: unknown; number: number };
type Port = Pick<ChildProcess, 'send' | 'on'>;
type Handlers = { readonly [name: string]: (...of: never[]) => unknown };

/** Opens a channel to the other process; `handlers` answer what it asks. What `ask` returns stays open if it ends. */
function openChannel(port: Port, handlers: Handlers) {
  const waiting = new Map<number, (answer: unknown) => void>();
  let count = 0;
  // A process that has gone hears nothing, and its end is seen elsewhere.
  const send = (message: Message) => void port.send(message, () => undefined);
  port.on('message', async (message: Message) => {
    if ('answer' in message) {
      waiting.get(message.number)?.(message.answer);
      waiting.delete(message.number);
      return;
    }
    const answer = await handlers[message.ask]?.(...(message.of as never[]));
    if (message.number !== undefined) send({ answer: answer ?? null, number: message.number });
  });
  return {
    ask<Answer>(name: string, ...of: unknown[]): Promise<Answer> {
      count += 1;
      const number = count;
      return new Promise((resolve) => {
        waiting.set(number, (answer) => resolve(answer as Answer));
        send({ ask: name, of, number });
      });
    },
    tell: (name: string, ...of: unknown[]) => send({ ask: name, of }),
  };
}

type Channel = ReturnType<typeof openChannel>;

export type ServeOptions = Served & { host: string; port: number; workers: number; log: LogSettings | null };

/** Connections that wait to be accepted. */
const backlog = 256;
const restartMs = 500;

const say = (level: 'INFO' | 'ERROR', text: string) =>
  void process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
const log: ServiceLog = { info: (text) => say('INFO', text), error: (text) => say('ERROR', text) };

/** Serves until SIGTERM or SIGINT, and answers what has come. Rejects where bundles, log or port cannot be used. */
export async function serve(options: ServeOptions): Promise<void> {
  const file = options.log === null ? null : new LogFile(options.log, log);
  if (options.workers === 1) await serveAlone(options, file);
  else await serveByWorkers(options, file);
  await file?.close();
  log.info('Ended.');
}

const writeAll = (texts: readonly string[], file: LogFile | null) =>
  addUp([...texts, ...(file === null ? [] : [writeLogged(file.counts)])]);

async function serveAlone(options: ServeOptions, file: LogFile | null): Promise<void> {
  const receipts = new Receipts(Date.now);
  let service: Service | null = null;
  const shared: Shared = {
    begin: async (key, request) => receipts.begin(key, request),
    finish: (key, answer) => receipts.finish(key, answer),
    readMetrics: async () => writeAll(service === null ? [] : [service.writeMetrics()], file),
  };
  service = await openService(options, file, shared, log);
  const { server } = service.app;
  await listen(server, options);
  await awaitEnd();
  // Without the connections: `server.close` of HTTP ends the idle ones at once, one of which may bring a call.
  Server.prototype.close.call(server);
  await service.end();
}

type Worker = { child: ChildProcess; channel: Channel; isReady: boolean; keys: Set<string> };

async function serveByWorkers(options: ServeOptions, file: LogFile | null): Promise<void> {
  // Refuse before there are processes: each of them opens the bundles for itself.
  for (const bundle of (await openBundles(options.files, options.textModel)).values()) await bundle.opened.close();
  const receipts = new Receipts(Date.now);
  const workers = new Set<Worker>();
  let isEnding = false;
  const start = (): Promise<void> =>
    new Promise((ready) => {
      const child = fork(process.argv[1] ?? '', { env: { ...process.env, [workerMark]: JSON.stringify(options) } });
      const keys = new Set<string>();
      const channel = openChannel(child, {
        ready: () => {
          worker.isReady = true;
          ready();
        },
        log: (lines: string[]) => file?.add(lines),
        begin(key: string, request: string): Begun {
          keys.add(key);
          return receipts.begin(key, request);
        },
        finish(key: string, answer: string | null) {
          keys.delete(key);
          receipts.finish(key, answer);
        },
        metrics: async () => {
          const ready = [...workers].filter(({ isReady }) => isReady);
          return writeAll(await Promise.all(ready.map((each) => each.channel.ask<string>('count'))), file);
        },
      });
      const worker: Worker = { child, channel, isReady: false, keys };
      workers.add(worker);
      child.once('exit', (code, signal) => {
        workers.delete(worker);
        for (const key of keys) receipts.finish(key, null);
        ready();
        if (isEnding) return;
        log.error(`A worker ended (${signal ?? code}); another one takes its place.`);
        setTimeout(start, restartMs);
      });
    });
  await Promise.all(Array.from({ length: options.workers }, start));
  const listener = createServer({ pauseOnConnect: true, noDelay: true });
  handOut(listener, workers);
  await listen(listener, options);
  await awaitEnd();
  isEnding = true;
  // Each worker hears of the connections that were accepted for it before it hears of the end.
  listener.close();
  const ended = [...workers].map(({ child }) => new Promise((exited) => child.once('exit', exited)));
  for (const { channel } of workers) channel.tell('end');
  await Promise.all(ended);
}

/** Hands each connection to the next worker that is ready. */
function handOut(listener: Server, workers: ReadonlySet<Worker>): void {
  let next = 0;
  listener.on('connection', (socket) => {
    const ready = [...workers].filter(({ isReady }) => isReady);
    const worker = ready[next % ready.length];
    next += 1;
    if (worker === undefined) socket.destroy();
    else worker.child.send({ connection: true }, socket, () => undefined);
  });
}

const workerMark = 'DECISION_EDGE_WORKER';

/** The options of a process that was started as a worker; null for any other. */
export function readWorkerOptions(): ServeOptions | null {
  const given = process.env[workerMark];
  return given === undefined || process.send === undefined ? null : JSON.parse(given);
}

/** Serves the connections that the first process hands over, until it says so or ends. */
export async function serveAsWorker(options: ServeOptions): Promise<void> {
  // A signal to the whole group is for the first process, which ends its workers in order.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  let service: Service | null = null;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  process.once('disconnect', end);
  const channel = openChannel(process as never, { end, count: () => service?.writeMetrics() ?? '' });
  const recorder: Recorder = { add: (lines) => channel.ask('log', lines) };
  const shared: Shared = {
    begin: (key, request) => channel.ask('begin', key, request),
    finish: (key, answer) => channel.tell('finish', key, answer),
    readMetrics: () => channel.ask('metrics'),
  };
  service = await openService(options, options.log === null ? null : recorder, shared, log);
  const { server } = service.app;
  process.on('message', (_: unknown, socket?: Socket) => {
    if (socket === undefined) return;
    server.emit('connection', socket);
    socket.resume();
  });
  // It never listens itself, and from here on looks for connections that are too slow.
  server.emit('listening');
  channel.tell('ready');
  await ended;
  await service.end();
  process.exit(0);
}

function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      log.info(`Running on http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
      resolve();
    });
  });
}

function awaitEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
  }).then(() => log.info('Shutting down: calls that have come are answered.'));
}
