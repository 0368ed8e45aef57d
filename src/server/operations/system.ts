/** What the service says of itself. */
import { makeOpenApi } from '../contract/openapi.ts';
import { checkHealth } from '../services/health.ts';
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
    const { isReady, ...health } = checkHealth(deps);
    const status = isReady ? 'ready' : 'degraded';
    if (!('cache' in health)) return { status, ...health };
    const { database, isFolderIntact, integrity, cache, models, deployedModels, textModel } = health;
    return {
      status,
      database,
      data_folder: isFolderIntact,
      integrity,
      cache,
      models,
      deployed_models: deployedModels,
      text_model: textModel,
    };
  },
  'system.openapi': (deps) => makeOpenApi(deps.toolVersion),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
} satisfies Handlers<'system.root' | 'system.health' | 'system.ready' | 'system.openapi' | 'system.jwks'>;
