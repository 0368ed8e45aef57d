/** What the service says of itself and of the clock. */
import { makeOpenApi } from '../contract/openapi.ts';
import { isoTime } from '../process/clock.ts';
import { checkHealth } from '../services/health.ts';
import type { ClockState } from '../services/trusted-time.ts';
import type { Handlers } from './context.ts';

function toClock({ now, trustedAt, leapMs }: ClockState) {
  return {
    now: isoTime(now),
    trusted_at: isoTime(trustedAt),
    state: leapMs === null ? ('trusted' as const) : ('in doubt' as const),
    leap_seconds: leapMs === null ? null : Math.round(leapMs / 1_000),
  };
}

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
    const {
      database,
      isFolderIntact,
      integrity,
      cache,
      models,
      deployedModels,
      unavailablePolicies,
      textModel,
      clock,
    } = health;
    return {
      status,
      database,
      data_folder: isFolderIntact,
      integrity,
      cache,
      models,
      deployed_models: deployedModels,
      unavailable_policies: unavailablePolicies,
      text_model: textModel,
      clock,
    };
  },
  'system.openapi': (deps) => makeOpenApi(deps.toolVersion),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
  'clock.get': (deps) => toClock(deps.trustedTime.look()),
  'clock.confirm': (deps) => toClock(deps.trustedTime.confirm()),
} satisfies Handlers<
  'system.root' | 'system.health' | 'system.ready' | 'system.openapi' | 'system.jwks' | 'clock.get' | 'clock.confirm'
>;
