/** Bodies that are too large to be read on this thread: let in by their size, and checked in a child process. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseProblems } from '../../door/errors/validation-error.ts';
import { toCallerId } from '../auth/caller.ts';
import type { OperationName } from '../contract/operations.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import type { Deps } from '../operations/context.ts';
import { type LargeBody, maxLightBodyBytes } from '../preparation/preparation.ts';
import { spillForm } from '../preparation/spilled-form.ts';

type PreparationDeps = Pick<Deps, 'preparation'>;

const findCallerId = ({ caller, ip }: FastifyRequest) => (caller === null ? ip : toCallerId(caller));

/**
 * Takes room for a large body before it is read, until the request is answered or its client is gone; throws
 * `rate_limited` or `unavailable` if there is none. One without an announced length counts as the largest allowed.
 */
export function admitLargeBody(deps: PreparationDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const announced = encoding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
  if (announced <= maxLightBodyBytes) return;
  const { bodyLimit, config } = request.routeOptions;
  const weightBytes = Math.min(announced, config.spillsUpToBytes ?? bodyLimit);
  reply.raw.once('close', deps.preparation.admit(findCallerId(request), weightBytes));
}

/** Checks a large body in another process, by its operation's schema if any; throws what is wrong. */
export async function readLargeBody(
  deps: PreparationDeps,
  request: FastifyRequest,
  { bytes }: LargeBody,
  operation: OperationName | null,
): Promise<unknown> {
  const order = { bytes, operation };
  const { problems, lostDigits } = await deps.preparation.run(findCallerId(request), 'checkBody', order);
  refuseProblems(problems);
  request.lostDigits = lostDigits;
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** Lets the forms of a scope's routes be written to files as they come, up to some bytes. */
export function spillForms(
  scope: FastifyInstance,
  { options, newId }: Pick<Deps, 'options' | 'newId'>,
  maxBytes: number,
): FastifyInstance {
  scope.removeContentTypeParser('multipart/form-data');
  scope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) => {
    const gone = new AbortController();
    request.raw.socket.once('close', () => gone.abort());
    const contentType = request.headers['content-type'] ?? '';
    const folder = toFolderPaths(options.dataDir).imports;
    return spillForm(body, { folder, id: newId(), contentType, maxBytes, signal: gone.signal });
  });
  return scope;
}
