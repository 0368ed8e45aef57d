/** What the service says of itself and of the clock. */
import { makeOpenApi } from '../../contract/openapi.ts';
import { isoTime } from '../../process/clock.ts';
import { checkHealth } from '../../services/upkeep/health.ts';
import type { ClockState } from '../../services/upkeep/trusted-time.ts';
import type { Deps, Handlers } from '../context.ts';

type Used = Pick<
  Deps,
  'options' | 'folderWatch' | 'caretaker' | 'store' | 'auth' | 'trustedTime' | 'log' | 'toolVersion' | 'runtime'
>;

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
      isDiskFull,
      integrity,
      cache,
      models,
      deployedModels,
      unavailablePolicies,
      connectionsWithoutKey,
      textModel,
      clock,
    } = health;
    return {
      status,
      data_dir: deps.options.dataDir,
      database,
      data_folder: isFolderIntact,
      disk: isDiskFull ? 'full' : 'ok',
      integrity,
      cache,
      models,
      deployed_models: deployedModels,
      unavailable_policies: unavailablePolicies,
      connections_without_key: connectionsWithoutKey,
      text_model: textModel,
      clock,
    };
  },
  'system.openapi': (deps) => makeOpenApi(deps.toolVersion),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
  'clock.get': (deps) => toClock(deps.trustedTime.look()),
  'clock.confirm': (deps) => toClock(deps.trustedTime.confirm()),
} satisfies Handlers<
  'system.root' | 'system.health' | 'system.ready' | 'system.openapi' | 'system.jwks' | 'clock.get' | 'clock.confirm',
  Used
>;
