import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metrics } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { findDecisionType } from '../services/decision-types.ts';
import type { Deps, Handlers } from './context.ts';

/** The policy whose bundle may be exported, and the name of its file. Throws what the export answers otherwise. */
export function deployedBundle(deps: Deps, caller: Caller, decisionTypeId: string) {
  const type = findDecisionType(deps, caller, decisionTypeId);
  deps.metering.checkExport(caller);
  const policy = deps.store.policies.deployedOf(type.id);
  const metrics = policy === null ? null : deps.store.policies.byId(policy.id)?.metrics;
  if (policy === null || metrics == null) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type.');
  }
  return { type, policy, metrics: JSON.parse(metrics) as Metrics, fileName: `${type.name}-v${policy.version}.zip` };
}

export const bundleHandlers = {
  'bundle.export': async (deps, { caller, params, query }) => {
    const { type, policy, metrics, fileName } = deployedBundle(deps, caller, params.decision_type_id);
    const slim = await deps.runtime.deployed.exported(type, policy, metrics);
    const body = query.slim ? slim : await completed(slim);
    return { download: true, contentType: 'application/zip', fileName, body };

    async function completed(bytes: Uint8Array): Promise<Uint8Array> {
      const { withTextModel } = await import('../../engine/bundle/bundle.ts');
      const folder = path.join(deps.options.resourcesDir, 'models', 'all-MiniLM-L6-v2');
      const [tokenizer, encoder] = await Promise.all([
        readFile(path.join(folder, 'tokenizer.json')),
        readFile(path.join(folder, 'encoder.int8.onnx')),
      ]);
      return withTextModel(bytes, { tokenizer, encoder }, deps.sha256);
    }
  },
} satisfies Handlers<'bundle.export'>;
