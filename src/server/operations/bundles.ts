/** The deployed policy as a file. */

import { findDecisionType } from '../services/decision-types.ts';
import { exportBundle, findExportablePolicy } from '../services/deployment.ts';
import type { Handlers } from './context.ts';

export const bundleHandlers = {
  'bundle.export': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const exportable = findExportablePolicy(deps, caller, type);
    const { bytes, fileName, identity } = await exportBundle(deps.runtime, type, exportable, query.slim);
    return { download: true, contentType: 'application/zip', fileName, body: bytes, etag: identity.digest };
  },
} satisfies Handlers<'bundle.export'>;
