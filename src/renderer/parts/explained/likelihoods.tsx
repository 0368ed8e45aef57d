/** How likely each option is by the policy that decided. */
import { useOperation, usePolicy } from '../../state/queries.ts';
import { Bars } from '../bars.tsx';
import { OptionName, useOptionColours } from '../option.tsx';
import { number } from '../text/figures.ts';

type LikelihoodsProps = {
  typeId: string;
  decided: { policy_version: string; class_probabilities: Readonly<Record<string, number>> };
  says: string;
  /** How many are shown; all where it is left out. */
  limit?: number;
};

const setAsideHelp = 'These had too few examples to be learned, and go to a person. The policy knows them only as one.';

/** Bars of the options, the likeliest first; those that were set aside in training as one. */
export function Likelihoods({ typeId, decided, says, limit }: LikelihoodsProps) {
  const colourOf = useOptionColours(typeId);
  const setAside = useSetAside(typeId, decided.policy_version);
  const all = Object.entries(decided.class_probabilities);
  const together = all.filter(([option]) => setAside.includes(option));
  const learned = all
    .filter(([option]) => !setAside.includes(option))
    .map(([option, value]) => ({
      key: `option ${option}`,
      name: <OptionName typeId={typeId} option={option} />,
      value,
      colour: colourOf(option),
    }));
  const somethingElse = {
    key: 'set aside',
    name: (
      <span title={setAsideHelp}>
        Something else: {together.length === 1 ? 'an answer' : `one of ${number(together.length)} answers`} set aside
      </span>
    ),
    value: together.reduce((sum, [, value]) => sum + value, 0),
  };
  const items = together.length === 0 ? learned : [...learned, somethingElse];
  return <Bars says={says} items={items.sort((a, b) => b.value - a.value).slice(0, limit)} />;
}

/** The options that a policy has not learned; none until it is known. */
function useSetAside(typeId: string, policyVersion: string): readonly string[] {
  const list = useOperation('policies.list', { params: { decision_type_id: typeId } });
  const policy = list.data?.find(({ version }) => `v${version}` === policyVersion);
  return usePolicy(typeId, policy?.id).data?.metrics?.rare_options?.options ?? [];
}
