import { Button } from '@mantine/core';
import type { Rule } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { RuleProposals as Proposals } from '../../../server/contract/rules.ts';
import { useOperation } from '../../api/queries.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { count, percent } from '../../parts/figures.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';

type Props = { type: DecisionType; rules: readonly Rule[]; onAdd(rule: Rule): void };

/** Rules that the examples suggest beside the saved ones, each with what speaks for it; one click adds it to the draft. */
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
      <div className="scroll">
        <table className="plain" aria-label="Proposed rules">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">Then</th>
              <FigureHead says="Labelled examples that meet the condition and have this label.">For</FigureHead>
              <FigureHead says="Labelled examples that meet the condition and have another label.">Against</FigureHead>
              <FigureHead says="The least share of its decisions that is right, with 95 % certainty.">
                Right at least
              </FigureHead>
              <FigureHead says="The share of all examples that it would decide.">Decides</FigureHead>
              <td />
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <ProposalRow key={item.rule.name} type={type} item={item} rules={rules} onAdd={onAdd} />
            ))}
          </tbody>
        </table>
      </div>
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
      <td>
        <OptionName typeId={type.id} option={rule.then} />
      </td>
      <td className="number">{item.for.toLocaleString()}</td>
      <td className="number">{item.against.toLocaleString()}</td>
      <td className="number">{percent(item.precision_low)}</td>
      <td className="number">{percent(item.share)}</td>
      <td>
        <Button
          size="compact-xs"
          variant="default"
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
