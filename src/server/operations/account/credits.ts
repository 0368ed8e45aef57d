/** Credits and plans. */
import { planNames } from '../../contract/account/credits.ts';
import { plans } from '../../metering/plans.ts';
import { isoTime } from '../../process/clock.ts';
import { choosePlan } from '../../services/account/credits.ts';
import type { UsageRecord } from '../../store/account/credits.ts';
import type { Handlers } from '../context.ts';
import { toPage } from '../pages.ts';

const dayMs = 24 * 3600 * 1000;

const toUsageItem = (entry: UsageRecord) => ({
  id: entry.id,
  operation: entry.operation,
  credits: entry.credits,
  decision_type_id: entry.decisionTypeId,
  reference_id: entry.referenceId,
  created_at: isoTime(entry.createdAt),
});

export const billingHandlers = {
  'credits.balance': (deps, { caller }) => deps.metering.balance(caller),

  'credits.usage': (deps, { caller, query }) => {
    const { entries, total, byOperation } = deps.store.credits.usage({
      organisationSeq: caller.organisationSeq,
      sinceMs: deps.clock.now() - query.days * dayMs,
      operation: query.operation ?? null,
      page: query.page,
      pageSize: query.page_size,
    });
    return {
      ...toPage(entries.map(toUsageItem), total, query),
      summary: {
        total_credits: Object.values(byOperation).reduce((sum, credits) => sum + credits, 0),
        by_operation: byOperation,
      },
    };
  },

  'billing.plans': (deps, { caller }) => ({
    current: deps.store.accounts.getOrganisation(caller.organisationId).plan,
    plans: planNames.map((name) => plans[name]),
  }),

  'billing.set_plan': (deps, { caller, body }) => {
    choosePlan(deps, caller, body.plan);
    return deps.metering.balance(caller);
  },
} satisfies Handlers;
