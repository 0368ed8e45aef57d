import { makeOpenApi } from '../http/openapi.ts';
import type { Handlers } from './context.ts';

export const systemHandlers = {
  'system.root': (deps, { baseUrl }) => ({
    service: 'Decision Workbench',
    by: 'decision-workbench',
    version: deps.toolVersion,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    health: `${baseUrl}/health`,
  }),
  'system.health': () => ({ status: 'ok' }),
  'system.ready': (deps) => {
    try {
      const parts = { database: deps.db.prepare('SELECT 1').pluck().get() === 1, ...deps.runtime.ready() };
      return { status: parts.database && parts.cache && parts.models ? 'ready' : 'degraded', ...parts };
    } catch (err) {
      deps.log.error({ err }, 'the database does not answer');
      return { status: 'degraded', database: false };
    }
  },
  'system.openapi': (deps) => makeOpenApi(deps.toolVersion),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
} satisfies Handlers<'system.root' | 'system.health' | 'system.ready' | 'system.openapi' | 'system.jwks'>;
