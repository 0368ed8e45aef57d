/** The rules of the draft with all that can be done to them, and what they would do. */
import { useMemo, useState } from 'react';
import type { NamedLists, Rule } from '../../../engine/domain/definition.ts';
import { listSchemaFields } from '../../../engine/rules/analysis/fields.ts';
import { toKnownFields } from '../../../engine/rules/analysis/survey.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useSettled } from '../../parts/hooks/use-rested.ts';
import { readJsonText } from '../../parts/text/json-text.ts';
import { isolate } from '../../parts/text/names.ts';
import { appendRule, type TypeDraft } from '../../state/drafts.ts';
import { notify } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useDraft } from '../../state/use-draft.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { moveRule, orderRules, replaceRules } from './order-rules.ts';
import { listSheetFields } from './sheet/sheet.ts';

const analysisDelayMs = 700;
const unseen = { fields: [], days: [] };

/** Analyses the effect of the rules, again whenever typing pauses, and the fields they may use. */
export function useAnalysis(type: DecisionType, draft: TypeDraft) {
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
        lists: settled.lists,
        input_schema: schema,
      },
    },
    { keepPrevious: true },
  );
  const seen = analysis.data ?? unseen;
  const fields = useMemo(() => {
    const named = listSchemaFields(schema ?? null);
    const paths = new Set(named.map(({ path }) => JSON.stringify(path)));
    return [...named, ...toKnownFields(seen.fields).filter(({ path }) => !paths.has(JSON.stringify(path)))];
  }, [schema, seen]);
  // The order of the columns is decided once: what is typed next goes where it would have gone before.
  const [opened, setOpened] = useState(analysis.data);
  if (analysis.data && !opened) setOpened(analysis.data);
  const cellFields = useMemo(() => listSheetFields(fields, seen.days, opened ?? seen), [fields, seen, opened]);
  return { analysis, fields, cellFields };
}

/** Tries the rules of a draft that have no problem on unseen examples, again whenever typing pauses. */
export function useTrial(type: DecisionType, draft: TypeDraft, problems: readonly RuleProblem[]) {
  const tried = useMemo(() => {
    const broken = new Set(problems.map(({ rule }) => rule));
    const { options, reason_codes, lists } = draft;
    return { rules: draft.hard_rules.filter((_, place) => !broken.has(place)), options, reason_codes, lists };
  }, [draft, problems]);
  const body = useSettled(tried, analysisDelayMs);
  const params = { decision_type_id: type.id };
  const list = useOperation('policies.list', { params });
  const measured = list.data?.filter(({ whole }) => whole !== null) ?? [];
  const policy = measured.find(({ deployed }) => deployed) ?? measured[0];
  const { hard_rules, lists } = type.active_version;
  const isChanged = JSON.stringify([body.rules, body.lists]) !== JSON.stringify([hard_rules, lists]);
  const trial = useOperation(
    'policies.try_rules',
    { params: { ...params, policy_id: policy?.id ?? '' }, body },
    { enabled: policy !== undefined && (isChanged || body.rules.length > 0), keepPrevious: true },
  );
  return { policy, isChanged, trial };
}

/** The rules of the draft, the open one, and all that can be done to them. */
export function useRules(type: DecisionType) {
  const { drafts } = useWorkbench();
  const { base, draft, edit } = useDraft(type);
  const { rule: named, code } = useQueryPart();
  const rules = draft.hard_rules;
  const chosen = Math.min(Math.max(0, Number(named ?? orderRules(rules)[0] ?? 0) || 0), rules.length - 1);
  const rule = rules[chosen];
  const choose = (place: number) => changeQuery({ rule: String(place), code: '' }, { replace: true });
  /** Adds rules in one step that is taken back in one; the first of them is open then. */
  const addRules = (made: readonly Omit<Rule, 'priority'>[]) => {
    edit({ hard_rules: made.reduce((all, { name, ...rule }) => appendRule(all, rule, name), rules) });
    choose(rules.length);
  };
  const setRuleAt = (place: number, patch: Partial<Rule>, mergeKey?: string) =>
    edit({ hard_rules: rules.map((old, index) => (index === place ? { ...old, ...patch } : old)) }, mergeKey);
  return {
    /** The state that the edits began from. */
    base,
    draft,
    rules,
    chosen,
    rule,
    choose,
    /** Whether the condition of the chosen rule is being changed as code. */
    isCodeOpen: code === 'open',
    openCode: (place: number) => changeQuery({ rule: String(place), code: 'open' }, { replace: true }),
    closeCode: () => changeQuery({ code: '' }, { replace: true }),
    addRules,
    replaceRules: (made: readonly Rule[]) => {
      edit({ hard_rules: replaceRules(rules, made) });
      choose(0);
    },
    setRuleAt,
    /** Puts rules in place of all, as one step that is taken back in one. */
    setRules: (hard_rules: readonly Rule[]) => edit({ hard_rules: [...hard_rules] }),
    /** Adds an empty rule. */
    add: () => {
      let number = rules.length + 1;
      while (rules.some(({ name }) => name === `rule ${number}`)) number += 1;
      addRules([{ name: `rule ${number}`, condition: '', then: '', reason_code: null }]);
    },
    remove: () => {
      edit({ hard_rules: rules.filter((_, index) => index !== chosen) });
      changeQuery({ code: '' }, { replace: true });
      notify({
        kind: 'info',
        text: `The rule “${isolate(rule?.name ?? '')}” is deleted.`,
        undo: () => drafts.getState().undo(type.id),
      });
    },
    setLists: (lists: NamedLists) => edit({ lists }),
    move: (place: number, by: number) => edit({ hard_rules: moveRule(rules, place, by) }),
  };
}

export type RulesDesk = ReturnType<typeof useRules>;
