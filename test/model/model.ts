/** The interface in memory: plain data and the few sentences of the specification that say how it changes. */

export type Rule = { name: string; limit: number; then: string; priority: number };
export type Definition = {
  options: string[];
  rules: Rule[];
  thresholds: { auto_decide: number; escalation: number };
  between: 'flag' | 'accept' | 'fallback' | 'escalate';
};
type Example = { id: string; input: object; decision: string | null; reviewed: boolean; logId: string | null };
export type Log = {
  id: string | null;
  requestId: string;
  input: object;
  decision: string;
  confidence: number;
  stage: string;
  escalated: boolean;
  fallbackUsed: boolean;
  rules: string[];
  corrected: string | null;
};
export type DecisionType = {
  id: string;
  name: string;
  description: string;
  fallback: string | null;
  /** First to last; the last is active. */
  versions: Definition[];
  deployed: boolean;
  deleted: boolean;
  /** Newest first, like every list of the service. */
  examples: Example[];
  logs: Log[];
};
export type Key = {
  id: string;
  key: string;
  limit: number;
  revoked: boolean;
  window: { endsAt: number; used: number } | null;
};
export type Model = {
  types: DecisionType[];
  keys: Key[];
  credits: { operation: string; credits: number }[];
  elapsedMs: number;
  requests: number;
};

export const activeOf = (type: DecisionType): Definition => {
  const active = type.versions.at(-1);
  if (active === undefined) throw new Error('a decision type has a version');
  return active;
};

/** The types that are not deleted, newest first. */
export const alive = (model: Model) => model.types.filter((type) => !type.deleted).reverse();
export const named = (model: Model, name: string) => alive(model).find((type) => type.name === name);

/** The envelope of one page. */
export function pageOf<T>(all: readonly T[], page: number, pageSize: number) {
  return {
    items: all.slice((page - 1) * pageSize, page * pageSize),
    total: all.length,
    page,
    page_size: pageSize,
    pages: Math.ceil(all.length / pageSize),
  };
}

/** Rules as the service is given them and gives them back. */
export const writtenRules = (rules: readonly Rule[]) =>
  rules.map(({ name, limit, then, priority }) => ({
    name,
    condition: `ctx.amount > ${limit}`,
    then,
    reason_code: null,
    priority,
  }));

/** The rule that decides: lowest priority number first, equal ones in their listed order. */
export function matching({ rules }: Definition, amount: number): Rule | null {
  const sorted = [...rules].sort((a, b) => a.priority - b.priority);
  return sorted.find(({ limit }) => amount > limit) ?? null;
}

export type Outcome = { decision: string; stage: string; escalate: boolean; fallback_used: boolean };

/** What follows from the classifier's best option and its confidence. */
export function afterClassifier(type: DecisionType, option: string, confidence: number): Outcome {
  const { thresholds, between } = activeOf(type);
  const own = (escalate: boolean): Outcome => ({
    decision: option,
    stage: 'classifier',
    escalate,
    fallback_used: false,
  });
  if (confidence >= thresholds.auto_decide) return own(false);
  if (confidence >= thresholds.escalation) {
    if (between === 'accept') return own(false);
    if (between === 'flag') return own(true);
  }
  if (type.fallback === null) return own(true);
  return { decision: type.fallback, stage: 'fallback', escalate: true, fallback_used: true };
}

/** One call of a key: fixed windows of a minute that start with their first call. */
export function takeOf(model: Model, key: Key): { allowed: boolean; remaining: number } {
  if (key.window === null || model.elapsedMs >= key.window.endsAt) {
    key.window = { endsAt: model.elapsedMs + 60_000, used: 0 };
  }
  const allowed = key.window.used < key.limit;
  if (allowed) key.window.used += 1;
  return { allowed, remaining: key.limit - key.window.used };
}
