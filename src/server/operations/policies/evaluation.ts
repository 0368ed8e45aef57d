/** The held-out examples of evaluated policies: cells of the confusion matrix, and two policies on the same rows. */
import type { Decision } from '../../../engine/domain/decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { SliceReport } from '../../../engine/findings/slices.ts';
import { computeMcNemarP, describeComparison } from '../../../engine/measure/compare.ts';
import { toCallerId } from '../../auth/caller.ts';
import type { InputOf } from '../../contract/operations.ts';
import { replayLogged } from '../../services/deciding/replay.ts';
import {
  type Comparison,
  type DecidedRow,
  type PolicyPair,
  tryRules,
} from '../../services/policies/held-out-decisions.ts';
import { findPolicy } from '../../services/policies/policies.ts';
import { findSlices, makePolicyReport } from '../../services/policies/policy-report.ts';
import type { HeldOutRecord } from '../../store/examples/held-out.ts';
import { toAnalysisState } from '../analysis-state.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

type Page = { page: number; page_size: number };

const noSlices: SliceReport = { items: [], rows: 0, errors: 0, error_rate: 0, escalation_rate: 0, tested: 0 };

const noRates = {
  error_rate: null,
  error_interval: null,
  rest_error_rate: null,
  error_automatic: null,
  error_automatic_interval: null,
  rest_error_automatic: null,
  escalation_rate: null,
  rest_escalation_rate: null,
  p_value: null,
  adjusted_p_value: null,
};
const noSample =
  'Somebody chose to look at the corrected rows, mostly because they were wrong. So parts of them are counted, and no rate follows; the audit gives the error of live decisions.';

/** Returns the figures that are valid for weak parts among rows that people chose to look at. */
const withoutRates = (report: SliceReport) => ({
  ...report,
  items: report.items.map((slice) => ({ ...slice, ...noRates })),
  error_rate: null,
  escalation_rate: null,
  sentence: noSample,
});

/** One page of the rows of which the whole decision is `decided`, or wrong, as the store has pages. */
function pageDecided(
  { store }: Deps,
  all: readonly DecidedRow[],
  query: Pick<InputOf<'policies.held_out'>['query'], 'expected' | 'predicted' | 'decided' | 'wrong'> & Page,
): { rows: HeldOutRecord[]; total: number } {
  const matches = all
    .filter(
      ({ expected, prediction, whole }) =>
        (query.decided ?? whole.decision) === whole.decision &&
        (query.wrong !== true || whole.decision !== expected) &&
        (query.expected ?? expected) === expected &&
        (query.predicted ?? prediction.option) === prediction.option,
    )
    .sort((a, b) => b.prediction.confidence - a.prediction.confidence || (a.exampleId < b.exampleId ? -1 : 1));
  const from = (query.page - 1) * query.page_size;
  const rows = matches.slice(from, from + query.page_size).map(({ exampleId, expected, prediction }) => ({
    exampleId,
    input: store.heldOut.readInput(exampleId),
    expected,
    predicted: prediction.option,
    confidence: prediction.confidence,
  }));
  return { rows, total: matches.length };
}

function toDecided(row: DecidedRow | undefined) {
  if (row === undefined) return null;
  const { decision, stage, escalate } = row.whole;
  return { decision, stage, escalate };
}

const toReplayed = ({ decision, stage, escalate, confidence }: Decision) => ({ decision, stage, escalate, confidence });

function compareClassifiers({ store }: Deps, [first, second]: PolicyPair, { page, page_size }: Page): Comparison {
  const { counts, rows } = store.heldOut.compare({ first: first.id, second: second.id }, page, page_size);
  const judge = <P extends { predicted: string }>(prediction: P) => ({ ...prediction, decision: prediction.predicted });
  return { counts, rows: rows.map((row) => ({ ...row, first: judge(row.first), second: judge(row.second) })) };
}

export const evaluationHandlers = {
  'pinned_cases.list': async (deps, { type, query }) => {
    const policyId = query.policy_id ?? deps.store.deployments.find(type.id)?.id;
    if (policyId === undefined) {
      throw new WorkbenchError('model_not_deployed', 'No policy is deployed. Deploy one, or name a trained one.');
    }
    const policy = findPolicy(deps.store, type, policyId);
    const report = await deps.pinnedCases.tryToDecide(type, policy);
    if (report === null) throw new WorkbenchError('unavailable', 'The policy cannot be used, so it decides no case.');
    return {
      policy_id: policy.id,
      items: report.cases.map(({ example, isKept, ...made }) => ({
        example_id: example.id,
        input_payload: example.input,
        note: example.note,
        expected_decision: example.decision ?? '',
        ...made,
        kept: isKept,
      })),
      red: report.cases.filter(({ isKept }) => !isKept).length,
      uncovered_rules: report.uncoveredRules,
    };
  },
  'policies.whole': (deps, { type, policy, query }) => deps.heldOutDecisions.measureInDetail(type, policy, query),
  'policies.try_rules': (deps, { type, policy, body, caller }) =>
    tryRules(deps, toCallerId(caller), type, policy, body),
  'policies.slices': async (deps, { type, policy, query }) => {
    const { min_rows: minRows, ...asked } = query;
    const state = await findSlices(deps, type, policy, { ...asked, minRows });
    const report = state.known?.result ?? noSlices;
    const parts = query.rows === 'held_out' ? { ...report, sentence: null } : withoutRates(report);
    return { ...parts, ...toAnalysisState(state) };
  },
  'policies.report': async (deps, { type, policy, caller }) => {
    const body = Buffer.from(await makePolicyReport(deps, caller, type, policy));
    const fileName = `${type.name}-v${policy.version}-report.html`;
    return { download: true, contentType: 'text/html; charset=utf-8', fileName, body };
  },
  'policies.held_out': (deps, { type, policy, query }) => {
    const { page, page_size } = query;
    const decided = deps.heldOutDecisions.decide(type, policy, query);
    const filter = { policyId: policy.id, expected: query.expected ?? null, predicted: query.predicted ?? null };
    const { rows, total } =
      query.decided === undefined && query.wrong !== true
        ? deps.store.heldOut.page(filter, page, page_size)
        : pageDecided(deps, [...decided.values()], query);
    const items = rows.map(({ exampleId, input, ...row }) => ({
      example_id: exampleId,
      ...row,
      input: input && deps.auth.redact(input, type.piiFields),
      whole: toDecided(decided.get(exampleId)),
    }));
    return toPage(items, total, query);
  },
  'policies.compare': (deps, { type, policy, query }) => {
    const pair = [policy, findPolicy(deps.store, type, query.with)] as const;
    const { counts, rows } =
      query.judged === 'classifier'
        ? compareClassifiers(deps, pair, query)
        : deps.heldOutDecisions.compare(type, pair, query);
    const { onlyFirstRight: onlyFirst, onlySecondRight: onlySecond } = counts;
    const items = rows.map(({ exampleId, input, ...row }) => ({
      example_id: exampleId,
      ...row,
      input: input && deps.auth.redact(input, type.piiFields),
    }));
    return {
      ...toPage(items, onlyFirst + onlySecond, query),
      rows: counts.rows,
      both_right: counts.bothRight,
      both_wrong: counts.bothWrong,
      only_first_right: onlyFirst,
      only_second_right: onlySecond,
      p_value: computeMcNemarP({ onlyFirst, onlySecond }),
      sentence: describeComparison({ onlyFirst, onlySecond }),
    };
  },
  'policies.replay': (deps, { type, policy, query, caller }) =>
    deps.explanationTurns.take(toCallerId(caller), async () => {
      const { differing, ...counts } = await replayLogged(deps, type, policy, query);
      const items = differing.map(({ logId, input, deployed, replayed }) => ({
        log_id: logId,
        input: deps.auth.redact(input, type.piiFields),
        deployed: toReplayed(deployed),
        replayed: toReplayed(replayed),
      }));
      return { items, ...counts };
    }),
} satisfies Handlers;
