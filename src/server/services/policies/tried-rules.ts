import { noCosts } from '../../../engine/costs.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { toInvalidValue, toValidationError } from '../../errors/validation-error.ts';
import type { AnalysisRequest } from '../../preparation/analyse-rules.ts';
import type { Preparation } from '../../preparation/preparation.ts';
import { followsSettings, readPresentSettings } from '../../runtime/current-settings.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { maxReplayedRows, readTrainedFrom } from './promises.ts';

type Deps = { store: Pick<Store, 'heldOut' | 'decisionTypes'>; preparation: Pick<Preparation, 'runAdmitted'> };

/**
 * Returns whether rules make the whole decision better or worse, worked out elsewhere. Throws `validation_error` for
 * rules that do not compile, and `conflict` for a policy that no rules of now reach.
 */
export async function tryRules(
  { store, preparation }: Deps,
  callerId: string,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rules: hard_rules, ...request }: Pick<AnalysisRequest, 'rules' | 'options' | 'reason_codes'>,
): Promise<RulesEffect> {
  const trained = readTrainedFrom({ store }, policy);
  if (!followsSettings(type, trained)) {
    throw new WorkbenchError('conflict', 'The policy was trained with other options. Train the type again.');
  }
  const saved = type.activeVersion.definition;
  const { options = saved.options, reason_codes = saved.reason_codes } = request;
  const { rules: _compiled, ...settings } = readPresentSettings(type, trained);
  const rows = store.heldOut
    .listMeasured(policy.id, maxReplayedRows)
    .flatMap(({ input, ...row }) => (input === null ? [] : [{ ...row, input }]));
  const effect = await preparation.runAdmitted(callerId, 'tryRules', {
    saved,
    tried: { hard_rules, options, reason_codes },
    settings,
    rows,
    costs: type.costs ?? noCosts,
  });
  if ('problems' in effect) {
    throw toValidationError(
      effect.problems.map(({ rule, field, message }) => toInvalidValue(['body', 'rules', rule, field], message)),
    );
  }
  return effect;
}
