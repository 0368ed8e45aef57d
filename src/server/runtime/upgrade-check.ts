import { readFileSync } from 'node:fs';
import { unpackBundle } from '../../engine/bundle/bundle.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { sha256 } from '../process/clock.ts';
import { StartError } from '../process/start-error.ts';
import type { WorkbenchDatabase } from '../store/database.ts';
import { listDeployed } from '../store/policies/deployments.ts';
import { artifactPath } from './deployed-deciders.ts';
import { findForeignPart, type TextModel } from './encoder/text-model.ts';

const maxNamedTypes = 10;

/** Throws StartError `retraining`, with their types, where this program cannot use deployed policies. */
export function refuseRetraining(db: WorkbenchDatabase, artifactsDir: string, textModels: readonly TextModel[]): void {
  const lost = listDeployed(db)
    .filter(({ policyId, bundleSha256 }) => isLost(artifactPath(artifactsDir, policyId), bundleSha256, textModels))
    .map(({ typeName }) => typeName);
  if (lost.length === 0) return;
  const names = lost.slice(0, maxNamedTypes).map((name) => `"${name}"`);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : '';
  throw new StartError(
    'retraining',
    `After this upgrade only the rules of these decision types decide until they are trained again, because their ` +
      `policies were trained before 0.2.0 or with another text model: ${names.join(', ')}${more}. Nothing was changed, and the program ` +
      'that wrote the data can go on with them. To upgrade, start with --accept-retraining and train them again.',
  );
}

/** Whether none of these text models reads for the policy of a file. */
export function isLost(file: string, bundleSha256: string, textModels: readonly TextModel[]): boolean {
  try {
    const bytes = readFileSync(file);
    // A damaged file is not for the upgrade to tell, nor is one that cannot be read, or a text model that is not there.
    if (sha256(bytes) !== bundleSha256) return false;
    return findForeignPart(unpackBundle(bytes, sha256), textModels) !== null;
  } catch (error) {
    if (error instanceof WorkbenchError) return error.code === 'validation_error';
    if (error instanceof Error && 'syscall' in error) return false;
    throw error;
  }
}
