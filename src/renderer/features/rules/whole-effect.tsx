import { useMemo } from 'react';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useSettled } from '../../parts/hooks/use-rested.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { quoteNames } from '../../parts/text/names.ts';
import type { TypeDraft } from '../../state/drafts.ts';
import { useOperation } from '../../state/queries.ts';

const delayMs = 700;
const tones = { better: 'good', worse: 'bad', not_shown: 'warn', unchanged: '' } as const;

type WholeEffectProps = {
  type: DecisionType;
  draft: TypeDraft;
  /** The rules that have one are left out. */
  problems: readonly RuleProblem[];
};

/** Says in one line whether the rules, as they would be saved, make the whole decision better or worse. */
export function WholeEffect({ type, draft, problems }: WholeEffectProps) {
  const tried = useMemo(() => {
    const broken = new Set(problems.map(({ rule }) => rule));
    return { ...draft, hard_rules: draft.hard_rules.filter((_, place) => !broken.has(place)) };
  }, [draft, problems]);
  const settled = useSettled(tried, delayMs);
  const params = { decision_type_id: type.id };
  const list = useOperation('policies.list', { params });
  const measured = list.data?.filter(({ whole }) => whole !== null) ?? [];
  const policy = measured.find(({ deployed }) => deployed) ?? measured[0];
  const logicOf = ({ hard_rules, lists }: Pick<TypeDraft, 'hard_rules' | 'lists'>) =>
    JSON.stringify([hard_rules, lists]);
  const isChanged = logicOf(settled) !== logicOf(type.active_version);
  const { data, isError, error } = useOperation(
    'policies.try_rules',
    {
      params: { ...params, policy_id: policy?.id ?? '' },
      body: {
        rules: settled.hard_rules,
        options: settled.options,
        reason_codes: settled.reason_codes,
        lists: settled.lists,
      },
    },
    { enabled: policy !== undefined && isChanged, keepPrevious: true },
  );
  if (!policy || !isChanged) return null;
  if (isError) return <ErrorNote error={error} />;
  return (
    <p
      className="whole-effect"
      aria-live="polite"
      title={`Rules, classifier and thresholds together, on the examples held out of the training of v${policy.version}. Rules made by looking at these examples look better than they are.`}
    >
      <span className={`tag ${tones[data?.verdict ?? 'unchanged']}`}>
        {type.model_deployed ? 'When published' : 'When saved'}
      </span>{' '}
      {data ? quoteNames(data.sentence) : 'Trying these rules on unseen examples…'}
    </p>
  );
}
