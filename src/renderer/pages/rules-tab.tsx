import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { Rule } from '../../engine/domain.ts';
import { listSchemaFields } from '../../engine/rules/analysis/fields.ts';
import { toKnownFields } from '../../engine/rules/analysis/survey.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import { useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { SelectField, TextField } from '../parts/fields.tsx';
import { readJsonText } from '../parts/json-text.ts';
import { Busy, Card, EmptyState, ErrorNote } from '../parts/layout.tsx';
import { RulesAnalysisPanel } from '../parts/rules-analysis-panel.tsx';
import type { TypeDraft } from '../state/drafts.ts';
import { useDraft } from './use-draft.ts';

const ConditionEditor = lazy(async () => ({
  default: (await import('../parts/condition-editor.tsx')).ConditionEditor,
}));
const ConditionTable = lazy(async () => ({
  default: (await import('../parts/condition-table.tsx')).ConditionTable,
}));

type Problems = OutputOf<'rules.check'>['problems'];
const checkDelayMs = 250;
const analysisDelayMs = 700;

function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

/** What the rules would do, computed again when typing rests, and the fields they may use. */
function useAnalysis(type: DecisionType, draft: TypeDraft) {
  const settled = useSettled(draft, analysisDelayMs);
  const schema = useMemo(() => {
    const read = readJsonText(settled.inputSchemaText, 'input schema');
    // The analysis goes without a schema that is half typed; its editor shows the problem.
    return 'value' in read ? read.value : undefined;
  }, [settled.inputSchemaText]);
  const analysis = useOperation(
    'rules.analyse',
    {
      params: { decision_type_id: type.id },
      body: {
        rules: settled.hard_rules,
        options: settled.options,
        reason_codes: settled.reason_codes,
        input_schema: schema,
      },
    },
    { keepPrevious: true },
  );
  const seen = analysis.data?.fields;
  const fields = useMemo(() => {
    const named = listSchemaFields(schema ?? null);
    const paths = new Set(named.map(({ path }) => JSON.stringify(path)));
    return [...named, ...toKnownFields(seen ?? []).filter(({ path }) => !paths.has(JSON.stringify(path)))];
  }, [schema, seen]);
  return { analysis, fields };
}

/** The hard rules in order, one of them open for editing, checked by the server while typing. */
export function RulesTab({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const [chosen, setChosen] = useState(0);
  const settled = useSettled(draft, checkDelayMs);
  const check = useOperation(
    'rules.check',
    { body: { rules: settled.hard_rules, options: settled.options, reason_codes: settled.reason_codes } },
    { enabled: settled.hard_rules.length > 0, keepPrevious: true },
  );
  const { analysis, fields } = useAnalysis(type, draft);
  const [view, setView] = useState<'text' | 'table'>('text');
  const rules = draft.hard_rules;
  const current = Math.min(chosen, rules.length - 1);
  const rule = rules[current];
  const problems = rules.length > 0 && check.data ? check.data.problems : [];
  const setRule = (patch: Partial<Rule>, mergeKey?: string) =>
    edit({ hard_rules: rules.map((old, index) => (index === current ? { ...old, ...patch } : old)) }, mergeKey);
  const add = () => {
    const priority = Math.max(0, ...rules.map((each) => each.priority)) + 10;
    let number = rules.length + 1;
    while (rules.some((each) => each.name === `rule ${number}`)) number += 1;
    const made: Rule = {
      name: `rule ${number}`,
      condition: 'ctx.',
      then: draft.options[0] ?? '',
      reason_code: null,
      priority,
    };
    edit({ hard_rules: [...rules, made] });
    setChosen(rules.length);
  };
  const remove = () => edit({ hard_rules: rules.filter((_, index) => index !== current) });
  useCommands([
    { id: 'add-rule', title: 'New rule', group: 'Create', keys: 'n', run: add },
    {
      id: 'rule-view',
      title: 'Show the condition as text or table',
      group: 'Go',
      enabled: rule !== undefined,
      run: () => setView(view === 'text' ? 'table' : 'text'),
    },
    { id: 'remove-rule', title: 'Delete the open rule', group: 'Edit', enabled: rule !== undefined, run: remove },
  ]);
  if (!rule) {
    return (
      <EmptyState
        title="No rules"
        actions={
          <button type="button" className="primary" onClick={add}>
            New rule
          </button>
        }
      >
        A rule decides at once when its condition holds, before the classifier is asked: for limits, laws and house
        rules that must always hold. For example: ctx.amount &gt; 10000 &amp;&amp; !ctx.verified
      </EmptyState>
    );
  }
  return (
    <div className="aside">
      <section className="card stack tight" aria-label="Rules">
        <p className="muted small">Lower priority numbers go first; the first match decides.</p>
        <ul className="side-list">
          {rules
            .map((each, index) => ({ each, index }))
            .sort((a, b) => a.each.priority - b.each.priority || a.index - b.index)
            .map(({ each, index }) => (
              <li key={index}>
                <button type="button" aria-current={index === current} onClick={() => setChosen(index)}>
                  <span className="badge">{each.priority}</span>
                  <span className="grow">
                    {each.name}
                    <span className="muted"> → {each.then}</span>
                  </span>
                  {problems.some((problem) => problem.rule === index) && <span className="badge bad">Check</span>}
                </button>
              </li>
            ))}
        </ul>
        <button type="button" onClick={add}>
          New rule
        </button>
      </section>
      <div className="stack">
        <section className="card stack" aria-label={`Rule ${rule.name}`}>
          {check.isError && <ErrorNote error={check.error} />}
          <div className="two">
            <TextField label="Rule name" value={rule.name} onValue={(name) => setRule({ name }, `name-${current}`)} />
            <TextField
              label="Priority"
              type="number"
              min={1}
              value={String(rule.priority)}
              onValue={(text) =>
                setRule({ priority: Math.max(1, Math.round(Number(text) || 1)) }, `priority-${current}`)
              }
            />
          </div>
          <div className="field">
            <div className="row between">
              <span className="label">Condition</span>
              <button type="button" className="small" onClick={() => setView(view === 'text' ? 'table' : 'text')}>
                {view === 'text' ? 'Show as table' : 'Show as text'}
              </button>
            </div>
            <Suspense fallback={<Busy>Loading the editor…</Busy>}>
              {view === 'table' ? (
                <ConditionTable
                  key={current}
                  value={rule.condition}
                  onValue={(condition) => setRule({ condition }, `condition-${current}`)}
                  fields={fields}
                  outcome={rule}
                  options={draft.options}
                  reasonCodes={draft.reason_codes}
                  onOutcome={setRule}
                />
              ) : (
                <>
                  <span className="hint">
                    The input is <code>ctx</code>:{' '}
                    <code>ctx.amount &gt; 100 &amp;&amp; ctx.country in ["DE", "AT"]</code>
                  </span>
                  <ConditionEditor
                    key={current}
                    label={`Condition of ${rule.name}`}
                    value={rule.condition}
                    onValue={(condition) => setRule({ condition }, `condition-${current}`)}
                    fields={fields}
                    markers={[
                      ...problems
                        .filter((problem) => problem.rule === current)
                        .map(({ message, range }) => ({ message, severity: 'error' as const, ...range })),
                      ...(analysis.isPlaceholderData ? [] : (analysis.data?.findings ?? [])).flatMap((finding) =>
                        finding.rule === current && finding.range
                          ? [{ message: finding.message, severity: finding.severity, ...finding.range }]
                          : [],
                      ),
                    ]}
                  />
                </>
              )}
            </Suspense>
            <RuleProblems problems={problems.filter((problem) => problem.rule === current)} />
          </div>
          {view === 'text' && (
            <div className="two">
              <SelectField
                label="Then"
                value={rule.then}
                choices={[...new Set([...draft.options, rule.then])].map((option) => ({ value: option, text: option }))}
                onValue={(then) => setRule({ then })}
              />
              <SelectField
                label="Reason code"
                value={rule.reason_code ?? ''}
                choices={[
                  { value: '', text: 'None' },
                  ...[
                    ...new Set([...draft.reason_codes, ...(rule.reason_code === null ? [] : [rule.reason_code])]),
                  ].map((code) => ({ value: code, text: code })),
                ]}
                onValue={(code) => setRule({ reason_code: code === '' ? null : code })}
              />
            </div>
          )}
          <div className="row end">
            <button type="button" className="danger" onClick={remove}>
              Delete rule
            </button>
          </div>
        </section>
        <Card title="What the rules would do">
          {analysis.isError && <ErrorNote error={analysis.error} />}
          {analysis.data ? (
            <RulesAnalysisPanel analysis={analysis.data} onOpenRule={setChosen} />
          ) : (
            !analysis.isError && <Busy>Trying the rules on the examples…</Busy>
          )}
        </Card>
      </div>
    </div>
  );
}

function RuleProblems({ problems }: { problems: Problems }) {
  if (problems.length === 0) return null;
  return (
    <ul aria-live="polite">
      {problems.map(({ message, suggestion, range }) => (
        <li key={`${message}${range.start}`} style={{ color: 'var(--bad)' }}>
          Position {range.start + 1}: {message}
          {suggestion && <span className="muted"> {suggestion}</span>}
        </li>
      ))}
    </ul>
  );
}
