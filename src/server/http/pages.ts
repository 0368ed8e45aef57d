/** The pages for browsers: the workbench and the documentation of the interface. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { docsPath, pagesPath } from '../contract/paths.ts';
import { pageSecurityPolicy } from '../contract/security-policy.ts';

const pageHeaders = {
  'content-security-policy': pageSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

const notBuiltPage =
  '<!doctype html><meta charset="utf-8"><title>Decision Workbench</title><p>The workbench is not built. Run <code>npm run build</code>, then reload. The service itself works.</p>';

/** Serves the workbench's pages below `/app/`, or one that says how to build them; `/docs` leads to one of them. */
export async function servePages(app: FastifyInstance, rendererDir: string | null): Promise<void> {
  app.get(docsPath, async (_request, reply) => reply.redirect(`${pagesPath}docs.html`));
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
        for (const page of ['/', '/docs.html'])
          scope.get(page, async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuiltPage));
      }
    },
    { prefix: pagesPath.slice(0, -1) },
  );
}
