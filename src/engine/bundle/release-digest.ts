/** The name of what decides: a digest of all that has a part in decisions, and of nothing else. */
import { strToU8 } from 'fflate';
import type { Definition } from '../domain/definition.ts';
import { toCanonicalJson } from '../json.ts';
import type { Sha256 } from '../ports.ts';
import { listDecidingEntries } from './assemble.ts';
import type { Manifest } from './manifest.ts';

/** Entries of a policy's file that settings of the type replace. */
const replacedEntries: readonly string[] = ['rules.json', 'input_schema.json'];

/** The settings that decide beside a policy's own files. */
export type ReleaseSettings = Omit<Definition, 'options'> & { fallback_option: string | null };

const digest = (value: unknown, sha256: Sha256): string =>
  sha256(strToU8(toCanonicalJson(JSON.parse(JSON.stringify(value)))));

/** The digest of what a trained policy brings itself, from the manifest of its file: not its name, number or date. */
export function digestPolicy({ files, options, classifier, text, set_aside = [] }: Manifest, sha256: Sha256): string {
  const { slim: _slim, ...model } = text ?? { slim: true };
  const entries = listDecidingEntries(files).filter(([name]) => !replacedEntries.includes(name));
  return digest([options, classifier, model, set_aside, entries], sha256);
}

/** The digest of a release: equal where what decides is equal, whatever type and policy are called. */
export function digestRelease(
  policyDigest: string,
  {
    reason_codes,
    hard_rules,
    lists,
    readings,
    input_schema,
    confidence_thresholds,
    escalation_policy,
    fallback_option,
  }: ReleaseSettings,
  sha256: Sha256,
): string {
  const settings = { hard_rules, lists, readings, input_schema, confidence_thresholds, escalation_policy };
  return digest([policyDigest, { ...settings, reason_codes, fallback_option }], sha256);
}
