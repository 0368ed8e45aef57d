import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import type { KnownField } from '../../../engine/rules/analysis/fields.ts';
import type { RuleProblem } from '../../../engine/rules/compile.ts';
import type { RulesAnalysis } from '../../../server/contract/rules.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Busy } from '../../parts/notes.tsx';
import { toChoices } from '../../parts/option.tsx';
import type { TypeDraft } from '../../state/drafts.ts';
import { ConditionTable } from './condition-table.tsx';

const ConditionEditor = lazy(async () => ({ default: (await import('./condition-editor.tsx')).ConditionEditor }));

/** One rule: its name, its condition as text or as a table, and what it decides. */
export function RuleEditor({
  rule,
  draft,
  fields,
  problems,
  findings,
  onRule,
  onRemove,
}: {
  rule: Rule;
  draft: TypeDraft;
  fields: readonly KnownField[];
  problems: readonly RuleProblem[];
  findings: RulesAnalysis['findings'];
  onRule(patch: Partial<Rule>, mergeKey?: string): void;
  onRemove(): void;
}) {
  const [view, setView] = useState<'text' | 'table'>('text');
  const other = view === 'text' ? 'table' : 'text';
  useCommands([
    { id: 'rule-view', title: 'Show the condition as text or table', group: 'Go', run: () => setView(other) },
  ]);
  const setCondition = (condition: string) => onRule({ condition }, 'condition');
  return (
    <section className="part stack" aria-label={`Rule ${isolate(rule.name)}`}>
      <div className="row still">
        <TextInput
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
        <div className="row between">
          <span className="strong">Condition</span>
          <Button size="compact-xs" variant="default" onClick={() => setView(other)}>
            {view === 'text' ? 'Show as table' : 'Show as text'}
          </Button>
        </div>
        {view === 'table' ? (
          <ConditionTable
            value={rule.condition}
            onValue={setCondition}
            fields={fields}
            outcome={rule}
            options={draft.options}
            reasonCodes={draft.reason_codes}
            onOutcome={onRule}
          />
        ) : (
          <Suspense fallback={<Busy>Loading the editor…</Busy>}>
            <span className="muted">
              The input is <code>ctx</code>: <code>ctx.amount &gt; 100 &amp;&amp; ctx.country in ["DE", "AT"]</code>
            </span>
            <ConditionEditor
              label={`Condition of ${isolate(rule.name)}`}
              value={rule.condition}
              onValue={setCondition}
              fields={fields}
              markers={[
                ...problems.map(({ message, range }) => ({ message, severity: 'error' as const, ...range })),
                ...findings.flatMap(({ message, severity, range }) => (range ? [{ message, severity, ...range }] : [])),
              ]}
            />
          </Suspense>
        )}
        <RuleProblems problems={problems} />
      </div>
      {view === 'text' && <Outcome rule={rule} draft={draft} onRule={onRule} />}
      <div>
        <Button size="compact-xs" variant="default" onClick={onRemove}>
          Delete rule
        </Button>
      </div>
    </section>
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
