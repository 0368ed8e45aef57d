/** The plans and the prices. */
import type { Plan, PlanName } from '../contract/account/account.ts';

const unlimited = { credits: null, decision_types: null, decisions: null, bundle_export: true } as const;
const trial = { renews: false, decisions: 250, bundle_export: false } as const;
const small = { renews: true, decisions: null, bundle_export: false } as const;
const large = { renews: true, decisions: null, bundle_export: true } as const;

/** The plans with their limits; `local` refuses nothing and still meters. */
export const plans: Readonly<Record<PlanName, Plan>> = {
  local: { name: 'local', title: 'Local', price_per_month: 0, renews: true, ...unlimited },
  trial: { name: 'trial', title: 'Trial', price_per_month: 0, credits: 5_000, decision_types: 1, ...trial },
  developer: {
    name: 'developer',
    title: 'Developer',
    price_per_month: 19,
    credits: 10_000,
    decision_types: 2,
    ...small,
  },
  starter: { name: 'starter', title: 'Starter', price_per_month: 199, credits: 50_000, decision_types: 3, ...small },
  growth: { name: 'growth', title: 'Growth', price_per_month: 599, credits: 200_000, decision_types: 10, ...large },
  scale: { name: 'scale', title: 'Scale', price_per_month: 1_999, credits: 1_000_000, decision_types: 50, ...large },
};

export const creditPrices = { decision: 1, training: 2_000, hostingPerHour: 2, per100Tokens: 1 } as const;
