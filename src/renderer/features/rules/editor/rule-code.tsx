/** The condition of one rule as code, beside the sheet. */
import { Button } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import type { NamedLists, Rule } from '../../../../engine/domain/definition.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import type { RuleProblem } from '../../../../engine/rules/results.ts';
import type { RulesAnalysis } from '../../../../server/contract/types/rules.ts';
import { Busy, Keys, Part } from '../../../parts/notes.tsx';
import { isolate, showUnseen } from '../../../parts/text/names.ts';

// Comes with the first condition that is changed as code.
const ConditionEditor = lazy(async () => ({ default: (await import('./condition-editor.tsx')).ConditionEditor }));

type RuleCodeProps = {
  rule: Rule;
  isOpen: boolean;
  fields: readonly KnownField[];
  lists: NamedLists;
  problems: readonly RuleProblem[];
  findings: RulesAnalysis['findings'];
  onOpen(): void;
  onDone(): void;
  onCondition(condition: string): void;
};

/** The condition of a rule as code, what is wrong with it below; an editor while it is open. */
export function RuleCode({ rule, isOpen, onOpen, problems, ...rest }: RuleCodeProps) {
  // A rule that is not begun has no mistake yet.
  const shown = rule.condition.trim() === '' ? [] : problems;
  const open = (
    <Button size="compact-xs" title="Alt+Enter" onClick={onOpen}>
      Edit code
    </Button>
  );
  return (
    <Part title="In code" tools={!isOpen && open}>
      <div className="stack tight">
        {isOpen ? (
          <OpenCode rule={rule} problems={shown} {...rest} />
        ) : (
          <code className="lines">{showUnseen(rule.condition.replaceAll(' && ', '\n&& ')) || 'No condition yet'}</code>
        )}
        <RuleProblems problems={shown} />
      </div>
    </Part>
  );
}

type OpenCodeProps = Omit<RuleCodeProps, 'isOpen' | 'onOpen'>;

function OpenCode({ rule, fields, lists, problems, findings, onDone, onCondition }: OpenCodeProps) {
  const markers = useMemo(
    () => [
      ...problems.map(({ message, range }) => ({ message, severity: 'error' as const, ...range })),
      ...findings.flatMap(({ message, severity, range }) => (range ? [{ message, severity, ...range }] : [])),
    ],
    [problems, findings],
  );
  return (
    <Suspense fallback={<Busy>Loading the editor…</Busy>}>
      <ConditionEditor
        label={`Condition of ${isolate(rule.name)}`}
        value={rule.condition}
        onValue={onCondition}
        onDone={onDone}
        fields={fields}
        lists={lists}
        markers={markers}
      />
      {rule.condition.trim() === '' && (
        <p className="muted">
          The input is <code>ctx</code>: <code>ctx.amount &gt; 100 &amp;&amp; ctx.country in ["DE", "AT"]</code>. Pick a
          field to start: type <code>ctx.</code> or press <Keys keys="Ctrl+Space" />.
        </p>
      )}
    </Suspense>
  );
}

function RuleProblems({ problems }: { problems: readonly RuleProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul aria-live="polite" className="wrap">
      {problems.map(({ field, message, suggestion, range }) => (
        <li key={`${message}${range.start}`} className="bad-text">
          {field === 'condition' && `Position ${range.start + 1}: `}
          {showUnseen(message)}
          {suggestion && <span className="muted"> {showUnseen(suggestion)}</span>}
        </li>
      ))}
    </ul>
  );
}
