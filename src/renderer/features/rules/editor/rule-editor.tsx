import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { NamedLists, Rule } from '../../../../engine/domain.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import type { RuleProblem } from '../../../../engine/rules/results.ts';
import type { RulesAnalysis } from '../../../../server/contract/types/rules.ts';
import { Busy, Keys } from '../../../parts/notes.tsx';
import { toChoices } from '../../../parts/option.tsx';
import { isolate, showUnseen } from '../../../parts/text/names.ts';
import type { TypeDraft } from '../../../state/drafts.ts';

const ConditionEditor = lazy(async () => ({ default: (await import('./condition-editor.tsx')).ConditionEditor }));

type RuleEditorProps = {
  /** It has just been made: what is typed next is its name. */
  isNew: boolean;
  rule: Rule;
  draft: TypeDraft;
  fields: readonly KnownField[];
  problems: readonly RuleProblem[];
  findings: RulesAnalysis['findings'];
  onRule(patch: Partial<Rule>, mergeKey?: string): void;
  onRemove(): void;
};

/** One rule: its name, its condition as code, and what it decides. */
export function RuleEditor({ isNew, rule, draft, fields, problems, findings, onRule, onRemove }: RuleEditorProps) {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isNew) return;
    name.current?.focus();
    name.current?.select();
  }, [isNew]);
  // A rule that is not begun has no mistake yet.
  const shown = rule.condition.trim() === '' ? [] : problems;
  return (
    <section className="part stack" aria-label={`Rule ${isolate(rule.name)}`}>
      <div className="row still">
        <TextInput
          ref={name}
          className="grow"
          label="Rule name"
          value={rule.name}
          onChange={(event) => onRule({ name: event.currentTarget.value }, 'name')}
        />
        <NumberInput
          label="Priority"
          title="Lower numbers go first."
          w={90}
          min={1}
          value={rule.priority}
          onChange={(priority) => onRule({ priority: Math.max(1, Math.round(Number(priority) || 1)) }, 'priority')}
        />
      </div>
      <div className="stack tight">
        <span className="strong">Condition</span>
        <ConditionText
          rule={rule}
          fields={fields}
          lists={draft.lists}
          findings={findings}
          problems={shown}
          onValue={(condition) => onRule({ condition }, 'condition')}
        />
        <RuleProblems problems={shown} />
      </div>
      <Outcome rule={rule} draft={draft} onRule={onRule} />
      <Button size="compact-xs" onClick={onRemove}>
        Delete rule
      </Button>
    </section>
  );
}

type ConditionTextProps = Pick<RuleEditorProps, 'rule' | 'fields' | 'problems' | 'findings'> & {
  lists: NamedLists;
  onValue(condition: string): void;
};

/** The condition as text, what is wrong with it marked where it stands. */
function ConditionText({ rule, fields, lists, problems, findings, onValue }: ConditionTextProps) {
  return (
    <>
      <Suspense fallback={<Busy>Loading the editor…</Busy>}>
        <span className="muted">
          The input is <code>ctx</code>: <code>ctx.amount &gt; 100 &amp;&amp; ctx.country in ["DE", "AT"]</code>
        </span>
        <ConditionEditor
          label={`Condition of ${isolate(rule.name)}`}
          value={rule.condition}
          onValue={onValue}
          fields={fields}
          lists={lists}
          markers={[
            ...problems.map(({ message, range }) => ({ message, severity: 'error' as const, ...range })),
            ...findings.flatMap(({ message, severity, range }) => (range ? [{ message, severity, ...range }] : [])),
          ]}
        />
      </Suspense>
      {rule.condition.trim() === '' && (
        <p className="muted">
          Pick a field to start: type <code>ctx.</code> or press <Keys keys="Ctrl+Space" />.
        </p>
      )}
    </>
  );
}

function Outcome({ rule, draft, onRule }: { rule: Rule; draft: TypeDraft; onRule(patch: Partial<Rule>): void }) {
  const codes = new Set([...draft.reason_codes, ...(rule.reason_code === null ? [] : [rule.reason_code])]);
  return (
    <div className="row still">
      <NativeSelect
        className="grow"
        label="Then"
        value={rule.then}
        data={toChoices([...new Set([...draft.options, rule.then])])}
        onChange={(event) => onRule({ then: event.currentTarget.value })}
      />
      <NativeSelect
        className="grow"
        label="Reason code"
        value={rule.reason_code ?? ''}
        data={[{ value: '', label: 'None' }, ...toChoices([...codes])]}
        onChange={(event) => onRule({ reason_code: event.currentTarget.value || null })}
      />
    </div>
  );
}

function RuleProblems({ problems }: { problems: readonly RuleProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul aria-live="polite">
      {problems.map(({ message, suggestion, range }) => (
        <li key={`${message}${range.start}`} className="bad-text">
          Position {range.start + 1}: {showUnseen(message)}
          {suggestion && <span className="muted"> {showUnseen(suggestion)}</span>}
        </li>
      ))}
    </ul>
  );
}
