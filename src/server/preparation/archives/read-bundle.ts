/** Reading a bundle that is to decide in a workbench: its policy, and its settings as those of a decision type. */
import { type Bundle, packBundle, unpackBundle } from '../../../engine/bundle/bundle.ts';
import { toManifestDraft } from '../../../engine/bundle/manifest.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { sha256 } from '../../process/clock.ts';
import { checkDefinition } from '../rules/definition-checks.ts';

/** A bundle as it is kept: its file, slim and with its new name, beside the settings of its type. */
export type ReadBundle = Awaited<ReturnType<typeof readBundle>>;
/** The names of a policy where it comes to: its id, its number and its type, null for that of the bundle. */
export type BundleName = { policyId: string; version: number; typeName: string | null };

/** Reads a bundle. Throws `validation_error` with place and remedy. */
export async function readBundle(bytes: Uint8Array, name: BundleName) {
  const bundle = unpackBundle(bytes, sha256);
  const { manifest } = bundle;
  const definition = toDefinition(bundle);
  const [problem] = await checkDefinition({
    definition,
    fallbackOption: manifest.fallback_option,
    rulesField: 'hard_rules',
    isSchemaKept: false,
  });
  if (problem !== undefined) throw refuse(problem.msg);
  const typeName = name.typeName ?? manifest.decision_type;
  return {
    file: renameBundle(bundle, { ...name, typeName }),
    /** The digest of the file as it was sent, under its old names. */
    sentSha256: sha256(bytes),
    typeName,
    definition,
    piiFields: manifest.pii_fields ?? [],
    fallbackOption: manifest.fallback_option,
    isRulesOnly: manifest.classifier === null,
    marks: manifest.questions ?? [],
    snapshotSha256: manifest.training?.snapshot_sha256 ?? null,
    seed: manifest.training?.seed ?? null,
  };
}

function refuse(problem: string): WorkbenchError {
  return new WorkbenchError(
    'validation_error',
    `The rules of the bundle cannot be edited here: ${problem}. Move the decision type as a file (export-type) instead.`,
    [{ type: 'bundle', loc: ['body', 'file', 'entry rules.json'], msg: problem }],
  );
}

function toDefinition({ manifest, rules, inputSchema }: Bundle): Definition {
  const { options, reason_codes, confidence_thresholds, escalation_policy, readings = [] } = manifest;
  const hardRules = rules.rules.map(({ ast: _ast, ...rule }) => rule);
  // The bundle has the values of named lists where rules name them, and not the lists.
  const named = hardRules.find(({ condition }) => /\blists\s*[.[]/.test(condition));
  if (named !== undefined)
    throw refuse(`its rule ${JSON.stringify(named.name)} names a list, which bundles do not hold`);
  return {
    options,
    reason_codes,
    hard_rules: hardRules,
    lists: {},
    readings: Object.fromEntries(readings.map(({ path, reading }) => [path.join('.'), reading])),
    input_schema: inputSchema,
    confidence_thresholds,
    escalation_policy,
  };
}

function renameBundle(bundle: Bundle, { policyId, version, typeName }: BundleName & { typeName: string }): Uint8Array {
  const settings = toManifestDraft(bundle.manifest);
  const manifest = { ...settings, decision_type: typeName, policy_id: policyId, policy_version: `v${version}` };
  return packBundle({ ...bundle, manifest }, sha256);
}
