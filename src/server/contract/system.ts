/** What the service says of itself. */
import { z } from 'zod';
import { operation, reads } from './operation.ts';

const open = { access: 'public', status: 200, hints: reads, tag: 'System' } as const;

export const systemOperations = {
  'system.root': operation({
    ...open,
    method: 'GET',
    path: '/',
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
  'system.health': operation({
    ...open,
    method: 'GET',
    path: '/health',
    output: z.record(z.string(), z.string()),
    summary: 'Liveness',
  }),
  'system.ready': operation({
    ...open,
    method: 'GET',
    path: '/ready',
    output: z.record(z.string(), z.union([z.string(), z.boolean(), z.int()])),
    summary: 'Readiness of database, cache and models',
  }),
  'system.openapi': operation({
    ...open,
    method: 'GET',
    path: '/api/v1/openapi.json',
    output: z.record(z.string(), z.unknown()),
    summary: 'This interface as OpenAPI 3.1',
  }),
  'system.jwks': operation({
    ...open,
    method: 'GET',
    path: '/.well-known/jwks.json',
    output: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    summary: 'Public keys of the local identity provider',
  }),
};
