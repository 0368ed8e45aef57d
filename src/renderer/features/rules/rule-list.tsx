import { ActionIcon, Button } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { Rule } from '../../../engine/domain.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Figure } from '../../parts/figure.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Pane } from '../../parts/panes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { orderRules } from './order-rules.ts';
import { countWarnings, RuleMark } from './rule-sheet.tsx';
import { SortableRule, SortableRules } from './sortable-rules.tsx';

/** A line as high as that of the counts: what is below does not move when they come. */
const noCounts = '\u00a0';

/** How many examples the rule at a place of the draft is the first to match, in words. */
function writeCounts(analysis: RulesAnalysis | undefined, place: number): string {
  const counts = analysis?.impact.rules.find(({ rule }) => rule === place)?.examples;
  if (!counts) return noCounts;
  return `${count(counts.matched, 'example')}${counts.disagrees === 0 ? '' : `, ${number(counts.disagrees)} disagree`}`;
}

type RuleListProps = {
  type: DecisionType;
  rules: readonly Rule[];
  chosen: number;
  problems: readonly RuleProblem[];
  analysis: RulesAnalysis | undefined;
  onChoose(place: number): void;
  onAdd(): void;
  /** Moves the rule at a place in the draft by this many places of the order. */
  onMove(place: number, by: number): void;
};

/** The rules in their order, each with what it does to the examples and whether something is wrong with it. */
export function RuleList({ type, rules, chosen, problems, analysis, onChoose, onAdd, onMove }: RuleListProps) {
  const order = orderRules(rules);
  const undecided = analysis?.impact.examples.undecided;
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
          <Button size="compact-xs" onClick={onAdd}>
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
            return (
              <SortableRule key={place} place={place} name={rule.name}>
                <button type="button" aria-current={place === chosen} onClick={() => onChoose(place)}>
                  <span className="title">
                    <span className="wrap strong">{showUnseen(rule.name)}</span>
                    <RuleMark
                      isEmpty={rule.condition.trim() === ''}
                      hasProblem={problems.some((problem) => problem.rule === place)}
                      warningCount={countWarnings(analysis, place)}
                    />
                  </span>
                  <OptionName typeId={type.id} option={rule.then} />
                  <span
                    className="muted number"
                    title="Examples that this rule is the first to match, and how many of them have another label."
                  >
                    {writeCounts(analysis, place)}
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
