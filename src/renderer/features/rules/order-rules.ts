/** The order in which rules are asked. */
import type { Rule } from '../../../engine/domain/definition.ts';
import { priorityStep } from '../../state/drafts.ts';

/** Rules in the order in which they are asked, as places in the list of the draft. */
export function orderRules(rules: readonly Rule[]): number[] {
  return rules
    .map(({ priority }, index) => ({ priority, index }))
    .sort((a, b) => a.priority - b.priority || a.index - b.index)
    .map(({ index }) => index);
}

/** The rules after one of them moved among the others; priorities are numbered again, in tens. */
export function moveRule(rules: readonly Rule[], place: number, by: number): Rule[] {
  const order = orderRules(rules);
  const at = order.indexOf(place);
  const to = at + by;
  if (at < 0 || to < 0 || to >= order.length) return [...rules];
  order.splice(to, 0, ...order.splice(at, 1));
  return rules.map((rule, index) => ({ ...rule, priority: (order.indexOf(index) + 1) * priorityStep }));
}

/** Rules in place of all the others, in the order in which they are given; a place keeps its priority. */
export function replaceRules(rules: readonly Rule[], made: readonly Rule[]): Rule[] {
  const order = orderRules(rules);
  let priority = 0;
  return made.map((rule, index) => {
    priority = rules[order[index] ?? -1]?.priority ?? priority + priorityStep;
    return { ...rule, priority };
  });
}
