import { planNames } from '../contract/credits.ts';
import { plans } from '../metering/plans.ts';
import { isoTime } from '../process/clock.ts';
import type { Handlers } from './context.ts';
import { toPage } from './pages.ts';

const dayMs = 24 * 3600 * 1000;

export const billingHandlers = {
  'credits.balance': (deps, { caller }) => deps.metering.balance(caller),
  'credits.usage': (deps, { caller, query }) => {
    const usage = deps.store.credits.usage({
      organisationSeq: caller.organisationSeq,
      sinceMs: deps.clock.now() - query.days * dayMs,
      operation: query.operation ?? null,
      page: query.page,
      pageSize: query.page_size,
    });
    const items = usage.rows.map((row) => ({ ...row, created_at: isoTime(row.created_at) }));
    const total = Object.values(usage.byOperation).reduce((sum, credits) => sum + credits, 0);
    return { ...toPage(items, usage.total, query), summary: { total_credits: total, by_operation: usage.byOperation } };
  },
  'billing.plans': (deps, { caller }) => ({
    current: deps.store.accounts.organisation(caller.organisationId).plan,
    plans: planNames.map((name) => plans[name]),
  }),
  'billing.set_plan': (deps, { caller, body }) => {
    // choosing the same plan again must not give its credits again
    if (deps.store.accounts.organisation(caller.organisationId).plan !== body.plan) {
      deps.store.accounts.setPlan(caller.organisationId, body.plan, deps.clock.now());
    }
    return deps.metering.balance(caller);
  },
} satisfies Handlers<'credits.balance' | 'credits.usage' | 'billing.plans' | 'billing.set_plan'>;
