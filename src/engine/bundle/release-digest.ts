/** The name of what decides: a digest of all that has a part in decisions, and of nothing else. */
import { strToU8 } from 'fflate';
import { toCanonicalJson } from '../json.ts';
import type { Sha256 } from '../ports.ts';
import type { Manifest, ManifestDraft } from './manifest.ts';

/** Entries that say nothing about decisions, or that the manifest names apart. */
const undecidingEntries: readonly string[] = [
  'golden.jsonl',
  'model-card.md',
  'LICENSES',
  'text/tokenizer.json',
  'text/encoder.onnx',
];

/** The digest of a release: equal where what decides is equal, whatever the names; as `_bundle/release.py` has it. */
export function digestRelease(manifest: ManifestDraft, files: Manifest['files'], sha256: Sha256): string {
  const { options, reason_codes, confidence_thresholds, escalation_policy, fallback_option, classifier } = manifest;
  const { text, set_aside = [], never_alone, readings = [] } = manifest;
  const deciding = Object.entries(files).filter(([name]) => !undecidingEntries.includes(name));
  const facts = {
    options,
    reason_codes,
    confidence_thresholds,
    escalation_policy,
    fallback_option,
    classifier,
    text: text && { encoder_sha256: text.encoder_sha256, tokenizer_sha256: text.tokenizer_sha256 },
    set_aside,
    never_alone,
    readings,
    files: Object.fromEntries(deciding.map(([name, facts]) => [name, facts.sha256])),
  };
  // Settings that are left out are undefined in some callers, absent in others.
  return sha256(strToU8(toCanonicalJson(JSON.parse(JSON.stringify(facts)))));
}
