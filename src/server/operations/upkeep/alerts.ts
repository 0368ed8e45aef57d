/** Alerts as the owner sees them: what lasts, where it is sent, and how the last one went. */

import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { findAddressProblem } from '../../connections/address.ts';
import type { OutputOf } from '../../contract/operations.ts';
import type { Deps, Handlers } from '../context.ts';

function readAlerts({ alerts, alertReceiver }: Deps, organisationId: string): OutputOf<'alerts.get'> {
  const isShown = (of: { organisationId: string | null }) =>
    of.organisationId === null || of.organisationId === organisationId;
  const receiver = alertReceiver.describe();
  const { last } = alerts;
  return {
    receiver: receiver && {
      kind: receiver.kind,
      to: receiver.to,
      private_network: receiver.isPrivate,
      set_at_start: receiver.isFixed,
    },
    firing: alerts
      .listFiring()
      .filter(isShown)
      .map(({ organisationId: _whose, ...firing }) => firing),
    last: last && isShown(last) ? { alert: last.alert, at: last.at, tries: last.tries, error: last.error } : null,
  };
}

export const alertHandlers = {
  'alerts.get': (deps, { caller }) => readAlerts(deps, caller.organisationId),

  'alerts.set'(deps, { caller, body: { url, private_network: privateNetwork } }) {
    if (deps.alertReceiver.describe()?.isFixed) {
      throw new WorkbenchError('conflict', 'Where alerts are sent was said at the start of the program; say it there.');
    }
    const problem = url === null ? null : findAddressProblem({ url, privateNetwork });
    if (problem !== null) throw toValidationError([toInvalidValue(['body', 'url'], problem)]);
    const secret = deps.alertReceiver.setWebhook(url === null ? null : { url, privateNetwork });
    return { ...readAlerts(deps, caller.organisationId), secret };
  },

  async 'alerts.test'(deps) {
    const receiver = deps.alertReceiver.describe();
    if (receiver === null) throw new WorkbenchError('conflict', 'Alerts are sent to nobody. Set a webhook first.');
    const problem = await deps.alerts.test();
    return { ok: problem === null, message: problem ?? `It arrived at ${receiver.to}.` };
  },
} satisfies Handlers;
