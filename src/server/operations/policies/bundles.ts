/** A policy as a file. */
import { exportBundle, findExportablePolicy } from '../../services/policies/export.ts';
import type { Handlers } from '../context.ts';

export const bundleHandlers = {
  'bundle.export': async (deps, { type, caller, query }) => {
    const exportable = findExportablePolicy(deps, caller, type, query.policy_id);
    const { bytes, fileName, identity } = await exportBundle(deps.runtime, type, exportable, query.slim);
    return { download: true, contentType: 'application/zip', fileName, body: bytes, etag: identity.digest };
  },
} satisfies Handlers;
