/** The figures of a policy on its held-out examples, and its report. */

import { createHash } from 'node:crypto';
import { createTurns } from '../../../door/turns.ts';
import { type CostFinding, noCosts } from '../../../engine/costs.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { isBetweenDates, listTextFields, nameField } from '../../../engine/features/plan.ts';
import { tellsPerson } from '../../../engine/features/tell-person.ts';
import { readPath, toCategory } from '../../../engine/features/values.ts';
import type { SliceReport } from '../../../engine/findings/slices.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { describeAgreement, measureAgreement } from '../../../engine/measure/agreement.ts';
import { measureCosts } from '../../../engine/measure/costs.ts';
import { isPiiField, redactPii } from '../../../engine/pii.ts';
import type { ReportInputs } from '../../../engine/report/describe-inputs.ts';
import { reportStyle, writeReport } from '../../../engine/report/write-report.ts';
import type { Analyses, AnalysisState } from '../../analysis/analysis.ts';
import type { SlicesOrder } from '../../analysis/orders.ts';
import type { Caller } from '../../auth/caller.ts';
import { toScriptlessPolicy } from '../../contract/security-policy.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../process/clock.ts';
import { readPresentSettings } from '../../runtime/current-settings.ts';
import type { PolicyFile } from '../../runtime/deployed-deciders.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { identifyRelease } from '../releases.ts';
import { type HeldOutDecisions, type TriedThresholds, tryThresholds } from './held-out-decisions.ts';
import { isRefitted, readTrainedFrom } from './policies.ts';
import { findObstacle } from './promises.ts';
import { assessPolicy, type VerdictDeps } from './verdict.ts';

/** Weighs errors against looks on held-out rows. Throws `validation_error` for thresholds in the wrong order. */
export function weighPolicyCosts(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  tried: TriedThresholds,
): CostFinding {
  const { escalation_threshold: ownEscalation } = policy.trainingConfig;
  const { settings, missing, measured, refused } = deps.heldOutDecisions.read(type, policy);
  return measureCosts({ rows: measured, refused }, missing, {
    costs: type.costs ?? noCosts,
    options: type.activeVersion.definition.options,
    settings,
    tried: { ...settings, ...tryThresholds(type, settings, ownEscalation, tried) },
    ownEscalation,
    refusal: findObstacle(deps, type, policy),
    isRefitted: isRefitted(policy),
  });
}

/** The weak parts as they are known, searched for where rows or settings have changed. Rejects with 'unavailable'. */
export function findSlices(
  deps: Foundation & { analyses: Analyses },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rows, judged, minRows, ...tried }: Pick<SlicesOrder, 'rows' | 'judged' | 'minRows'> & TriedThresholds,
): Promise<AnalysisState<SliceReport>> {
  const { store, analyses } = deps;
  const { piiFields } = type;
  const trained = readTrainedFrom(deps, policy);
  const { rules, versionNumber, readings, ...present } = readPresentSettings(type, trained);
  const settings = { ...present, ...tryThresholds(type, present, trained.ownEscalation, tried) };
  const order: SlicesOrder = {
    databaseFile: toFolderPaths(deps.options.dataDir).database,
    typeId: type.id,
    policyId: policy.id,
    policyVersion: `v${policy.version}`,
    rows,
    judged,
    leavesRuled: policy.trainingConfig.train_on === 'left_by_rules',
    settings: { ...settings, rules: rules.file },
    minRows,
    piiFields,
    readings,
  };
  const revision = store.examples.readRevision(type.id);
  const key = JSON.stringify([revision, policy.status, versionNumber, settings, piiFields]);
  return analyses.slices.ask(`${policy.id} ${rows} ${judged} ${minRows}`, key, order);
}

type Deps = Foundation & { analyses: Analyses; heldOutDecisions: HeldOutDecisions } & VerdictDeps;

const securityPolicy = toScriptlessPolicy(createHash('sha256').update(reportStyle).digest('base64'));
const minRows = 30;
/** The newest examples whose values are looked at, and how many of them are decided without a field. */
const maxSeen = 200;
const maxDecided = 60;
const maxBytes = 8_000;

/** Writes the report of a policy by the current settings. Throws `conflict` where its training has not succeeded. */
export async function makePolicyReport(
  deps: Deps,
  caller: Caller,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
): Promise<string> {
  const { metrics, isRulesOnly, version, status, completedAt, bundleSha256 } = policy;
  if (bundleSha256 === null) {
    throw new WorkbenchError(
      'conflict',
      `A policy in status ${status} has no report. Train the type to the end first.`,
    );
  }
  await deps.pinnedCases.tryToDecide(type, policy);
  const { store, clock, toolVersion } = deps;
  const trained = readTrainedFrom(deps, policy);
  const { rules, versionNumber, ...settings } = readPresentSettings(type, trained);
  const isMeasured = metrics !== null && metrics.test_size > 0;
  const slices = isMeasured
    ? await findSlices(deps, type, policy, { rows: 'held_out', judged: 'whole_decision', minRows })
    : null;
  const { name: organisation } = store.accounts.getOrganisation(caller.organisationId);
  const user = caller.userId === null ? null : store.accounts.getUser(caller.userId);
  const facts = {
    type: {
      name: type.name,
      description: type.description,
      options: trained.version.definition.options,
    },
    policy: {
      version,
      isRulesOnly,
      isDeployed: status === 'deployed',
      completedAt: completedAt === null ? null : isoTime(completedAt),
      release: identifyRelease(deps, type, { ...policy, bundleSha256 }),
    },
    versionNumber,
    metrics,
    whole: isMeasured ? deps.heldOutDecisions.measureInDetail(type, policy, {}) : null,
    inputs: await describeInputs(deps, type, { id: policy.id, version, bundleSha256 }),
    examples: describeExamples(deps, type),
    costs: isMeasured && type.costs !== null ? weighPolicyCosts(deps, type, policy, {}) : null,
    verdict: assessPolicy(deps, type, policy),
    weakParts: slices?.isFresh ? (slices.known?.result.items ?? null) : null,
    rules: rules.file.rules,
    settings,
    made: {
      by: user === null ? organisation : `${user.name} (${organisation})`,
      at: isoTime(clock.now()),
      toolVersion,
    },
  };
  return writeReport(facts, securityPolicy);
}

/** Describes the examples of a type as they are now: how many, since when, and how far those who label them agree. */
function describeExamples(
  { store }: Foundation,
  { id, activeVersion }: Pick<DecisionTypeRecord, 'id' | 'activeVersion'>,
) {
  const { labelChecks } = store.trainingRuns;
  const search = labelChecks.findNewest(id);
  const { total, labelled, reviewed, synthetic } = store.examples.computeTotals(id);
  const period = store.examples.findPeriod(id);
  const { pairs, ...agreement } = measureAgreement(store.labelHistory.listLabels(id));
  return {
    ...{ total, labelled, reviewed, synthetic },
    readers: store.labelHistory.countByReader(id),
    suspects: search === null ? null : labelChecks.countSuspects(search, activeVersion.definition.options),
    period: period && { first: isoTime(period.first), last: isoTime(period.last) },
    agreement: pairs.length === 0 ? null : { pairs, sentence: describeAgreement(agreement) },
  };
}

/** Describes the inputs of a trained policy; null where its file cannot be used. */
async function describeInputs(
  deps: Foundation,
  type: DecisionTypeRecord,
  policy: PolicyFile,
): Promise<ReportInputs | null> {
  const { store, runtime } = deps;
  try {
    const { plan, manifest } = runtime.deployed.readFile(type, policy).present;
    const decider = runtime.deployed.getTrained(type, policy);
    const seen = store.labelling.readNewestInputs(type.id, maxSeen, maxBytes).map(decider.read);
    const isHidden = (path: readonly string[]) => isPiiField(path, type.piiFields);
    const fields = (manifest.fields ?? []).map((field) =>
      isHidden(field.path) ? { ...field, values: null, range: null } : field,
    );
    const learned = [...plan.fields.filter((field) => !isBetweenDates(field)), ...listTextFields(plan)];
    const telling = learned.filter(({ path }) => tellsPerson(path.at(-1) ?? '', listTexts(seen, path)));
    const personal: ReportInputs['personal'] = [];
    const pause = createTurns(deps.clock);
    for (const { path } of telling) {
      const name = path.join('.');
      let changed = 0;
      for (const input of seen.slice(0, maxDecided)) {
        await pause();
        const [given, without] = [
          await decider.decide(input),
          await decider.decide(redactPii(input, [name], () => null)),
        ];
        if (given.ok && without.ok && given.decision.decision !== without.decision.decision) changed += 1;
      }
      personal.push({ name, changed, of: Math.min(maxDecided, seen.length) });
    }
    const between = plan.fields.filter(isBetweenDates).map(nameField);
    return {
      fields,
      readings: manifest.readings ?? [],
      between,
      personal,
      leftOut: plan.left_out.filter(({ path }) => isHidden([path])).map(({ path }) => path),
    };
  } catch (error) {
    if (error instanceof WorkbenchError) return null;
    throw error;
  }
}

const listTexts = (inputs: readonly JsonObject[], path: readonly string[]): string[] => [
  ...new Set(inputs.map((input) => toCategory(readPath(input, path))).filter((text) => text !== null)),
];
