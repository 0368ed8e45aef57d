/** Replays logged inputs with a policy beside the deployed one. Writes no log record. */
import type { Decider } from '../../../engine/decide/golden.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { Foundation } from '../../foundation.ts';
import type { DeployedPolicy } from '../../store/policies/deployments.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

type ReplayQuery = { page: number; page_size: number; end_time?: string | undefined };
type Differing = { logId: string; input: JsonObject; deployed: Decision; replayed: Decision };
/** `rows` were decided by both, `refused` by neither; `total` counts the records of all pages. */
export type Replay = { differing: Differing[]; rows: number; refused: number; total: number };

/** Inputs whose texts are embedded at a time; other calls have their turn between them. */
const decidedAtOnce = 8;

/**
 * Decides one page of the log with a policy and with the deployed one, both by the current rules and thresholds. Masked
 * values are the same for both, so they make no difference by themselves. Throws `model_not_deployed`, `conflict` for a
 * policy that is not trained to the end, or `unavailable`.
 */
export function replayLogged(
  deps: Foundation,
  type: DecisionTypeRecord,
  { id, version, bundleSha256, status }: PolicyRecord,
  query: ReplayQuery,
): Promise<Replay> {
  const deployed = findDeployed(deps, type);
  if (bundleSha256 === null) throw new WorkbenchError('conflict', `A policy in status ${status} cannot decide.`);
  const other = deps.runtime.deployed.getTrained(type, { id, version, bundleSha256 });
  return replay(deps, type, [deps.runtime.deployed.get(type, deployed), other], query);
}

/** As `replayLogged`, of the newest decisions, with another decider. */
export function replayNewest(
  deps: Foundation,
  type: DecisionTypeRecord,
  other: Decider,
  rows: number,
): Promise<Replay> {
  const present = deps.runtime.deployed.get(type, findDeployed(deps, type));
  return replay(deps, type, [present, other], { page: 1, page_size: rows });
}

function findDeployed({ store }: Foundation, { id }: DecisionTypeRecord): DeployedPolicy {
  const deployed = store.deployments.find(id);
  if (deployed !== null) return deployed;
  throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Deploy one first.');
}

async function replay(
  { store }: Foundation,
  type: DecisionTypeRecord,
  [present, other]: readonly [Decider, Decider],
  { page, page_size, ...filter }: ReplayQuery,
): Promise<Replay> {
  const { decisions, total } = await store.logs.page(type.seq, filter, page, page_size);
  const found: Replay = { differing: [], rows: 0, refused: 0, total };
  for (let at = 0; at < decisions.length; at += decidedAtOnce) {
    const some = decisions.slice(at, at + decidedAtOnce);
    const inputs = some.map(({ input }) => input);
    await Promise.all([present.embedAhead(inputs), other.embedAhead(inputs)]);
    for (const { id: logId, input } of some) {
      const [before, after] = await Promise.all([present.decide(input), other.decide(input)]);
      if (!before.ok || !after.ok) {
        found.refused += 1;
        continue;
      }
      found.rows += 1;
      if (before.decision.decision === after.decision.decision) continue;
      found.differing.push({ logId, input, deployed: before.decision, replayed: after.decision });
    }
  }
  return found;
}
