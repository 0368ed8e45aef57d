import type { Definition } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { findDecisionType, toDecisionType } from './decision-types.ts';

function refuse(field: 'from' | 'to', msg: string): never {
  const details = [{ type: 'invalid_value', loc: ['body', field], msg }];
  throw new WorkbenchError('validation_error', 'Request validation failed', details);
}

/** The definition with the option under its new name: in the list, in place, and in the rules that decide it. */
function renamed(definition: Definition, from: string, to: string): Definition {
  const rename = (option: string) => (option === from ? to : option);
  return {
    ...definition,
    options: definition.options.map(rename),
    hard_rules: definition.hard_rules.map((rule) => ({ ...rule, then: rename(rule.then) })),
  };
}

/** One new version and every example, together; undo tokens go, because they would bring the old name back. */
function commit(deps: Deps, row: DecisionTypeRow, from: string, to: string): void {
  const now = deps.clock.now();
  deps.store.decisionTypes.update(
    {
      ...row,
      fallbackOption: row.fallbackOption === from ? to : row.fallbackOption,
      activeVersion: {
        id: deps.newId(),
        versionNumber: row.activeVersion.versionNumber + 1,
        definition: renamed(row.activeVersion.definition, from, to),
        createdAt: now,
      },
      updatedAt: now,
    },
    true,
  );
  deps.store.examples.renameDecision(row.id, from, to, now);
}

export const optionRenameHandlers = {
  'options.rename': (deps, { caller, params, body: { from, to, commit: committed } }) =>
    deps.store.transaction(() => {
      const row = findDecisionType(deps, caller, params.decision_type_id);
      const { options, hard_rules } = row.activeVersion.definition;
      if (!options.includes(from)) refuse('from', 'must be one of the options');
      if (options.includes(to)) refuse('to', 'is an option already');
      const deployed = deps.store.deployments.find(row.id);
      const touches = {
        examples: deps.store.examples.labelCounts(row.id)[from] ?? 0,
        rules: hard_rules.filter((rule) => rule.then === from).map((rule) => rule.name),
        fallback_option: row.fallbackOption === from,
        deployed_policy: deployed?.options.includes(from) ?? false,
      };
      if (committed) commit(deps, row, from, to);
      const after = committed ? findDecisionType(deps, caller, row.id) : row;
      return { committed, touches, decision_type: toDecisionType(deps, after) };
    }),
} satisfies Handlers<'options.rename'>;
