import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import { listSchemaFields } from '../../../engine/rules/analysis/fields.ts';
import { toKnownFields } from '../../../engine/rules/analysis/survey.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { readJsonText } from '../../parts/json-text.ts';
import { isolate } from '../../parts/names.ts';
import { Busy, EmptyState, ErrorNote, Part } from '../../parts/notes.tsx';
import { Pane, PlaceLayout, useNarrow } from '../../parts/panes.tsx';
import { SaveTools } from '../../parts/save-tools.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import type { TypeDraft } from '../../state/drafts.ts';
import { notify } from '../../state/notices.tsx';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useDraft } from '../../state/use-draft.ts';
import { useWorkbench } from '../../workbench.tsx';
import { appendRule, moveRule, orderRules } from './order-rules.ts';
import { RuleEditor } from './rule-editor.tsx';
import { RuleTest } from './rule-test.tsx';
import { RulesAnalysisPanel } from './rules-analysis-panel.tsx';

const analysisDelayMs = 700;
// With what drags them, which is too large to come ahead of the place.
const RuleList = lazy(async () => ({ default: (await import('./rule-list.tsx')).RuleList }));
const RuleProposals = lazy(async () => ({ default: (await import('./rule-proposals.tsx')).RuleProposals }));

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

/** The hard rules in order, one of them open for editing, tried on an input at the side, checked as they are typed. */
export function Rules({ type }: { type: DecisionType }) {
  const { drafts } = useWorkbench();
  const { draft, edit } = useDraft(type);
  const { rule: named } = useQueryPart();
  const narrow = useNarrow();
  const [showTest, setShowTest] = useState(!narrow);
  const [showProposals, setShowProposals] = useState(false);
  const rules = draft.hard_rules;
  const chosen = Math.min(Math.max(0, Number(named ?? orderRules(rules)[0] ?? 0) || 0), rules.length - 1);
  const rule = rules[chosen];
  const { analysis, fields } = useAnalysis(type, draft);
  const checked = useDeferredValue(draft);
  const compiled = useMemo(
    () => compileRules(checked.hard_rules, { options: checked.options, reason_codes: checked.reason_codes }),
    [checked],
  );
  const problems = compiled.ok ? [] : compiled.problems;
  const choose = (place: number) => changeQuery({ rule: String(place) }, { replace: true });
  const setRule = (patch: Partial<Rule>, mergeKey?: string) =>
    edit({ hard_rules: rules.map((old, index) => (index === chosen ? { ...old, ...patch } : old)) }, mergeKey);
  const addRule = (made: Omit<Rule, 'name' | 'priority'>, name: string) => {
    edit({ hard_rules: appendRule(rules, made, name) });
    choose(rules.length);
  };
  const add = () => {
    let number = rules.length + 1;
    while (rules.some(({ name }) => name === `rule ${number}`)) number += 1;
    addRule({ condition: 'ctx.', then: draft.options[0] ?? '', reason_code: null }, `rule ${number}`);
  };
  const remove = () => {
    edit({ hard_rules: rules.filter((_, index) => index !== chosen) });
    notify({
      kind: 'info',
      text: `The rule “${isolate(rule?.name ?? '')}” is deleted.`,
      undo: () => drafts.getState().undo(type.id),
    });
  };
  const move = (place: number, by: number) => edit({ hard_rules: moveRule(rules, place, by) });
  useCommands([
    { id: 'add-rule', title: 'New rule', group: 'Create', keys: 'n', run: add },
    {
      id: 'rule-up',
      title: 'Move the rule up',
      group: 'Edit',
      keys: 'Alt+ArrowUp',
      inFields: true,
      run: () => move(chosen, -1),
    },
    {
      id: 'rule-down',
      title: 'Move the rule down',
      group: 'Edit',
      keys: 'Alt+ArrowDown',
      inFields: true,
      run: () => move(chosen, 1),
    },
    { id: 'remove-rule', title: 'Delete the open rule', group: 'Edit', enabled: rule !== undefined, run: remove },
    {
      id: 'propose-rules',
      title: 'Propose rules from the examples',
      group: 'Create',
      run: () => setShowProposals(true),
    },
    { id: 'rule-test', title: 'Test the rules on an input', group: 'Go', run: () => setShowTest(true) },
  ]);
  useEditorAhead();
  const proposals = (
    <Part
      title="Rules that the examples suggest"
      tools={
        !showProposals && (
          <Button variant="default" onClick={() => setShowProposals(true)}>
            Look for rules
          </Button>
        )
      }
    >
      {showProposals ? (
        <Suspense fallback={<Busy>Loading…</Busy>}>
          <RuleProposals type={type} rules={rules} onAdd={({ name, priority: _own, ...made }) => addRule(made, name)} />
        </Suspense>
      ) : (
        <p className="muted">Short conditions under which nearly all labelled examples have the same decision.</p>
      )}
    </Part>
  );
  if (!rule) return <NoRules type={type} proposals={proposals} onAdd={add} />;
  return (
    <PlaceLayout
      id="rules"
      side={
        <Suspense fallback={<Busy>Loading the rules…</Busy>}>
          <RuleList
            type={type}
            rules={rules}
            chosen={chosen}
            problems={problems}
            analysis={analysis.data}
            onChoose={choose}
            onAdd={add}
            onMove={move}
          />
        </Suspense>
      }
      main={
        <Pane
          title="Rules"
          level={1}
          tools={
            <>
              {narrow && (
                <Button variant="default" onClick={() => setShowTest(true)}>
                  Test…
                </Button>
              )}
              <SaveTools type={type} />
            </>
          }
        >
          <RuleEditor
            key={chosen}
            rule={rule}
            draft={draft}
            fields={fields}
            problems={problems.filter((problem) => problem.rule === chosen)}
            findings={
              analysis.isPlaceholderData
                ? []
                : (analysis.data?.findings.filter((finding) => finding.rule === chosen) ?? [])
            }
            onRule={(patch, key) => setRule(patch, key === undefined ? undefined : `${key}-${chosen}`)}
            onRemove={remove}
          />
          <Part title="What the rules would do">
            {analysis.isError && <ErrorNote error={analysis.error} />}
            {analysis.data ? (
              <RulesAnalysisPanel analysis={analysis.data} onOpenRule={choose} />
            ) : (
              !analysis.isError && <Busy>Trying the rules on the examples…</Busy>
            )}
          </Part>
          {proposals}
        </Pane>
      }
      inspector={
        showTest ? (
          <RuleTest type={type} rules={compiled.ok ? compiled.value : null} onClose={() => setShowTest(false)} />
        ) : undefined
      }
    />
  );
}

/** Loads the editor while the rest is read. */
function useEditorAhead(): void {
  useEffect(() => {
    void import('./condition-editor.tsx').catch(() => undefined);
  }, []);
}

function NoRules({ type, proposals, onAdd }: { type: DecisionType; proposals: ReactNode; onAdd(): void }) {
  return (
    <Pane title="Rules" level={1} tools={<SaveTools type={type} />}>
      <EmptyState title="No rules" actions={<Button onClick={onAdd}>New rule</Button>}>
        A rule decides at once when its condition holds, before the classifier is asked: for limits, laws and house
        rules that must always hold. For example: ctx.amount &gt; 10000 &amp;&amp; !ctx.verified
      </EmptyState>
      {proposals}
    </Pane>
  );
}
