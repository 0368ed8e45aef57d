/** One process of a service: its bundles, its door and its connections. */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ServiceMetrics } from '../../door/service-metrics.ts';
import { buildService, type Shared } from './app.ts';
import { countedSeq, openBundleDoor } from './bundle-door.ts';
import { listCurrent } from './metrics.ts';
import type { Recorder } from './recorder.ts';
import { openBundles, type ServiceLog } from './served-bundles.ts';

const lookAtFilesMs = 1_000;
/** For those on whose connection no call is under way when the service ends: theirs may be on its way. */
const idleMs = 1_000;
const endCheckMs = 50;
const maxEndMs = 20_000;

/** The files that are served, and the folder of the text model of slim bundles. */
export type Served = { files: string[]; textModel: string | undefined; version: string };

export type Service = {
  app: FastifyInstance;
  /** The counts of this process, in Prometheus' text format. */
  writeMetrics(): string;
  /** Answers the calls that have come, each the last one of its connection. Call it once nobody else is let in. */
  end(): Promise<void>;
};

/** Opens bundles and door. Rejects with InvalidBundle. */
export async function openService(
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
