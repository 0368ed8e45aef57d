/** A policy as a file. */
import { exportBundle, exportPage, findExportablePolicy } from '../../services/policies/export.ts';
import type { Handlers } from '../context.ts';

export const bundleHandlers = {
  'bundle.export': async (deps, { type, caller, query }) => {
    const exportable = findExportablePolicy(deps, caller, type, query.policy_id);
    const { bytes, fileName, identity } = await exportBundle(deps.runtime, type, exportable, query.slim);
    return { download: true, contentType: 'application/zip', fileName, body: bytes, etag: identity.digest };
  },
  'bundle.export_page': async (deps, { type, caller, query }) => {
    const exportable = findExportablePolicy(deps, caller, type, query.policy_id);
    const { html, fileName } = await exportPage(deps, type, exportable);
    return { download: true, contentType: 'text/html; charset=utf-8', fileName, body: Buffer.from(html) };
  },
} satisfies Handlers;
