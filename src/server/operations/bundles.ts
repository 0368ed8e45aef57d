import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { WorkbenchError } from '../../engine/errors.ts';
import type { DeployedPolicy } from '../store/policies.ts';
import type { Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';

const remedy = 'train the decision type again, or put a backup of the file in its place';

export const bundleHandlers = {
  'bundle.export': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    deps.metering.checkExport(caller);
    const policy = deps.store.policies.deployedOf(type.id);
    if (policy === null)
      throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type.');
    const slim = await stored(policy);
    const body = query.slim ? slim : await completed(slim);
    return { download: true, contentType: 'application/zip', fileName: `${type.name}-v${policy.version}.zip`, body };

    async function stored({ id, bundleSha256 }: DeployedPolicy): Promise<Uint8Array> {
      let bytes: Uint8Array;
      try {
        bytes = await readFile(path.join(deps.options.dataDir, 'artifacts', `${id}.zip`));
      } catch (cause) {
        throw new WorkbenchError('unavailable', `The file of the policy cannot be read; ${remedy}.`, undefined, {
          cause,
        });
      }
      if (deps.sha256(bytes) === bundleSha256) return bytes;
      throw new WorkbenchError('unavailable', `The file of the policy is damaged; ${remedy}.`);
    }

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
