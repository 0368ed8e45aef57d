import './rules.css';
import { Button } from '@mantine/core';
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Rule } from '../../../engine/domain/definition.ts';
import { compileSoundRules } from '../../../engine/rules/compile.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { DraftBar } from '../../parts/explained/draft-bar.tsx';
import { PinnedCases } from '../../parts/explained/pinned-cases.tsx';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { Inspector, Place, useNarrow } from '../../parts/panes.tsx';
import { SaveTools } from '../../parts/save-tools.tsx';
import { isolate } from '../../parts/text/names.ts';
import { changedFields } from '../../state/drafts.ts';
import { useCommands } from '../../state/use-commands.ts';
import { ChosenRule } from './chosen-rule.tsx';
import type { GivenSheet } from './import-rules.tsx';
import { RuleSheet, SheetTools } from './rule-sheet.tsx';
import { type RulesDesk, useAnalysis, useRules, useTrial } from './use-rules.ts';
import { useSheet } from './use-sheet.ts';
import { WholeEffect } from './whole-effect.tsx';

/** Rules with problems that are named one by one. */
const maxNamed = 5;
const ImportRules = lazy(async () => ({ default: (await import('./import-rules.tsx')).ImportRules }));
const ListsDialog = lazy(async () => ({ default: (await import('./lists-dialog.tsx')).ListsDialog }));
const loadAnalysis = () => import('./rules-analysis-panel.tsx');
const RulesAnalysisPanel = lazy(async () => ({ default: (await loadAnalysis()).RulesAnalysisPanel }));
const RuleTest = lazy(async () => ({ default: (await import('./rule-test.tsx')).RuleTest }));
const RuleProposals = lazy(async () => ({ default: (await import('./rule-proposals.tsx')).RuleProposals }));

function useRuleCommands(
  { rule, chosen, move, remove }: RulesDesk,
  code: () => void,
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
    { id: 'rule-code', title: 'Change the condition as code', group: 'Edit', keys: 'Alt+Enter', run: code },
    { id: 'propose-rules', title: 'Propose rules from the examples', run: propose },
    { id: 'rule-lists', title: 'Lists of values', group: 'Go', run: lists },
    { id: 'rule-test', title: 'Test the rules on an input', group: 'Go', run: test },
  ]);
}

/** The hard rules, once it is known which fields they may use: by these the columns have their order. */
export function Rules({ type }: { type: DecisionType }) {
  const desk = useRules(type);
  const analysed = useAnalysis(type, desk.draft);
  if (!analysed.analysis.isPending) return <OpenRules {...{ type, desk }} {...analysed} />;
  return (
    <Place id="rules-table" title="Rules">
      <Busy>Reading the fields of the examples…</Busy>
    </Place>
  );
}

type OpenRulesProps = { type: DecisionType; desk: RulesDesk } & ReturnType<typeof useAnalysis>;

/** The hard rules as one sheet, beside it the one at the cursor; checked as they are typed, and tried on an input. */
function OpenRules({ type, desk, analysis, fields, cellFields }: OpenRulesProps) {
  const [given, setGiven] = useState<GivenSheet | null>(null);
  const [showLists, setShowLists] = useState(false);
  const [showProposals, setShowProposals] = useState(false);
  const [showTest, setShowTest] = useState(false);
  const narrow = useNarrow();
  const checked = useDeferredValue(desk.draft);
  const { problems, sound } = useMemo(() => compileSoundRules(checked.hard_rules, checked), [checked]);
  const trial = useTrial(type, checked, problems);
  const sheet = useSheet(desk, cellFields, setGiven);
  const propose = () => setShowProposals(true);
  const openTest = () => setShowTest(true);
  const openLists = () => setShowLists(true);
  useRuleCommands(desk, sheet.openCode, propose, openTest, openLists);
  useEffect(() => void loadAnalysis().catch(() => undefined), []);
  const isEdited = changedFields(desk.base, desk.draft).length > 0;
  const rule = sheet.rows[sheet.cursor.row]?.rule;
  const title = rule ? isolate(rule.name) : 'New rule';
  const beside = <ChosenRule typeId={type.id} {...{ desk, sheet, fields, analysis, problems }} />;
  const test = showTest && (
    <Suspense>
      <RuleTest type={type} rules={sound} onClose={() => setShowTest(false)} />
    </Suspense>
  );
  const inspector = (
    <div className="rule-panes">
      <Inspector title={title}>{beside}</Inspector>
      {test}
    </div>
  );
  return (
    <Place
      id="rules-table"
      title="Rules"
      tools={
        <SheetTools
          typeName={type.name}
          sheet={sheet}
          fields={cellFields}
          onPaste={() => setGiven('')}
          onTest={showTest ? null : openTest}
          onLists={openLists}
        />
      }
      inspector={narrow ? test : inspector}
    >
      <DraftBar type={type} isEdited={isEdited} />
      <RuleSheet
        type={type}
        desk={desk}
        sheet={sheet}
        problems={problems}
        analysis={analysis.data}
        effect={trial.policy && trial.trial.data}
      />
      <div className="row save-bar">
        <WholeEffect {...trial} isLive={type.model_deployed} />
        <SaveTools type={type} />
      </div>
      <div className="cards">
        {narrow && <section aria-label={title}>{beside}</section>}
        <LeftOut problems={problems} />
        <PinnedCases type={type} onlyRed />
        <Effect typeId={type.id} analysis={analysis} onOpenRule={sheet.goToRule} />
        <Proposals type={type} desk={desk} isOpen={showProposals} onOpen={propose} />
      </div>
      <Suspense>
        {showLists && (
          <ListsDialog lists={desk.draft.lists} onLists={desk.setLists} onClose={() => setShowLists(false)} />
        )}
        {given !== null && (
          <ImportRules given={given} onGiven={setGiven} desk={desk} sheet={sheet} fields={cellFields} />
        )}
      </Suspense>
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
    <Part title="Suggestions" tools={!isOpen && button}>
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
