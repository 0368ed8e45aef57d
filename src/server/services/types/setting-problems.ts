/** Problems of a decision type's settings beside its rules, options and schema. */

import { toInvalidValue, toUnknownOption } from '../../../door/errors/validation-error.ts';
import type { Costs } from '../../../engine/costs.ts';
import type { EscalationPolicy } from '../../../engine/domain/definition.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import type { GroupSetting } from '../../../engine/report/groups.ts';
import type { Caller } from '../../auth/caller.ts';
import type { AuditSetting } from '../../contract/types/decision-types.ts';
import type { Foundation } from '../../foundation.ts';

/** Lists an enabled escalation's connection if there is none; if it goes later, calls end in the fallback. */
export function listConnectionProblems(
  deps: Foundation,
  caller: Caller,
  policy: EscalationPolicy | undefined,
): ErrorDetail[] {
  if (policy === undefined || !policy.enabled || policy.connection === null) return [];
  if (deps.store.connections.getByName(policy.connection, caller.organisationId) !== null) return [];
  return [
    {
      type: 'unknown_connection',
      loc: ['body', 'escalation_policy', 'connection'],
      msg: `there is no connection named "${policy.connection}"; connect it first, or leave enabled false`,
    },
  ];
}

/** Decisions drawn when a week ends must stay in the log until then, and some time after for judging. */
const minDaysForWeeks = 14;

/** Lists why an audit by weeks cannot draw from a log that is kept this long. */
export function listAuditProblems(audit: AuditSetting | null, retentionDays: number | null): ErrorDetail[] {
  if (audit?.per_week === undefined || retentionDays === null || retentionDays >= minDaysForWeeks) return [];
  const problem = `draws from whole weeks, which takes a log that is kept for ${minDaysForWeeks} days or more`;
  return [toInvalidValue(['body', 'audit', 'per_week'], problem)];
}

/** Lists pairs of costs that name no option, or two options twice. */
export function listCostProblems(costs: Costs | null | undefined, options: readonly string[]): ErrorDetail[] {
  const known = new Set(options);
  const seen = new Set<string>();
  return (costs?.pairs ?? []).flatMap((pair, index) => {
    const loc = ['body', 'costs', 'pairs', index];
    const unknown = (['right', 'decided'] as const).filter((field) => !known.has(pair[field]));
    const key = JSON.stringify([pair.right, pair.decided]);
    const isRepeated = seen.has(key);
    seen.add(key);
    return [
      ...unknown.map((field) => toUnknownOption([...loc, field], options)),
      ...(isRepeated ? [toInvalidValue(loc, 'names the same two options as an earlier pair')] : []),
    ];
  });
}

/** Lists a favoured option that the type does not have. */
export function listGroupProblems(groups: GroupSetting | null | undefined, options: readonly string[]): ErrorDetail[] {
  const isKnown = groups?.favoured == null || options.includes(groups.favoured);
  return isKnown ? [] : [toUnknownOption(['body', 'groups', 'favoured'], options)];
}
