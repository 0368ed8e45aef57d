/** Information about the service itself. */
import { z } from 'zod';
import { dateTime } from '../common.ts';
import { operation, updates } from '../operation.ts';

const open = { access: 'public', tag: 'System' } as const;

const clockSchema = z
  .object({
    now: dateTime,
    trusted_at: dateTime.describe('The time by which data are removed for their age, never later than now'),
    state: z
      .enum(['trusted', 'in doubt'])
      .describe('in doubt: the clock is over a week ahead of the running time, and not yet seen for four hours of it'),
    leap_seconds: z.int().nullable().describe('How far it is ahead; null while it is trusted'),
  })
  .meta({ id: 'Clock' });

export const systemOperations = {
  'system.root': operation('GET', '/', {
    ...open,
    output: z.object({
      service: z.string(),
      by: z.string(),
      version: z.string(),
      documentation: z.string(),
      openapi: z.string(),
      health: z.string(),
    }),
    summary: 'Name and version of the service',
  }),
  'system.health': operation('GET', '/health', {
    ...open,
    output: z.record(z.string(), z.string()),
    summary: 'Liveness',
  }),
  'system.ready': operation('GET', '/ready', {
    ...open,
    output: z.record(z.string(), z.union([z.string(), z.boolean(), z.int()])),
    summary: 'Readiness of database, cache and models',
  }),
  'system.metrics': operation('GET', '/metrics', {
    output: null,
    produces: 'text/plain',
    access: 'key',
    scope: 'read',
    summary: 'Counts since the start and the state of the service, for Prometheus',
    description: 'Decisions and policies of the own organisation; requests, refusals and the machine of all.',
    tag: 'System',
  }),
  'system.openapi': operation('GET', '/api/v1/openapi.json', {
    ...open,
    output: z.record(z.string(), z.unknown()),
    summary: 'This interface as OpenAPI 3.1',
  }),
  'system.jwks': operation('GET', '/.well-known/jwks.json', {
    ...open,
    output: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    summary: 'Public keys of the local identity provider',
  }),
  'clock.get': operation('GET', '/api/v1/clock', {
    output: clockSchema,
    access: 'key',
    scope: 'read',
    summary: 'The clock of the service, and whether retention may act on it',
    tag: 'System',
  }),
  'clock.confirm': operation('POST', '/api/v1/clock/confirm', {
    output: clockSchema,
    access: 'owner',
    summary: 'Say that the clock is right as it stands now, so that retention goes on',
    hints: { ...updates, destructive: true },
    tag: 'System',
  }),
};
