/** The plans and the prices. */
import type { Plan, PlanName } from '../contract/account/credits.ts';

const unlimited = { credits: null, decision_types: null, decisions: null, bundle_export: true } as const;

/** The plans with their limits; `local` refuses nothing and still meters. */
export const plans: Readonly<Record<PlanName, Plan>> = {
  local: { name: 'local', title: 'Local', price_per_month: 0, renews: true, ...unlimited },
  trial: {
    name: 'trial',
    title: 'Trial',
    price_per_month: 0,
    credits: 5_000,
    renews: false,
    decision_types: 1,
    decisions: 250,
    bundle_export: false,
  },
  developer: {
    name: 'developer',
    title: 'Developer',
    price_per_month: 19,
    credits: 10_000,
    renews: true,
    decision_types: 2,
    decisions: null,
    bundle_export: false,
  },
  starter: {
    name: 'starter',
    title: 'Starter',
    price_per_month: 199,
    credits: 50_000,
    renews: true,
    decision_types: 3,
    decisions: null,
    bundle_export: false,
  },
  growth: {
    name: 'growth',
    title: 'Growth',
    price_per_month: 599,
    credits: 200_000,
    renews: true,
    decision_types: 10,
    decisions: null,
    bundle_export: true,
  },
  scale: {
    name: 'scale',
    title: 'Scale',
    price_per_month: 1_999,
    credits: 1_000_000,
    renews: true,
    decision_types: 50,
    decisions: null,
    bundle_export: true,
  },
};

export const creditPrices = { decision: 1, training: 2_000, hostingPerHour: 2, per100Tokens: 1 } as const;
