/** Making a policy of rules alone: without examples and without a training. */
import { rmSync } from 'node:fs';
import { createTurns } from '../../../door/turns.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { packRulesPolicy } from '../../../engine/training/package/pack-rules-policy.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime, sha256 } from '../../process/clock.ts';
import { writeDurably } from '../../process/durable-file.ts';
import { compileSaved } from '../../runtime/current-settings.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { readPolicy } from './policies.ts';

/** Examples that golden inputs are made of, and the length in bytes up to which one is read. */
const maxInputs = 300;
const maxInputBytes = 8_000;

/**
 * Makes a policy of the rules of a type, its file first. Throws `validation_error` without a fallback option, and
 * `conflict` where another policy is made at the same time.
 */
export async function makeRulesPolicy(
  { store, clock, options, toolVersion, newId }: Foundation,
  type: DecisionTypeRecord,
  alongside: (made: PolicyRecord) => void,
): Promise<PolicyRecord> {
  const { fallbackOption, piiFields, activeVersion } = type;
  if (fallbackOption === null) {
    const msg = 'choose the option for what no rule decides';
    throw new WorkbenchError('validation_error', 'Rules alone cannot decide everything.', [
      { type: 'not_ready', loc: ['fallback_option'], msg },
    ]);
  }
  const { definition, versionNumber } = activeVersion;
  const id = newId();
  const version = store.policies.getNextVersion(type.id);
  const createdAt = clock.now();
  const settings = {
    tool_version: toolVersion,
    decision_type: type.name,
    version: versionNumber,
    policy_id: id,
    policy_version: `v${version}`,
    options: definition.options,
    reason_codes: definition.reason_codes,
    confidence_thresholds: definition.confidence_thresholds,
    escalation_policy: definition.escalation_policy,
    fallback_option: fallbackOption,
    created_at: isoTime(createdAt),
  };
  const parts = { settings, rules: compileSaved(activeVersion).file, inputSchema: definition.input_schema };
  const inputs = store.labelling.readNewestInputs(type.id, maxInputs, maxInputBytes);
  const bytes = await packRulesPolicy(parts, inputs, piiFields, {
    now: () => clock.monotonic(),
    sha256,
    pause: createTurns(clock),
  });
  const file = artifactPath(toFolderPaths(options.dataDir).artifacts, id);
  writeDurably(file, bytes);
  try {
    await store.writeLock.whenFree();
    return store.transaction(() => {
      const toolVersions = { node: process.version, tool: toolVersion };
      const bundle = { sha256: sha256(bytes), sizeBytes: bytes.length };
      store.policies.insertUntrained(type, { id, version, toolVersions, bundle, createdAt });
      const made = readPolicy(store, id);
      alongside(made);
      return made;
    });
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
