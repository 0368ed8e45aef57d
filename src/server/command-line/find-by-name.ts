/** Decision types and policies by the names that people give them. */
import type { Client } from '../contract/client.ts';
import type { PolicySummary } from '../contract/policies/training.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { refuse } from './command.ts';

const pageSize = 100;

/** All decision types, page by page. */
export async function listTypes(client: Client): Promise<DecisionType[]> {
  const found: DecisionType[] = [];
  for (let page = 1; ; page += 1) {
    const { items, pages } = await client.call('decision_types.list', { query: { page, page_size: pageSize } });
    found.push(...items);
    if (page >= pages) return found;
  }
}

/** Finds the decision type of a name or, where none is given, the only one there is. */
export async function findType(client: Client, name: string | undefined): Promise<DecisionType> {
  const types = await listTypes(client);
  const [found, another] = name === undefined ? types : types.filter((type) => type.name === name);
  if (found !== undefined && another === undefined) return found;
  const names = types.length === 0 ? 'there is none yet' : types.map((type) => type.name).join(', ');
  const lack = name === undefined ? 'Name the decision type by --type' : `There is no decision type "${name}"`;
  throw refuse(`${lack}: ${names}.`);
}

/** Finds a policy of a type by its version (`3`, `v3`) or id or, where neither is given, the deployed one. */
export async function findPolicy(
  client: Client,
  type: DecisionType,
  wanted: string | undefined,
): Promise<PolicySummary> {
  const policies = await client.call('policies.list', { params: { decision_type_id: type.id } });
  const found = policies.find(({ id, version, deployed }) =>
    wanted === undefined ? deployed : id === wanted || [`${version}`, `v${version}`].includes(wanted),
  );
  if (found !== undefined) return found;
  const lack = wanted === undefined ? 'no deployed policy' : `no policy ${wanted}`;
  const versions = policies.length === 0 ? 'It has none yet; train one' : 'Name one of these by --policy';
  throw refuse(
    `The decision type ${type.name} has ${lack}. ${versions}: ${policies.map(({ version }) => `v${version}`).join(', ')}`.replace(
      /: $/,
      '.',
    ),
  );
}
