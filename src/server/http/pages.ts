/** The pages for browsers: the workbench and the documentation of the interface. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { docsPath, pagesPath } from '../contract/paths.ts';
import { pageSecurityPolicy } from '../contract/security-policy.ts';
import type { Foundation } from '../foundation.ts';
import { sendWritten } from './send-written.ts';

const pageHeaders = {
  'content-security-policy': pageSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** Serves the interface as a readable page at `/docs`. */
export function serveDocs(app: FastifyInstance, { documents }: Pick<Foundation, 'documents'>): void {
  app.get(docsPath, async (request, reply) => {
    const { docsSecurityPolicy } = await import('../preparation/documents/docs-page.ts');
    reply.headers({ ...pageHeaders, 'content-security-policy': docsSecurityPolicy }).type('text/html; charset=utf-8');
    return sendWritten(request, reply, await documents.page(`http://${request.headers.host ?? request.host}`));
  });
}

const notBuiltPage =
  '<!doctype html><meta charset="utf-8"><title>Decision Workbench</title><p>The workbench is not built. Run <code>npm run build</code>, then reload. The service itself works.</p>';

/** Serves the workbench's pages below `/app/`, or one that says how to build them. */
export async function servePages(app: FastifyInstance, rendererDir: string | null): Promise<void> {
  await app.register(
    async (scope) => {
      scope.addHook('onSend', async (_request, reply) => {
        reply.headers(pageHeaders);
      });
      if (rendererDir !== null && existsSync(path.join(rendererDir, 'index.html'))) {
        const { fastifyStatic } = await import('@fastify/static');
        await scope.register(fastifyStatic, {
          root: rendererDir,
          wildcard: true,
          cacheControl: false,
          etag: true,
          // The build puts compressed copies beside the files.
          preCompressed: true,
        });
      } else {
        scope.get('/', async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuiltPage));
      }
    },
    { prefix: pagesPath.slice(0, -1) },
  );
}
