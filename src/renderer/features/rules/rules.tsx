import './rules.css';
import { Button, SegmentedControl } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import { compileSoundRules } from '../../../engine/rules/compile.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { Busy, EmptyState, ErrorNote, Part } from '../../parts/notes.tsx';
import { Inspector, Pane, Place, useNarrow } from '../../parts/panes.tsx';
import { SaveTools } from '../../parts/save-tools.tsx';
import { isolate } from '../../parts/text/names.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { ChosenRule } from './chosen-rule.tsx';
import { RuleEditor } from './editor/rule-editor.tsx';
import { type GivenSheet, ImportRules } from './import-rules.tsx';
import { RuleSheet, SheetTools } from './rule-sheet.tsx';
import { type RulesDesk, useAnalysis, useRules } from './use-rules.ts';
import { useSheet } from './use-sheet.ts';

const noFields: RulesAnalysis['fields'] = [];
/** Rules with problems that are named one by one. */
const maxNamed = 5;
// With what drags them, which is too large to come ahead of the place.
const RuleList = lazy(async () => ({ default: (await import('./rule-list.tsx')).RuleList }));
const ListsDialog = lazy(async () => ({ default: (await import('./lists-dialog.tsx')).ListsDialog }));
const loadAnalysis = () => import('./rules-analysis-panel.tsx');
const RulesAnalysisPanel = lazy(async () => ({ default: (await loadAnalysis()).RulesAnalysisPanel }));
const RuleTest = lazy(async () => ({ default: (await import('./rule-test.tsx')).RuleTest }));
const WholeEffect = lazy(async () => ({ default: (await import('./whole-effect.tsx')).WholeEffect }));
const RuleProposals = lazy(async () => ({ default: (await import('./rule-proposals.tsx')).RuleProposals }));

function useRuleCommands(
  { rule, chosen, move, remove }: RulesDesk,
  propose: () => void,
  test: () => void,
  lists: () => void,
): void {
  const moved = { group: 'Edit', inFields: true };
  useCommands('Create', [
    { id: 'rule-up', title: 'Move the rule up', keys: 'Alt+ArrowUp', ...moved, run: () => move(chosen, -1) },
    { id: 'rule-down', title: 'Move the rule down', keys: 'Alt+ArrowDown', ...moved, run: () => move(chosen, 1) },
    {
      id: 'remove-rule',
      title: 'Delete the open rule',
      group: 'Edit',
      keys: 'Mod+Delete',
      enabled: rule !== undefined,
      run: remove,
    },
    { id: 'propose-rules', title: 'Propose rules from the examples', run: propose },
    { id: 'rule-lists', title: 'Lists of values', group: 'Go', run: lists },
    { id: 'rule-test', title: 'Test the rules on an input', group: 'Go', run: test },
  ]);
}

/** The hard rules as one sheet, or one by one with their code; checked as they are typed, and tried on an input. */
export function Rules({ type }: { type: DecisionType }) {
  const desk = useRules(type);
  const { view = 'table' } = useQueryPart();
  const [showLists, setShowLists] = useState(false);
  const [showProposals, setShowProposals] = useState(false);
  const narrow = useNarrow();
  const [showTest, setShowTest] = useState(view === 'list' && !narrow);
  const { analysis, fields } = useAnalysis(type, desk.draft);
  const checked = useDeferredValue(desk.draft);
  const { problems, sound } = useMemo(() => compileSoundRules(checked.hard_rules, checked), [checked]);
  const propose = () => setShowProposals(true);
  const openTest = () => setShowTest(true);
  const openLists = () => setShowLists(true);
  useRuleCommands(desk, propose, openTest, openLists);
  useEditorAhead();
  const views = {
    type,
    desk,
    fields,
    analysis,
    problems,
    head: <ViewSwitch view={view} />,
    lists: <Button onClick={openLists}>Lists…</Button>,
    testButton: !showTest && <Button onClick={openTest}>Test…</Button>,
    below: (
      <>
        <LeftOut problems={problems} />
        <Suspense>
          <WholeEffect type={type} draft={checked} problems={problems} />
        </Suspense>
        <Effect typeId={type.id} analysis={analysis} onOpenRule={desk.choose} />
        <Proposals type={type} desk={desk} isOpen={showProposals} onOpen={propose} />
        {showLists && (
          <Suspense>
            <ListsDialog lists={desk.draft.lists} onLists={desk.setLists} onClose={() => setShowLists(false)} />
          </Suspense>
        )}
      </>
    ),
    test: showTest && (
      <Suspense>
        <RuleTest type={type} rules={sound} onClose={() => setShowTest(false)} />
      </Suspense>
    ),
  };
  return view === 'list' ? <ListView {...views} /> : <TableView {...views} />;
}

type ViewProps = {
  type: DecisionType;
  desk: RulesDesk;
  fields: ReturnType<typeof useAnalysis>['fields'];
  analysis: ReturnType<typeof useAnalysis>['analysis'];
  problems: readonly RuleProblem[];
  head: ReactNode;
  /** Opens the named lists. */
  lists: ReactNode;
  testButton: ReactNode;
  /** The panel below the rules: their effect, and the rules that examples suggest. */
  below: ReactNode;
  /** The trial on an input while it is open. */
  test: ReactNode;
};

const showView = (view: string) => changeQuery({ view: view === 'table' ? '' : view });

function ViewSwitch({ view }: { view: string }) {
  return (
    <SegmentedControl
      aria-label="How the rules are shown"
      value={view}
      onChange={showView}
      data={[
        { value: 'table', label: 'Table' },
        { value: 'list', label: 'List and code' },
      ]}
    />
  );
}

/** All rules in one sheet; beside it the rule at the cursor in words and in code. */
function TableView({ type, desk, fields, analysis, problems, head, lists, testButton, below, test }: ViewProps) {
  const [given, setGiven] = useState<GivenSheet | null>(null);
  const narrow = useNarrow();
  const openCode = (place: number) => {
    desk.choose(place);
    showView('list');
  };
  const sheet = useSheet(desk, fields, openCode, setGiven);
  const rule = sheet.rows[sheet.row]?.rule;
  const title = rule ? isolate(rule.name) : 'New rule';
  const beside = (
    <ChosenRule typeId={type.id} sheet={sheet} seen={analysis.data?.fields ?? noFields} onRemove={desk.remove} />
  );
  return (
    <Place
      id="rules-table"
      title="Rules"
      tools={
        <>
          {lists}
          <SaveTools type={type} />
        </>
      }
      inspector={test || (!narrow && <Inspector title={title}>{beside}</Inspector>)}
    >
      <SheetTools
        typeName={type.name}
        sheet={sheet}
        fields={fields}
        onPaste={() => setGiven('')}
        before={head}
        after={testButton}
      />
      <RuleSheet type={type} desk={desk} sheet={sheet} problems={problems} analysis={analysis.data} />
      {narrow && <section aria-label={title}>{beside}</section>}
      {below}
      <ImportRules given={given} onGiven={setGiven} desk={desk} sheet={sheet} fields={fields} />
    </Place>
  );
}

/** The rules in their order, one of them open with its code. */
function ListView({ type, desk, fields, analysis, problems, head, lists, testButton, below, test }: ViewProps) {
  const tools = (
    <>
      {lists}
      {testButton}
      <SaveTools type={type} />
    </>
  );
  const { draft, rules, chosen, rule, choose } = desk;
  const add = () => desk.add();
  useCommands('Create', [{ id: 'add-rule', title: 'New rule', run: add }]);
  if (!rule) return <NoRules head={head} tools={tools} below={below} onAdd={add} />;
  const findings = analysis.isPlaceholderData ? [] : (analysis.data?.findings ?? []);
  return (
    <Place
      id="rules"
      title="Rules"
      head={head}
      tools={tools}
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
            onMove={desk.move}
          />
        </Suspense>
      }
      inspector={test || undefined}
    >
      <RuleEditor
        key={chosen}
        isNew={desk.isNew}
        rule={rule}
        draft={draft}
        fields={fields}
        problems={problems.filter((problem) => problem.rule === chosen)}
        findings={findings.filter((finding) => finding.rule === chosen)}
        onRule={(patch, key) => desk.setRuleAt(chosen, patch, key === undefined ? undefined : `${key}-${chosen}`)}
        onRemove={desk.remove}
      />
      {below}
    </Place>
  );
}

/** Names the rules that nothing below can try. */
function LeftOut({ problems }: { problems: readonly RuleProblem[] }) {
  const names = [...new Set(problems.map(({ name }) => `“${isolate(name)}”`))];
  if (names.length === 0) return null;
  const shown = names.slice(0, maxNamed).join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return (
    <p className="note warn wrap" role="status">
      {shown}
      {more} cannot be tried yet: everything below is without {names.length === 1 ? 'it' : 'them'}.
    </p>
  );
}

type EffectProps = {
  typeId: string;
  analysis: ReturnType<typeof useAnalysis>['analysis'];
  onOpenRule(place: number): void;
};

/** Shows what the rules would do to the examples. */
function Effect({ typeId, analysis: { data, isError, error }, onOpenRule }: EffectProps) {
  const openRule = useNewest(onOpenRule);
  return (
    <Part title="What the rules would do">
      {isError && <ErrorNote error={error} />}
      {data ? (
        <Suspense fallback={<Busy>Trying the rules on the examples…</Busy>}>
          <RulesAnalysisPanel typeId={typeId} analysis={data} onOpenRule={openRule} />
        </Suspense>
      ) : (
        !isError && <Busy>Trying the rules on the examples…</Busy>
      )}
    </Part>
  );
}

type ProposalsProps = { type: DecisionType; desk: RulesDesk; isOpen: boolean; onOpen(): void };

/** Shows what the examples suggest, once it is asked for: the search takes a while. */
function Proposals({ type, desk, isOpen, onOpen }: ProposalsProps) {
  const add = ({ priority: _own, ...made }: Rule) => desk.addRules([made]);
  const button = <Button onClick={onOpen}>Look for rules</Button>;
  return (
    <Part title="Rules that the examples suggest" tools={!isOpen && button}>
      {isOpen ? (
        <Suspense fallback={<Busy>Loading…</Busy>}>
          <RuleProposals type={type} rules={desk.rules} onAdd={add} />
        </Suspense>
      ) : (
        <p className="muted">Patterns in your examples that almost always lead to one answer.</p>
      )}
    </Part>
  );
}

/** Loads the editor while the rest is read. */
function useEditorAhead(): void {
  useEffect(() => {
    void loadAnalysis().catch(() => undefined);
    void import('./editor/condition-editor.tsx').catch(() => undefined);
  }, []);
}

type NoRulesProps = Pick<ViewProps, 'head' | 'below'> & { tools: ReactNode; onAdd(): void };

function NoRules({ head, tools, below, onAdd }: NoRulesProps) {
  return (
    <Pane title="Rules" level={1} head={head} tools={tools}>
      <EmptyState
        title="No rules"
        actions={
          <Button variant="filled" onClick={onAdd}>
            New rule
          </Button>
        }
      >
        A rule decides at once when its condition holds, before the classifier is asked: for limits, laws and house
        rules that must always hold. For example: ctx.amount &gt; 10000 &amp;&amp; !ctx.verified
      </EmptyState>
      {below}
    </Pane>
  );
}
