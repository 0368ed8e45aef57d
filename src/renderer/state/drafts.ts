import { createStore } from 'zustand/vanilla';
import type { Rule } from '../../engine/domain.ts';
import type { DecisionType, Version } from '../../server/contract/decision-types.ts';
import { amendHistory, type History, pushHistory, redoHistory, startHistory, undoHistory } from './history.ts';

/** A decision type while it is edited. The input schema is kept as text, for it may be unfinished JSON. */
export type TypeDraft = Pick<Version, 'options' | 'reason_codes' | 'confidence_thresholds' | 'escalation_policy'> &
  Pick<DecisionType, 'name' | 'description' | 'fallback_option' | 'pii_fields' | 'retention_days'> & {
    hard_rules: Rule[];
    inputSchemaText: string;
  };

/** The draft a stored decision type begins with. */
export function toDraft(type: DecisionType): TypeDraft {
  const version = type.active_version;
  return {
    name: type.name,
    description: type.description,
    options: version.options,
    reason_codes: version.reason_codes,
    hard_rules: version.hard_rules,
    inputSchemaText: version.input_schema === null ? '' : JSON.stringify(version.input_schema, null, 2),
    confidence_thresholds: version.confidence_thresholds,
    escalation_policy: version.escalation_policy,
    fallback_option: type.fallback_option,
    pii_fields: type.pii_fields,
    retention_days: type.retention_days,
  };
}

/** The fields in which a draft differs from where it began. */
export function changedFields(base: TypeDraft, draft: TypeDraft): (keyof TypeDraft)[] {
  return (Object.keys(base) as (keyof TypeDraft)[]).filter(
    (key) => JSON.stringify(base[key]) !== JSON.stringify(draft[key]),
  );
}

type Edited = { history: History<TypeDraft>; mergeKey: string | null };
type DraftsState = {
  byType: Readonly<Record<string, Edited>>;
  /** A step on the draft of a type; steps with the same `mergeKey` in a row become one (typing in one field). */
  edit(typeId: string, base: TypeDraft, patch: Partial<TypeDraft>, mergeKey?: string): void;
  undo(typeId: string): void;
  redo(typeId: string): void;
  discard(typeId: string): void;
};

/** Unsaved edits of decision types with undo; they survive a change of tab. */
export function createDraftStore() {
  return createStore<DraftsState>()((set) => {
    const put = (typeId: string, change: (edited: Edited) => Edited) =>
      set(({ byType }) => {
        const edited = byType[typeId];
        return edited ? { byType: { ...byType, [typeId]: change(edited) } } : {};
      });
    return {
      byType: {},
      edit: (typeId, base, patch, mergeKey) =>
        set(({ byType }) => {
          const { history, mergeKey: last } = byType[typeId] ?? { history: startHistory(base), mergeKey: null };
          const next = { ...history.present, ...patch };
          const step = mergeKey !== undefined && mergeKey === last ? amendHistory : pushHistory;
          return { byType: { ...byType, [typeId]: { history: step(history, next), mergeKey: mergeKey ?? null } } };
        }),
      undo: (typeId) => put(typeId, ({ history }) => ({ history: undoHistory(history), mergeKey: null })),
      redo: (typeId) => put(typeId, ({ history }) => ({ history: redoHistory(history), mergeKey: null })),
      discard: (typeId) =>
        set(({ byType }) => {
          const { [typeId]: _gone, ...rest } = byType;
          return { byType: rest };
        }),
    };
  });
}

export type DraftStore = ReturnType<typeof createDraftStore>;
