/** The case file of a logged decision: what was decided, why, by what, and what a person can do about it. */
import { createHash } from 'node:crypto';
import { showUnseen } from '../../../engine/code-points.ts';
import { isBareFallback } from '../../../engine/decide/compose-decision.ts';
import type { Rule } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { readPath } from '../../../engine/features/values.ts';
import { isPiiField } from '../../../engine/pii.ts';
import { type CaseLanguage, caseLanguages, caseWords } from '../../../engine/report/case-words.ts';
import { type CaseFile, writeCase } from '../../../engine/report/write-case.ts';
import { reportStyle } from '../../../engine/report/write-report.ts';
import { describeCondition } from '../../../engine/rules/analysis/words.ts';
import type { Explanation } from '../../contract/deciding/decisions.ts';
import { toScriptlessPolicy } from '../../contract/security-policy.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../process/clock.ts';
import type { LoggedDecision } from '../../store/deciding/logs.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { HeldOutDecisions } from '../policies/held-out-decisions.ts';
import { explainLogged } from './explaining.ts';
import { findLogged } from './logged-decisions.ts';

const securityPolicy = toScriptlessPolicy(createHash('sha256').update(reportStyle).digest('base64'));
const quote = (name: string) => `“${showUnseen(name)}”`;
const maxCauses = 3;
const maxWords = 5;

/** Collects the case of a log record; in the language of the type's texts where there are words for it. */
export async function makeCase(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  logId: string,
  language: CaseLanguage | undefined,
): Promise<CaseFile> {
  const { store, auth, clock } = deps;
  const logged = findLogged(deps, type, logId);
  const release = logged.release === null ? null : store.releases.find(type.id, logged.release);
  const policy = release && store.policies.byId(release.policyId);
  const version = release && store.decisionTypes.getVersion(type.id, release.versionId);
  const explanation = await explainOrNull(deps, type, logId);
  // Where personal values are masked, the input may be decided otherwise: that explains nothing.
  const isSame = explanation !== null && explanation.decision === logged.decision;
  const rule = version?.definition.hard_rules.find(({ name }) => name === logged.rulesTriggered[0]);
  const caseLanguage = language ?? chooseLanguage(policy);
  return {
    language: caseLanguage,
    request_id: logged.requestId,
    log_id: logged.id,
    decided_at: isoTime(logged.createdAt),
    decision_type: type.name,
    question: type.description,
    decision: logged.decision,
    confidence: logged.confidence,
    stage: logged.stage,
    reason_codes: logged.reasonCodes,
    escalated: logged.escalated,
    unfamiliar: logged.unfamiliar,
    corrected_decision: logged.correctedDecision,
    input: auth.redact(logged.input, type.piiFields),
    masked_fields: type.piiFields,
    rule:
      rule === undefined || logged.stage !== 'rules'
        ? null
        : { name: rule.name, condition: rule.condition, sentence: describeRule(rule, caseLanguage) },
    classifier: readClassifier(logged),
    causes: isSame || explanation?.trace ? listCauses(type, logged, explanation) : [],
    would_change: isSame ? toChanges(logged, explanation) : null,
    looked: listLooks(deps, logged),
    release: release && {
      number: release.number,
      digest: release.digest,
      policy_version: logged.policyVersion,
      since: isoTime(release.madeAt),
      by: release.by,
    },
    known_errors: readKnownErrors(policy),
    groups: listGroups(deps, type, policy),
    written_at: isoTime(clock.now()),
  };
}

/** Writes a case as a page to print. */
export const writeCasePage = (facts: CaseFile): string => writeCase(facts, securityPolicy);

/** A case has the record alone where its release cannot decide any more. */
async function explainOrNull(deps: Foundation, type: DecisionTypeRecord, logId: string): Promise<Explanation | null> {
  try {
    return await explainLogged(deps, type, logId);
  } catch (error) {
    if (error instanceof WorkbenchError && error.code !== 'rate_limited') return null;
    throw error;
  }
}

/** Says a rule in the words of a language; a condition beyond joined tests stands as its code. */
function describeRule({ condition, then }: Rule, language: CaseLanguage): string {
  const { ruleIs, conditions } = caseWords[language];
  return ruleIs(describeCondition(condition, quote, { ...conditions, write: String }) ?? condition, quote(then));
}

function chooseLanguage(policy: PolicyRecord | null): CaseLanguage {
  const main = policy?.metrics?.languages?.[0]?.language;
  return caseLanguages.find((each) => each === main) ?? 'en';
}

function readClassifier(logged: LoggedDecision): CaseFile['classifier'] {
  const { stage, confidence, classifierChoice, decision, classProbabilities } = logged;
  if (stage === 'rules' || isBareFallback({ stage, confidence, classifier_choice: classifierChoice })) return null;
  const choice = classifierChoice ?? decision;
  return { choice, probability: Math.min(1, classProbabilities[choice] ?? confidence) };
}

function listCauses(
  type: DecisionTypeRecord,
  logged: LoggedDecision,
  explanation: Explanation | null,
): CaseFile['causes'] {
  if (explanation === null || logged.stage === 'rules') return [];
  const isShown = (field: string) => !isPiiField([field], type.piiFields);
  const byField = Map.groupBy(explanation.trace?.features ?? [], ({ field }) => field);
  return [...byField]
    .map(([field, parts]) => ({ field, weight: parts.reduce((sum, { contribution }) => sum + contribution, 0), parts }))
    .filter(({ field, weight }) => weight > 0 && isShown(field))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxCauses)
    .map(({ field, parts }) => {
      const value = readPath(logged.input, field.split('.')) ?? null;
      const isText = parts.some(({ kind }) => kind.startsWith('text_'));
      return { field, value, words: isText && typeof value === 'string' ? listWords(explanation, field, value) : [] };
    });
}

const listWords = ({ words }: Explanation, field: string, text: string): string[] =>
  words
    .filter((each) => each.field === field && each.weight > 0)
    .slice(0, maxWords)
    .map(({ start, end }) => text.slice(start, end));

const toChanges = ({ input }: LoggedDecision, { flips }: Explanation): CaseFile['would_change'] =>
  flips.map(({ changes, decision }) => ({
    decision,
    changes: changes.map(({ field, to, removed }) => {
      const text = readPath(input, field.split('.'));
      const words = removed?.map(({ start, end }) => String(text).slice(start, end)).join(' … ') ?? null;
      return { field, to: to ?? null, words };
    }),
  }));

function listLooks({ store }: Foundation, logged: LoggedDecision): CaseFile['looked'] {
  const example = store.examples.getByLog(logged.id);
  if (example === null || example.decision === null) return [];
  const given = store.labelHistory
    .list(example.id)
    .flatMap(({ reader, givenAt, decision }) =>
      decision === null ? [] : [{ who: reader, at: isoTime(givenAt), decision }],
    );
  return given.length > 0 ? given : [{ who: null, at: isoTime(example.updatedAt), decision: example.decision }];
}

function readKnownErrors(policy: PolicyRecord | null): CaseFile['known_errors'] {
  const wrong = policy?.metrics?.whole?.error_automatic;
  if (wrong === undefined || wrong.share === null) return null;
  return { wrong: wrong.count, of: wrong.of, share: wrong.share, low: wrong.low, high: wrong.high };
}

/** The least even answer by each group field; a personal field has no names of groups. */
function listGroups(
  { heldOutDecisions }: { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  policy: PolicyRecord | null,
): CaseFile['groups'] {
  if (type.groups === null || policy === null || policy.metrics === null) return [];
  return heldOutDecisions.read(type, policy).groups.flatMap(({ field, ratios: [lowest] }) => {
    if (lowest === undefined) return [];
    const { option, ratio, least, most } = lowest;
    const toNamed = ({ group, share }: typeof least) => ({
      group: isPiiField(field.split('.'), type.piiFields) ? null : group,
      share,
    });
    return [{ field, option, ratio, least: toNamed(least), most: toNamed(most) }];
  });
}
