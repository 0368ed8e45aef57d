/** The held-out examples of evaluated policies: cells of the confusion matrix, and two policies on the same rows. */

import { findDecisionType } from '../services/decision-types.ts';
import { findPolicy } from '../services/policies.ts';
import { findSlices } from '../services/slices.ts';
import { toAnalysisState } from './analysis-state.ts';
import type { Handlers } from './context.ts';
import { toPage } from './pages.ts';

const noSlices = { items: [], rows: 0, error_rate: 0, escalation_rate: 0, tested: 0 };

export const evaluationHandlers = {
  'policies.slices': async (deps, { params, query, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const policy = findPolicy(deps.store, type, params.policy_id);
    const state = await findSlices(deps, type, policy, {
      rows: query.rows,
      judged: query.judged,
      minRows: query.min_rows,
    });
    return { ...(state.known?.result ?? noSlices), ...toAnalysisState(state) };
  },
  'policies.held_out': (deps, { params, query, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    findPolicy(deps.store, type, params.policy_id);
    const { expected = null, predicted = null, page, page_size } = query;
    const { rows, total } = deps.store.heldOut.page(
      { policyId: params.policy_id, expected, predicted },
      page,
      page_size,
    );
    const items = rows.map(({ exampleId, input, ...row }) => ({
      example_id: exampleId,
      ...row,
      input: input && deps.auth.redact(input, type.piiFields),
    }));
    return toPage(items, total, query);
  },
  'policies.compare': (deps, { params, query, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    findPolicy(deps.store, type, params.policy_id);
    findPolicy(deps.store, type, query.with);
    const pair = { first: params.policy_id, second: query.with };
    const { counts, rows } = deps.store.heldOut.compare(pair, query.page, query.page_size);
    const items = rows.map(({ exampleId, input, ...row }) => ({
      example_id: exampleId,
      ...row,
      input: input && deps.auth.redact(input, type.piiFields),
    }));
    return {
      ...toPage(items, counts.onlyFirstRight + counts.onlySecondRight, query),
      rows: counts.rows,
      both_right: counts.bothRight,
      both_wrong: counts.bothWrong,
      only_first_right: counts.onlyFirstRight,
      only_second_right: counts.onlySecondRight,
    };
  },
} satisfies Handlers<'policies.slices' | 'policies.held_out' | 'policies.compare'>;
