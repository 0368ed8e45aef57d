/** The deployed policy as a file. */

import { findDecisionType } from '../services/decision-types.ts';
import { exportBundle, findExportablePolicy } from '../services/deployment.ts';
import type { Handlers } from './context.ts';

export const bundleHandlers = {
  'bundle.export': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const exportable = findExportablePolicy(deps, caller, type);
    const body = await exportBundle(deps.runtime, type, exportable, query.slim);
    return { download: true, contentType: 'application/zip', fileName: exportable.fileName, body };
  },
} satisfies Handlers<'bundle.export'>;
