import { ActionIcon, Button } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { Rule } from '../../../engine/domain.ts';
import type { RuleProblem } from '../../../engine/rules/compile.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/rules.ts';
import { Figure } from '../../parts/figure.tsx';
import { count, number } from '../../parts/figures.ts';
import { showUnseen } from '../../parts/names.ts';
import { OptionName } from '../../parts/option.tsx';
import { Pane } from '../../parts/panes.tsx';
import { orderRules } from './order-rules.ts';
import { SortableRule, SortableRules } from './sortable-rules.tsx';

/** A line as high as that of the counts: what is below does not move when they come. */
const noCounts = '\u00a0';
const toText = ({ matched, disagrees }: { matched: number; disagrees: number }) =>
  `${count(matched, 'example')}${disagrees === 0 ? '' : `, ${number(disagrees)} disagree`}`;

/** The rules in their order, each with what it does to the examples and whether something is wrong with it. */
export function RuleList({
  type,
  rules,
  chosen,
  problems,
  analysis,
  onChoose,
  onAdd,
  onMove,
}: {
  type: DecisionType;
  rules: readonly Rule[];
  chosen: number;
  problems: readonly RuleProblem[];
  analysis: RulesAnalysis | undefined;
  onChoose(place: number): void;
  onAdd(): void;
  /** Moves the rule at a place in the draft by so many places of the order. */
  onMove(place: number, by: number): void;
}) {
  const impact = new Map(analysis?.impact?.rules.map((each) => [each.rule, each.examples]));
  const order = orderRules(rules);
  const undecided = analysis?.impact?.examples.undecided;
  return (
    <Pane
      title="In order"
      sub
      tools={
        <>
          <ActionIcon aria-label="Move the rule up" title="Alt+↑" onClick={() => onMove(chosen, -1)}>
            <ArrowUp size={14} />
          </ActionIcon>
          <ActionIcon aria-label="Move the rule down" title="Alt+↓" onClick={() => onMove(chosen, 1)}>
            <ArrowDown size={14} />
          </ActionIcon>
          <Button size="compact-xs" variant="default" onClick={onAdd}>
            New rule
          </Button>
        </>
      }
    >
      <p className="muted hint">The first match decides.</p>
      <SortableRules rules={rules} order={order} onMove={onMove}>
        <ol className="queues rule-list" aria-label="Rules">
          {order.map((place) => {
            const rule = rules[place];
            if (!rule) return null;
            const counts = impact.get(place);
            const hasProblem = problems.some((problem) => problem.rule === place);
            const warnings = analysis?.findings.filter(
              (finding) => finding.rule === place && finding.severity === 'warning',
            );
            return (
              <SortableRule key={place} place={place} name={rule.name}>
                <button type="button" aria-current={place === chosen} onClick={() => onChoose(place)}>
                  <span className="title">
                    <span className="wrap strong">{showUnseen(rule.name)}</span>
                    {hasProblem ? (
                      <span className="tag bad">check</span>
                    ) : (
                      warnings &&
                      warnings.length > 0 && (
                        <span
                          className="tag warn number"
                          title="Warnings about this rule; they stand below the editor."
                        >
                          {warnings.length}
                        </span>
                      )
                    )}
                  </span>
                  <OptionName typeId={type.id} option={rule.then} />
                  <span
                    className="muted number"
                    title="Examples that this rule is the first to match, and how many of them have another label."
                  >
                    {counts ? toText(counts) : noCounts}
                  </span>
                </button>
              </SortableRule>
            );
          })}
          {undecided !== undefined && (
            <li className="muted hint">
              then the classifier ·{' '}
              <Figure says="Examples that no rule matches; the classifier decides them.">
                {count(undecided, 'example')}
              </Figure>
            </li>
          )}
        </ol>
      </SortableRules>
    </Pane>
  );
}
