import { WorkbenchError } from '../../engine/errors.ts';
import type { Balance, PlanName } from '../contract/account/account.ts';
import type { Clock } from '../process/clock.ts';
import { isoTime } from '../process/clock.ts';
import type { Store } from '../store/store.ts';
import { creditPrices, plans } from './plans.ts';

type Organisation = { organisationSeq: number; organisationId: string };
type Account = { plan: PlanName; since: number; used: number; decisions: number; resetsAt: number | null };

/** Returns the first instant of the UTC month of `now`, and of the next. */
function toMonth(now: number): { start: number; next: number } {
  const date = new Date(now);
  return {
    start: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    next: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1),
  };
}

function readAccount(store: Pick<Store, 'accounts' | 'credits'>, now: number, caller: Organisation): Account {
  const organisation = store.accounts.getOrganisation(caller.organisationId);
  const plan = plans[organisation.plan];
  const month = toMonth(now);
  const since = plan.renews
    ? Math.max(month.start, plan.name === 'local' ? 0 : (organisation.monthlySince ?? organisation.planSince))
    : (organisation.trialSince ?? organisation.planSince);
  const { used, decisions } = store.credits.usedSince(caller.organisationSeq, since);
  return { plan: plan.name, since, used, decisions, resetsAt: plan.renews ? month.next : null };
}

/** Credits used and left. Checks throw `quota_exceeded`, `insufficient_credits` or `forbidden`, never on `local`. */
export function createMetering(store: Pick<Store, 'accounts' | 'credits' | 'decisionTypes'>, clock: Clock) {
  const getPlan = (caller: Organisation) => plans[store.accounts.getOrganisation(caller.organisationId).plan];

  const metering = {
    prices: creditPrices,
    balance(caller: Organisation): Balance {
      const { plan, used, since, resetsAt } = readAccount(store, clock.now(), caller);
      const allocation = plans[plan].credits;
      return {
        plan,
        allocation,
        used,
        remaining: allocation === null ? null : Math.max(0, allocation - used),
        percent_used: allocation === null ? null : Math.min(100, Math.round((used / allocation) * 10_000) / 100),
        period_start: isoTime(since),
        resets_at: resetsAt === null ? null : isoTime(resetsAt),
      };
    },
    /** Throws `quota_exceeded` where one more decision is not allowed; `countPending` counts uncommitted ones. */
    checkDecision(caller: Organisation, countPending: (organisationSeq: number) => number): void {
      const plan = getPlan(caller);
      if (plan.credits === null) return;
      const { used, decisions } = readAccount(store, clock.now(), caller);
      const pending = countPending(caller.organisationSeq);
      if (plan.decisions !== null && decisions + pending >= plan.decisions) {
        throw new WorkbenchError('quota_exceeded', `The ${plan.title} plan allows ${plan.decisions} decisions.`);
      }
      if (used + pending * creditPrices.decision + creditPrices.decision > plan.credits) {
        throw new WorkbenchError('quota_exceeded', `The credits of the ${plan.title} plan are used up.`);
      }
    },
    /** As `checkCredits`, for a training. */
    checkTraining(caller: Organisation): void {
      metering.checkCredits(caller, creditPrices.training, 'a training');
    },
    /** Throws `quota_exceeded` when no credits are left, `insufficient_credits` when fewer than `needed` are. */
    checkCredits(caller: Organisation, needed: number, what: string): void {
      const plan = getPlan(caller);
      if (plan.credits === null) return;
      const left = plan.credits - readAccount(store, clock.now(), caller).used;
      if (left <= 0) throw new WorkbenchError('quota_exceeded', `The credits of the ${plan.title} plan are used up.`);
      if (left < needed) {
        throw new WorkbenchError('insufficient_credits', `${left} credits are left; ${what} costs ${needed}.`);
      }
    },
    /** Throws `quota_exceeded` when the organisation has as many decision types as its plan allows. */
    checkDecisionTypeCount(caller: Organisation): void {
      const plan = getPlan(caller);
      if (plan.decision_types === null) return;
      if (store.decisionTypes.count(caller.organisationId) >= plan.decision_types) {
        throw new WorkbenchError(
          'quota_exceeded',
          `The ${plan.title} plan allows ${plan.decision_types} decision types.`,
        );
      }
    },
    /** Throws `forbidden` when bundles may not be exported under the plan. */
    checkExport(caller: Organisation): void {
      const plan = getPlan(caller);
      if (!plan.bundle_export) {
        throw new WorkbenchError(
          'forbidden',
          `Bundle export is not part of the ${plan.title} plan (Growth and Scale).`,
        );
      }
    },
  };
  return metering;
}

export type Metering = ReturnType<typeof createMetering>;
