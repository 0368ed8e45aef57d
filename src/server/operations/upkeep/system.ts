/** Handlers for information about the service and its clock. */
import { isoTime } from '../../process/clock.ts';
import { checkHealth } from '../../services/upkeep/health.ts';
import { writeMetrics } from '../../services/upkeep/metrics.ts';
import type { ClockState } from '../../services/upkeep/trusted-time.ts';
import type { Handlers } from '../context.ts';

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
  'system.ready': (deps) => checkHealth(deps),
  'system.metrics': (deps, { caller }) => ({
    download: true,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: Buffer.from(writeMetrics(deps, caller)),
  }),
  'system.openapi': (deps) => deps.openApi(),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
  'clock.get': (deps) => toClock(deps.trustedTime.look()),
  'clock.confirm': (deps) => toClock(deps.trustedTime.confirm()),
} satisfies Handlers;
