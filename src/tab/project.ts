/** A decision type in the tab, and its file: the archive that a workbench imports, and a tab goes on with. */
import { strFromU8 } from 'fflate';
import { sha256 } from '../edge/sha256.ts';
import { digestParts, unpackBundle } from '../engine/bundle/bundle.ts';
import { archiveZipLimits, toPolicyEntry, writeTypeArchive } from '../engine/bundle/type-archive.ts';
import { openZip } from '../engine/bundle/zip.ts';
import { type Definition, definitionSchema } from '../engine/domain/definition.ts';
import { endedFollowUp, type Metrics, metricsSchema } from '../engine/domain/metrics.ts';
import type { TrainingConfig } from '../engine/domain/training.ts';
import { WorkbenchError } from '../engine/errors.ts';
import { exampleFields, initialExample, toWireName } from '../engine/examples/fields.ts';
import type { JsonObject } from '../engine/json.ts';
import type { HeldOutRow } from '../engine/training/request.ts';

export type Example = {
  id: string;
  input: JsonObject;
  decision: string | null;
  reasonCodes: string[];
  test: boolean;
  /** Whether it came without its label. */
  later: boolean;
  addedMs: number;
};

export type TrainedPolicy = {
  id: string;
  config: TrainingConfig;
  seed: number;
  snapshotSha256: string;
  snapshotSize: number;
  bundle: Uint8Array;
  metrics: Metrics;
  heldOut: HeldOutRow[];
  completedMs: number;
};

export type Project = {
  id: string;
  versionId: string;
  name: string;
  definition: Definition;
  piiFields: string[];
  examples: Example[];
  createdMs: number;
  policy: TrainedPolicy | null;
};

/** Writes the project as the archive of its type, with one policy, which decides. */
export function writeProject(project: Project, toolVersion: string): Uint8Array {
  const { policy } = project;
  return writeTypeArchive({
    type: JSON.stringify(describeType(project, toolVersion)),
    examples: project.examples.map((example) => JSON.stringify(toArchived(example))),
    heldOut: policy?.heldOut.map((row) => JSON.stringify(toAnswer(row))) ?? [],
    policies: policy === null ? [] : [{ version: 1, bytes: policy.bundle }],
  });
}

function toArchived({ id, input, decision, reasonCodes, test, addedMs }: Example) {
  const given = { id, input, decision, reasonCodes, test, createdAt: addedMs, updatedAt: addedMs };
  const values: Record<string, unknown> = { ...initialExample, ...given };
  const toStored = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value);
  const { decisionTypeId: _, ...fields } = exampleFields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [toWireName(field), toStored(values[name])]));
}

const toAnswer = ({ example_id, expected, predicted, probabilities, unfamiliar, input_hash }: HeldOutRow) => ({
  policy: 1,
  example_id,
  expected,
  predicted,
  probabilities,
  unfamiliar: Number(unfamiliar),
  input_hash,
});

function describeType(project: Project, toolVersion: string) {
  const { id, versionId, name, definition, piiFields, createdMs, policy } = project;
  const version = { id: versionId, number: 1, definition, created_at: createdMs };
  return {
    id,
    name,
    description: '',
    pii_fields: piiFields,
    retention_days: null,
    fallback_option: null,
    costs: null,
    promise: null,
    audit: null,
    publish_by_hand: 0,
    active_version: 1,
    created_at: createdMs,
    updated_at: createdMs,
    versions: [version],
    policies: policy === null ? [] : [describePolicy(policy, piiFields, toolVersion)],
    releases: policy === null ? [] : [describeRelease(policy)],
    aliases: [],
  };
}

const describePolicy = (policy: TrainedPolicy, piiFields: readonly string[], tool: string) => ({
  id: policy.id,
  version: 1,
  type_version: 1,
  follows: null,
  status: 'deployed',
  auto_deployed: 1,
  quality_gate_met: null,
  training_config: policy.config,
  fallback_option: null,
  seed: policy.seed,
  snapshot_sha256: policy.snapshotSha256,
  snapshot_size: policy.snapshotSize,
  tool_versions: { tool, node: 'none' },
  metrics: { ...policy.metrics, follow_up: endedFollowUp },
  promise: null,
  pii_fields: piiFields,
  held_back: null,
  bundle_sha256: sha256(policy.bundle),
  bundle_size_bytes: policy.bundle.length,
  created_at: policy.completedMs,
  completed_at: policy.completedMs,
  deployed_at: policy.completedMs,
});

const describeRelease = ({ bundle, completedMs }: TrainedPolicy) => ({
  number: 1,
  policy: 1,
  type_version: 1,
  fallback_option: null,
  digest: digestParts(unpackBundle(bundle, sha256), sha256),
  made_at: completedMs,
  deployment: 1,
  automatic: 1,
  made_by: null,
  reason: null,
  changes: [],
});

/** Whether a file is an archive, of a project or of anything else. */
export const isArchive = (name: string): boolean => /\.zip$/i.test(name);

/** Reads the file of a project that a tab saved. Throws `validation_error` for any other one. */
export function readProject(bytes: Uint8Array): Project {
  try {
    return read(bytes);
  } catch (cause) {
    const message =
      'This ZIP is no project that a tab saved. Open the file of a table, or import the ZIP in a workbench.';
    throw new WorkbenchError('validation_error', message, undefined, { cause });
  }
}

function read(bytes: Uint8Array): Project {
  const zip = openZip(bytes, archiveZipLimits);
  const readText = (name: string) => strFromU8(zip.read(name) ?? new Uint8Array());
  const readLines = (name: string) =>
    readText(name)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const type = JSON.parse(readText('type.json'));
  const [version] = type.versions;
  const [policy] = type.policies;
  const bundle = zip.read(toPolicyEntry(1));
  return {
    id: type.id,
    versionId: version.id,
    name: String(type.name),
    definition: definitionSchema.parse(version.definition),
    piiFields: type.pii_fields,
    examples: readLines('examples.jsonl').map((row) => ({
      id: row.id,
      input: row.input_payload,
      decision: row.expected_decision,
      reasonCodes: row.reason_codes,
      test: row.test === 1,
      later: false,
      addedMs: row.created_at,
    })),
    createdMs: type.created_at,
    policy:
      policy === undefined || bundle === undefined
        ? null
        : {
            id: policy.id,
            config: policy.training_config,
            seed: policy.seed,
            snapshotSha256: policy.snapshot_sha256,
            snapshotSize: policy.snapshot_size,
            bundle,
            metrics: metricsSchema.parse(policy.metrics),
            heldOut: readLines('held-out.jsonl').map((row) => ({
              ...row,
              unfamiliar: row.unfamiliar === 1,
              ruled: false,
            })),
            completedMs: policy.completed_at,
          },
  };
}
