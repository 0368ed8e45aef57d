/** Whether a finished training may be deployed by itself. */
import type { Metrics, TrainingConfig } from '../../../engine/domain.ts';
import { compareOnCommonRows } from '../../../engine/measure/common-rows.ts';
import type { HeldOutRow } from '../../../engine/training/request.ts';
import type { Foundation } from '../../foundation.ts';

type Trained = { typeId: string; heldOut: readonly HeldOutRow[] };

/** With fewer rows in common their F1 says less than that of all rows. */
const minCommonRows = 30;

/** Compares a trained policy with the deployed one on the rows that both have held out; null where there is nothing. */
export function compareWithDeployed(
  { store }: Foundation,
  { typeId, heldOut }: Trained,
): Metrics['compared_with_deployed'] {
  const deployed = store.deployments.find(typeId);
  const version = deployed === null ? null : store.policies.byId(deployed.id)?.version;
  if (deployed === null || version === undefined) return null;
  const own = heldOut.flatMap(({ example_id: exampleId, expected, predicted, ruled }) =>
    ruled ? [] : [{ exampleId, expected, predicted }],
  );
  const { rows, first, second } = compareOnCommonRows(own, store.heldOut.listAnswers(deployed.id));
  if (rows === 0) return null;
  return {
    policy_version: `v${version}`,
    rows,
    right: first.right,
    right_deployed: second.right,
    macro_f1: first.macroF1,
    macro_f1_deployed: second.macroF1,
  };
}

/**
 * Says which gate of its training a policy has missed; null where it meets them. Where a policy is deployed, the F1 is
 * that of the rows that both have held out: rows that came since may be harder, which is no fault of the new policy.
 */
export function describeMissedGate({ target_f1 }: Pick<TrainingConfig, 'target_f1'>, metrics: Metrics): string | null {
  const { compared_with_deployed: compared, macro_f1, slice_gate } = metrics;
  const common = compared !== null && compared.rows >= minCommonRows ? compared : null;
  const measured = common?.macro_f1 ?? macro_f1;
  if (target_f1 !== null && measured < target_f1) {
    const where = common === null ? '' : ` on the ${common.rows} rows that the deployed policy has held out, too,`;
    return `Its macro F1 of ${measured.toFixed(3)}${where} is below the ${target_f1} that the training asked for.`;
  }
  return slice_gate?.met === false ? 'A part of the examples certainly fails more often than slice_gate allows.' : null;
}
