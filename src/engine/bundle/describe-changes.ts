/** The differences between two releases, in sentences. */
import type { Definition, NamedLists, Rule } from '../domain/definition.ts';
import { describeThresholds } from '../thresholds.ts';
import { describeRule } from './describe-policy.ts';

/** The settings that decide beside a policy's own files. */
export type ReleaseSettings = Omit<Definition, 'options'> & { fallback_option: string | null };

/** A release as its changes are described: the number of its policy, and the settings beside it. */
export type DescribedRelease = { policyVersion: number; settings: ReleaseSettings };

/** Sentences that are kept of one release. */
const maxSentences = 40;

const quote = (name: string) => `“${name}”`;
const isSame = (before: unknown, after: unknown) => JSON.stringify(before) === JSON.stringify(after);

/** Says what changed from one release to the next, at most 40 sentences; without one before, what the first has. */
export function describeChanges(before: DescribedRelease | null, after: DescribedRelease): string[] {
  if (before === null) return [`The first release: policy v${after.policyVersion}.`];
  const [was, is] = [before.settings, after.settings];
  const sentences: (string | (() => string))[] = [
    ...(before.policyVersion === after.policyVersion
      ? []
      : [`Policy v${after.policyVersion} decides instead of v${before.policyVersion}.`]),
    ...describeRuleChanges(was.hard_rules.filter(decides), is.hard_rules.filter(decides)),
    ...describeThresholdChanges(was, is),
    ...describeListChanges(was.lists, is.lists),
    ...(isSame(was.reason_codes, is.reason_codes) ? [] : ['The reason codes were changed.']),
    ...(isSame(was.input_schema, is.input_schema) ? [] : ['The input schema was changed.']),
    ...(isSame(was.readings, is.readings) ? [] : ['How texts are read was changed.']),
  ];
  const shown = sentences
    .slice(0, maxSentences)
    .map((sentence) => (typeof sentence === 'string' ? sentence : sentence()));
  return sentences.length <= maxSentences ? shown : [...shown, `${sentences.length - maxSentences} more changes.`];
}

const decides = ({ hint }: Rule) => hint !== true;

/** Changed rules; their sentences are written only where they are shown. */
function describeRuleChanges(before: readonly Rule[], after: readonly Rule[]): (string | (() => string))[] {
  const asItStands = (text: string) => text;
  const say = (rule: Rule) => describeRule(rule, asItStands, asItStands);
  const known = new Map(before.map((rule) => [rule.name, rule]));
  const kept = new Set(after.map(({ name }) => name));
  const changes = after.flatMap((rule): (string | (() => string))[] => {
    const earlier = known.get(rule.name);
    if (earlier === undefined) return [() => `Rule ${quote(rule.name)} is new: ${say(rule)}`];
    if (earlier.condition !== rule.condition || earlier.then !== rule.then) {
      return [() => `Rule ${quote(rule.name)} was: ${say(earlier)} It is: ${say(rule)}`];
    }
    return earlier.reason_code === rule.reason_code
      ? []
      : [
          `Rule ${quote(rule.name)} gives ${rule.reason_code === null ? 'no reason code' : `the reason code ${quote(rule.reason_code)}`}.`,
        ];
  });
  const gone = before.filter(({ name }) => !kept.has(name));
  const toOrder = (rules: readonly Rule[], names: { has(name: string): boolean }) =>
    rules.toSorted((a, b) => a.priority - b.priority).flatMap(({ name }) => (names.has(name) ? [name] : []));
  const isReordered = !isSame(toOrder(before, kept), toOrder(after, known));
  return [
    ...changes,
    ...gone.map((rule) => () => `Rule ${quote(rule.name)} is gone: ${say(rule)}`),
    ...(isReordered ? ['The rules are evaluated in another order.'] : []),
  ];
}

function describeThresholdChanges(before: ReleaseSettings, after: ReleaseSettings): string[] {
  const [was, is] = [before.confidence_thresholds, after.confidence_thresholds];
  const tell = (name: string, from: number | undefined, to: number | undefined) =>
    from === to ? [] : [`${name}: ${to ?? 'none'} instead of ${from ?? 'none'}.`];
  const own = [...new Set([was, is].flatMap(({ by_option = {} }) => Object.keys(by_option)))];
  const fallback = (option: string | null) => (option === null ? 'none' : quote(option));
  return [
    ...tell('Confidence to decide alone', was.auto_decide, is.auto_decide),
    ...own.flatMap((option) =>
      tell(`Confidence to decide ${quote(option)} alone`, was.by_option?.[option], is.by_option?.[option]),
    ),
    ...tell('Confidence below which a decision is handed on', was.escalation, is.escalation),
    ...(before.fallback_option === after.fallback_option
      ? []
      : [`Fallback: ${fallback(after.fallback_option)} instead of ${fallback(before.fallback_option)}.`]),
    ...(isSame(before.escalation_policy, after.escalation_policy)
      ? []
      : [`What no rule decides is handled otherwise. ${describeThresholds(after, quote)}`]),
  ];
}

function describeListChanges(before: NamedLists, after: NamedLists): string[] {
  const names = [...new Set([before, after].flatMap((lists) => Object.keys(lists)))];
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (was === undefined) return [`List ${quote(name)} is new, with ${is?.length} values.`];
    if (is === undefined) return [`List ${quote(name)} is gone.`];
    if (isSame(was, is)) return [];
    const [known, kept] = [new Set(was), new Set(is)];
    const added = is.filter((value) => !known.has(value)).length;
    const taken = was.filter((value) => !kept.has(value)).length;
    return [`List ${quote(name)}: ${added} values added, ${taken} taken away.`];
  });
}
