/** The held-out examples of evaluated policies: cells of the confusion matrix, and two policies on the same rows. */
import type { JsonObject } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { findDecisionType } from '../services/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { toPage } from './pages.ts';

function checkPolicy(deps: Deps, caller: Caller, typeId: string, policyId: string): void {
  const type = findDecisionType(deps, caller, typeId);
  if (!deps.store.policies.get(type.id, policyId)) throw new WorkbenchError('not_found', 'There is no such policy');
}

const inputOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as JsonObject));

export const evaluationHandlers = {
  'policies.held_out': (deps, { params, query, caller }) => {
    checkPolicy(deps, caller, params.decision_type_id, params.policy_id);
    const { expected = null, predicted = null, page, page_size } = query;
    const found = deps.store.heldOut.page({ policyId: params.policy_id, expected, predicted }, page, page_size);
    return toPage(
      found.rows.map((row) => ({ ...row, input: inputOf(row.input) })),
      found.total,
      query,
    );
  },
  'policies.compare': (deps, { params, query, caller }) => {
    checkPolicy(deps, caller, params.decision_type_id, params.policy_id);
    checkPolicy(deps, caller, params.decision_type_id, query.with);
    const pair = { first: params.policy_id, second: query.with };
    const { counts, rows } = deps.store.heldOut.compare(pair, query.page, query.page_size);
    const items = rows.map((row) => ({
      example_id: row.example_id,
      input: inputOf(row.input),
      expected: row.expected,
      first: { predicted: row.first, confidence: row.first_confidence },
      second: { predicted: row.second, confidence: row.second_confidence },
    }));
    return { ...toPage(items, counts.only_first_right + counts.only_second_right, query), ...counts };
  },
} satisfies Handlers<'policies.held_out' | 'policies.compare'>;
