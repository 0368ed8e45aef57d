import { Button } from '@mantine/core';
import type { Rule } from '../../../engine/domain/definition.ts';
import type { RuleProposals as Proposals } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionCell } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, percent } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';

type Props = { type: DecisionType; rules: readonly Rule[]; onAdd(rule: Rule): void };

/**
 * Rules that the examples suggest beside the saved ones, each with what speaks for it; one click adds it to the draft.
 */
export function RuleProposals({ type, rules, onAdd }: Props) {
  const found = useOperation('rules.propose', { params: { decision_type_id: type.id }, query: {} });
  if (found.isPending) return <Busy>Trying conditions on the examples…</Busy>;
  if (found.isError) return <ErrorNote error={found.error} retry={() => void found.refetch()} />;
  const { items, rows } = found.data;
  const searched = `${count(rows.searched + rows.checked, 'labelled example')} that no saved rule decides`;
  if (items.length === 0) {
    return <p className="muted">No condition is certain enough to be a rule among {searched}.</p>;
  }
  return (
    <div className="stack tight">
      <PlainTable
        label="Proposed rules"
        heads={[
          'Condition',
          'Then',
          { name: 'For', says: 'Labelled examples that meet the condition and have this label.' },
          { name: 'Against', says: 'Labelled examples that meet the condition and have another label.' },
          { name: 'Right at least', says: 'The least share of its decisions that is right, with 95% certainty.' },
          { name: 'Decides', says: 'The share of all examples that it would decide.' },
          { name: 'Actions', isHidden: true },
        ]}
      >
        {items.map((item) => (
          <ProposalRow key={item.rule.name} type={type} item={item} rules={rules} onAdd={onAdd} />
        ))}
      </PlainTable>
      <p className="muted small">
        By {searched}: conditions were found in one half of them, “right at least” is by the other.
      </p>
    </div>
  );
}

function ProposalRow({ type, item, rules, onAdd }: Props & { item: Proposals['items'][number] }) {
  const { rule } = item;
  const isAdded = rules.some(({ condition, then }) => condition === rule.condition && then === rule.then);
  return (
    <tr>
      <td className="mono wrap">{showUnseen(rule.condition)}</td>
      <OptionCell typeId={type.id} option={rule.then} />
      <td className="number">{item.for.toLocaleString()}</td>
      <td className="number">{item.against.toLocaleString()}</td>
      <td className="number">{percent(item.precision_low)}</td>
      <td className="number">{percent(item.share)}</td>
      <td>
        <Button
          size="compact-xs"
          disabled={isAdded}
          aria-label={`Add the rule ${isolate(rule.name)}`}
          onClick={() => onAdd(rule)}
        >
          {isAdded ? 'Added' : 'Add'}
        </Button>
      </td>
    </tr>
  );
}
