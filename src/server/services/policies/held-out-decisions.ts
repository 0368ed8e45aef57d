/** The held-out rows of policies, decided again by the current settings: the only place that does it. */

import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { noCosts } from '../../../engine/costs.ts';
import type { ConfidenceThresholds, Readings } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { type Division, divideRows } from '../../../engine/findings/slice-conditions.ts';
import { findTakenOut, toLabel } from '../../../engine/findings/taken-out.ts';
import {
  type ConfidenceBin,
  type Confusion,
  countByConfidence,
  tabulateRows,
} from '../../../engine/measure/confusion.ts';
import {
  type DecidingSettings,
  decideRow,
  type ReappliedDecision,
  type ReappliedRow,
  reapplySettings,
  toMeasuredLabel,
  toUnruledRow,
} from '../../../engine/measure/reapply.ts';
import { measureChange } from '../../../engine/measure/rules-effect.ts';
import { type Basis, measureWholeDecision } from '../../../engine/measure/whole-decision.ts';
import type { RulesEffect, WholeDecision } from '../../../engine/measured.ts';
import { compareGroups, type GroupReport } from '../../../engine/report/groups.ts';
import { mergeThresholds } from '../../../engine/thresholds.ts';
import type { Foundation } from '../../foundation.ts';
import type { AnalysisRequest } from '../../preparation/rules/analyse-rules.ts';
import { readRecorded, type StoredRows, type TrialOrder } from '../../preparation/rules/try-rules.ts';
import { createRecentCache } from '../../process/recent-cache.ts';
import { followsSettings, readPresentSettings } from '../../runtime/current-settings.ts';
import type { ComparedRecord, ComparisonCounts } from '../../store/examples/held-out.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { readTrainedFrom } from './policies.ts';

type HeldOutPolicy = Omit<PolicyRecord, 'metrics'>;
type OpenRow = ReappliedRow & { exampleId: string };
export type DecidedRow = OpenRow & { whole: ReappliedDecision };
/** Held-out rows up to the current thresholds, and the whole decision with these. */
type Kept = {
  settings: DecidingSettings & { versionNumber: number };
  rows: OpenRow[];
  /** Those rows, and the ones that were taken out and are measured all the same: of these are all figures. */
  measured: ReappliedRow[];
  takenOut: ReappliedRow[];
  refused: number;
  /** Rows that cannot be decided again. */
  missing: number;
  /** Labels of inputs that the policies up to this one got wrong, and that it is not measured by any more. */
  dropped: number;
  basis: Basis;
  whole: WholeDecision;
  /** The groups that the rows fall into, by each field of the type's setting. */
  divisions: Division[];
  groups: GroupReport[];
};
/** Thresholds that are tried; a missing one is as it is now, or in the draft. */
export type TriedThresholds = {
  draft?: boolean | undefined;
  auto_decide?: number | undefined;
  escalation?: number | undefined;
  by_option?: Readonly<Record<string, number>> | undefined;
};
export type WholeDecisionDetail = WholeDecision &
  Confusion & {
    confidence_thresholds: ConfidenceThresholds;
    confidence_bins: ConfidenceBin[];
    groups: GroupReport[];
  };

type TypeWithPolicy = readonly [DecisionTypeRecord, HeldOutPolicy];
export type PolicyPair = readonly [HeldOutPolicy, HeldOutPolicy];
type Compared = { predicted: string; confidence: number; decision: string };
export type Comparison = {
  counts: ComparisonCounts;
  rows: (Omit<ComparedRecord, 'first' | 'second'> & { first: Compared; second: Compared })[];
};

/** The most held-out rows that are decided again: usual rules take a quarter of a second for this many. */
const maxRows = 10_000;
/** Policies of which it is known; 10,000 rows of one take about a megabyte. */
const maxKept = 40;
const binCount = 40;

/** Returns the thresholds that are tried. Throws `validation_error` for a wrong order or an unknown option. */
export function tryThresholds(
  type: DecisionTypeRecord,
  { confidence_thresholds: present }: Pick<DecidingSettings, 'confidence_thresholds'>,
  ownEscalation: number | null,
  { draft = false, ...tried }: TriedThresholds,
): { confidence_thresholds: ConfidenceThresholds } {
  const from = (draft && type.draft?.to.confidence_thresholds) || present;
  const { auto_decide = from.auto_decide, escalation = from.escalation, by_option = from.by_option ?? {} } = tried;
  if (escalation > auto_decide) {
    throw toValidationError([toInvalidValue(['query', 'escalation'], 'must not exceed auto_decide')]);
  }
  const unknown = Object.keys(tried.by_option ?? {}).find(
    (option) => !type.activeVersion.definition.options.includes(option),
  );
  if (unknown !== undefined) {
    throw toValidationError([toInvalidValue(['query', 'by_option', unknown], 'is not one of the options')]);
  }
  const thresholds = { auto_decide, escalation, ...(Object.keys(by_option).length > 0 && { by_option }) };
  return { confidence_thresholds: mergeThresholds(thresholds, ownEscalation) };
}

/** Decides held-out rows again, once for each change of rules, thresholds, fallback or examples. */
export class HeldOutDecisions {
  readonly #deps: Foundation;
  readonly #kept = createRecentCache<string, Kept>(maxKept);

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /** Measures the whole decision in detail; throws `validation_error` for thresholds in the wrong order. */
  measureInDetail(type: DecisionTypeRecord, policy: HeldOutPolicy, tried: TriedThresholds): WholeDecisionDetail {
    const { rows, measured, refused, settings, options, divisions, ...circumstances } = this.#try(type, policy, tried);
    const whole = measureWholeDecision({ rows: measured, refused }, settings, circumstances);
    return {
      ...whole,
      confidence_thresholds: settings.confidence_thresholds,
      ...tabulateRows(measured, settings, options),
      confidence_bins: countByConfidence(measured, binCount),
      groups: compareByType(type, { whole, rows, divisions }, settings),
    };
  }

  /** The rows that can be decided again with their decisions, by their examples' ids; errors as `measureInDetail`. */
  decide(type: DecisionTypeRecord, policy: HeldOutPolicy, tried: TriedThresholds): Map<string, DecidedRow> {
    const { rows, settings } = this.#try(type, policy, tried);
    return new Map(rows.map((row) => [row.exampleId, { ...row, whole: decideRow(row, settings) }]));
  }

  /** Compares two policies on their common held-out rows: counts, and a page of rows that only one decides right. */
  compare(
    type: DecisionTypeRecord,
    [first, second]: PolicyPair,
    { page, page_size, ...tried }: TriedThresholds & { page: number; page_size: number },
  ): Comparison {
    const counts = { rows: 0, bothRight: 0, bothWrong: 0, onlyFirstRight: 0, onlySecondRight: 0 };
    const ofSecond = this.decide(type, second, tried);
    const differing: {
      exampleId: string;
      expected: string;
      isFirst: boolean;
      first: DecidedRow;
      second: DecidedRow;
    }[] = [];
    for (const [exampleId, one] of this.decide(type, first, tried)) {
      const other = ofSecond.get(exampleId);
      if (other === undefined || other.expected !== one.expected) continue;
      const isFirst = one.whole.decision === one.expected;
      const isSecond = other.whole.decision === other.expected;
      counts.rows += 1;
      if (isFirst !== isSecond) {
        counts[isFirst ? 'onlyFirstRight' : 'onlySecondRight'] += 1;
        differing.push({ exampleId, expected: one.expected, isFirst, first: one, second: other });
      } else counts[isFirst ? 'bothRight' : 'bothWrong'] += 1;
    }
    differing.sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || (a.exampleId < b.exampleId ? -1 : 1));
    const from = (page - 1) * page_size;
    const rows = differing.slice(from, from + page_size).map(({ exampleId, expected, first: one, second: other }) => ({
      exampleId,
      expected,
      input: this.#deps.store.heldOut.readInput(exampleId),
      first: this.#toCompared(first, one),
      second: this.#toCompared(second, other),
    }));
    return { counts, rows };
  }

  /** The confidence is that of the decision, as everywhere. */
  #toCompared(policy: HeldOutPolicy, { exampleId, prediction, whole: { decision, stage } }: DecidedRow): Compared {
    const readOwn = () => {
      const place = readTrainedFrom(this.#deps, policy).version.definition.options.indexOf(decision);
      return Math.min(1, this.#deps.store.heldOut.readProbability(policy.id, exampleId, place));
    };
    const likely = decision === prediction.option ? prediction.confidence : readOwn();
    return { predicted: prediction.option, decision, confidence: stage === 'rules' ? 1 : likely };
  }

  /** Measures the effect of another policy, or of other settings, on the unseen examples that both have. */
  measureChange([now, deciding]: TypeWithPolicy, [then, policy]: TypeWithPolicy): RulesEffect {
    const [before, after] = [this.read(now, deciding), this.read(then, policy)];
    const others = new Map(after.rows.map((row) => [row.exampleId, row]));
    const pairs = before.rows.flatMap((row) => {
      const other = others.get(row.exampleId);
      return other?.expected === row.expected ? [[row, other] as const] : [];
    });
    const refused = deciding.id === policy.id ? Math.max(0, after.refused - before.refused) : 0;
    return measureChange(pairs, [before.settings, after.settings], now.costs ?? noCosts, refused);
  }

  /** Reads the held-out rows of a policy by current schema and rules, and the whole decision that follows. */
  read(type: DecisionTypeRecord, policy: HeldOutPolicy): Kept {
    const revision = this.#deps.store.examples.readRevision(type.id);
    const { activeVersion, fallbackOption, piiFields, groups } = type;
    const key = JSON.stringify([policy.id, activeVersion.id, fallbackOption, piiFields, groups, revision]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const kept = this.#decide(type, policy);
    // The rows of a transaction may still be rolled back, under the same revision.
    if (!this.#deps.db.inTransaction) this.#kept.set(key, kept);
    return kept;
  }

  #decide(type: DecisionTypeRecord, policy: HeldOutPolicy): Kept {
    const settings = readPresentSettings(type, readTrainedFrom(this.#deps, policy));
    const { heldOut } = this.#deps.store;
    const stored = listStored(this.#deps, type, policy, settings.readings);
    const { recorded, missing: unread, lost } = readRecorded(stored);
    const { rows: reapplied, refused, leftOut } = reapplySettings(recorded, settings);
    const { options } = type.activeVersion.definition;
    const labels = new Set(heldOut.listLabels(policy.id));
    for (const label of lost) labels.delete(label);
    for (const { inputHash, expected } of recorded) labels.add(toMeasuredLabel(inputHash, expected));
    const answers = findTakenOut(heldOut.listEarlier(type.id, policy.version, options, maxRows), labels);
    for (const answer of answers) labels.add(toLabel(answer));
    const doubted = heldOut.listDoubted(type.id, policy.version, options);
    const dropped = doubted.filter((label) => !labels.has(label)).length;
    const rows = reapplied.map(({ recorded: { exampleId }, ...row }) => ({ ...row, exampleId }));
    const takenOut = answers.map((answer) => toUnruledRow(answer, settings));
    const measured = [...rows, ...takenOut];
    const circumstances = { missing: unread + leftOut, dropped, takenOut, basis: heldOut.readBasis(policy.id) };
    const whole = measureWholeDecision({ rows: measured, refused }, settings, circumstances);
    // Tokens stand for the values of personal fields here, too, and keep them apart.
    const inputs = reapplied.map(({ recorded: { input } }) => ({
      input: this.#deps.auth.redact(input, type.piiFields),
    }));
    const divisions = (type.groups?.fields ?? []).map((field) => divideRows(inputs, field));
    const groups = compareByType(type, { whole, rows, divisions }, settings);
    return { settings, rows, measured, refused, ...circumstances, whole, divisions, groups };
  }

  #try(type: DecisionTypeRecord, policy: HeldOutPolicy, tried: TriedThresholds) {
    const known = this.read(type, policy);
    const { version, ownEscalation } = readTrainedFrom(this.#deps, policy);
    const settings = { ...known.settings, ...tryThresholds(type, known.settings, ownEscalation, tried) };
    return { ...known, settings, options: version.definition.options };
  }
}

/** Compares groups as the type asks; none where nothing is asked, or no figure of the rows is known. */
const compareByType = (
  { groups, activeVersion }: DecisionTypeRecord,
  { whole, rows, divisions }: Pick<Kept, 'whole' | 'rows' | 'divisions'>,
  settings: DecidingSettings,
): GroupReport[] =>
  groups === null || whole.baseline === null
    ? []
    : compareGroups(rows, divisions, settings, { ...groups, options: activeVersion.definition.options });

/** The held-out rows as they are stored, and what it takes to read them. */
const listStored = (
  { store }: Foundation,
  { id, piiFields }: Pick<DecisionTypeRecord, 'id' | 'piiFields'>,
  policy: Pick<PolicyRecord, 'id'>,
  readings: Readings,
): StoredRows => ({
  measured: store.heldOut.listMeasured(policy.id, maxRows),
  identifying: store.labelling.listIdentifyingFields(id),
  split: store.heldOut.readBasis(policy.id).way,
  piiFields,
  readings,
});

/** Says whether rules make the whole decision better. Throws `validation_error` or `conflict`. */
export function tryRules(
  deps: Foundation,
  callerId: string,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rules: hard_rules, ...request }: Pick<AnalysisRequest, 'rules' | 'options' | 'reason_codes' | 'lists'>,
): Promise<RulesEffect> {
  const saved = type.activeVersion.definition;
  const { options = saved.options, reason_codes = saved.reason_codes, lists = saved.lists } = request;
  return measureEffect(deps, callerId, type, policy, { rules: { hard_rules, options, reason_codes, lists } });
}

/** Says whether a draft makes the whole decision better: its type as it would be. Throws `conflict`. */
export function tryDraft(
  deps: Foundation,
  callerId: string,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  drafted: DecisionTypeRecord,
): Promise<RulesEffect> {
  const { rules: _compiled, ...settings } = readPresentSettings(drafted, readTrainedFrom(deps, policy));
  return measureEffect(deps, callerId, type, policy, { rules: drafted.activeVersion.definition, settings });
}

type Tried = Pick<TrialOrder['tried'], 'rules'> & Partial<TrialOrder['tried']>;

async function measureEffect(
  deps: Foundation,
  callerId: string,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rules, settings }: Tried,
): Promise<RulesEffect> {
  const trained = readTrainedFrom(deps, policy);
  if (!followsSettings(type, trained)) {
    throw new WorkbenchError('conflict', 'The policy was trained with other options. Train the type again.');
  }
  const { rules: _compiled, ...present } = readPresentSettings(type, trained);
  const effect = await deps.preparation.runAdmitted(callerId, 'tryRules', {
    saved: { rules: type.activeVersion.definition, settings: present },
    tried: { rules, settings: settings ?? present },
    rows: listStored(deps, type, policy, present.readings),
    costs: type.costs ?? noCosts,
  });
  if ('problems' in effect) {
    throw toValidationError(
      effect.problems.map(({ rule, field, message }) => toInvalidValue(['body', 'rules', rule, field], message)),
    );
  }
  return effect;
}
