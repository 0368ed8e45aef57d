/** The audit as the wire has it. */
import { describeAudit, measureAudit } from '../../../engine/measure/audit.ts';
import type { PolicyAuditAnswer } from '../../contract/examples/audit.ts';
import type { PolicyAudit } from '../../store/examples/audits.ts';
import type { Handlers } from '../context.ts';

export const auditHandlers = {
  'audit.get': ({ store, clock }, { type }) => {
    const policies = store.audits.countByPolicy(type.seq, clock.now()).map(toPolicyAudit);
    const deployed = store.deployments.find(type.id);
    const version = deployed === null ? null : store.policies.byId(deployed.id)?.version;
    return {
      audit: type.audit,
      to_judge:
        store.labelling.countQueue(type.id, { kind: 'audit' }) + store.audits.countWaiting(type.seq, clock.now()),
      deployed: policies.find(({ policy_version }) => policy_version === `v${version}`) ?? null,
      policies,
    };
  },
} satisfies Handlers;

function toPolicyAudit({ policyVersion, drawn, isWeekly, all, automatic }: PolicyAudit): PolicyAuditAnswer {
  const error = measureAudit(all);
  return {
    policy_version: policyVersion,
    drawn,
    error,
    error_automatic: measureAudit(automatic),
    sentence: describeAudit(error, isWeekly),
  };
}
