import { createStore } from 'zustand/vanilla';
import type { Rule } from '../../engine/domain/definition.ts';
import type { DecisionType, DecisionTypeUpdate, Version } from '../../server/contract/types/decision-types.ts';

/** The settings of a decision type that are edited, as a sentence names them. */
export const settingNames = {
  name: 'the name',
  description: 'the description',
  options: 'the options',
  reason_codes: 'the reason codes',
  hard_rules: 'the rules',
  lists: 'the lists',
  readings: 'how texts are read',
  inputSchemaText: 'the input schema',
  confidence_thresholds: 'the thresholds',
  escalation_policy: 'what happens when it is not sure',
  fallback_option: 'the fallback option',
  pii_fields: 'the PII fields',
  retention_days: 'the retention',
  audit: 'the audit',
  publish_by_hand: 'how releases are published',
  publish_by_another: 'who publishes a draft',
} as const;

type Name = Exclude<keyof typeof settingNames, 'hard_rules'>;
/** A decision type while it is edited. The input schema is kept as text, for it may be unfinished JSON. */
export type TypeDraft = Pick<Version, Name & keyof Version> &
  Pick<DecisionType, Exclude<Name & keyof DecisionType, keyof Version>> & {
    hard_rules: Rule[];
    inputSchemaText: string;
  };

/** Between two rules, so that one can be put between them by hand. */
export const priorityStep = 10;

/** The rules and a new one that is asked last; a name that is taken is given a number. */
export function appendRule(rules: readonly Rule[], made: Omit<Rule, 'name' | 'priority'>, name: string): Rule[] {
  const taken = new Set(rules.map((rule) => rule.name));
  let number = 2;
  let free = name;
  for (; taken.has(free); number += 1) free = `${name} ${number}`;
  const priority = Math.max(0, ...rules.map((rule) => rule.priority)) + priorityStep;
  return [...rules, { ...made, name: free, priority }];
}

/** The parts of a draft that decide: while a policy is deployed they wait with the type until they are published. */
export const decidingFields: readonly (keyof TypeDraft)[] = [
  'reason_codes',
  'hard_rules',
  'lists',
  'readings',
  'inputSchemaText',
  'confidence_thresholds',
  'escalation_policy',
  'fallback_option',
];

/** Whether a setting is part of a version; the fallback option is the type's own. */
export const isOfVersion = (name: keyof TypeDraft) =>
  name === 'options' || (name !== 'fallback_option' && decidingFields.includes(name));

/** A change of settings, as a call: of what decides for the draft of the type, once a policy is deployed; else live. */
export function toSettingsCall(type: DecisionType, body: DecisionTypeUpdate) {
  const params = { decision_type_id: type.id };
  const isForDraft = type.model_deployed && decidingFields.some((name) => name in body);
  return {
    name: 'decision_types.update' as const,
    input: { params, body: isForDraft ? { ...body, draft: true } : body },
  };
}

/** The draft a stored decision type begins with: as it is kept, where it is kept. */
export function toDraft(type: DecisionType): TypeDraft {
  const { fallback_option = type.fallback_option, ...kept } = type.draft?.settings ?? {};
  const version = Object.assign({}, type.active_version, kept);
  return {
    name: type.name,
    description: type.description,
    options: version.options,
    reason_codes: version.reason_codes,
    hard_rules: version.hard_rules,
    lists: version.lists,
    readings: version.readings,
    inputSchemaText: version.input_schema === null ? '' : JSON.stringify(version.input_schema, null, 2),
    confidence_thresholds: version.confidence_thresholds,
    escalation_policy: version.escalation_policy,
    fallback_option,
    pii_fields: type.pii_fields,
    retention_days: type.retention_days,
    audit: type.audit,
    publish_by_hand: type.publish_by_hand,
    publish_by_another: type.publish_by_another,
  };
}

/** The fields in which a draft differs from where it began. */
export function changedFields(base: TypeDraft, draft: TypeDraft): (keyof TypeDraft)[] {
  return (Object.keys(base) as (keyof TypeDraft)[]).filter(
    (key) => JSON.stringify(base[key]) !== JSON.stringify(draft[key]),
  );
}

/** The fields that both this draft and somebody else have changed since the draft began. */
export function findConflicts(base: TypeDraft, draft: TypeDraft, stored: TypeDraft): (keyof TypeDraft)[] {
  const theirs = new Set(changedFields(base, stored));
  return changedFields(base, draft).filter(
    (field) => theirs.has(field) && JSON.stringify(draft[field]) !== JSON.stringify(stored[field]),
  );
}

type Edited = { base: TypeDraft; history: History<TypeDraft>; mergeKey: string | null };
type DraftsState = {
  byType: Readonly<Record<string, Edited>>;
  /** The draft discarded last, by type; an undo that has no other step brings it back. */
  thrownAway: Readonly<Record<string, Edited>>;
  /** A step on the draft of a type; steps with the same `mergeKey` in a row become one (typing in one field). */
  edit(typeId: string, base: TypeDraft, patch: Partial<TypeDraft>, mergeKey?: string): void;
  undo(typeId: string): void;
  redo(typeId: string): void;
  discard(typeId: string): void;
  /** Drops a draft that is not wanted; `undo` brings it back. */
  throwAway(typeId: string): void;
};
type Store = Pick<Storage, 'getItem' | 'setItem'>;
/** A draft as it was kept, perhaps by a program that knew fewer settings. */
type KeptDraft = Omit<TypeDraft, keyof typeof newerSettings> & Partial<TypeDraft>;

const newerSettings = { lists: {}, readings: {}, publish_by_hand: false };

const storageKey = 'decision-workbench.drafts';

const completeDraft = (kept: KeptDraft): TypeDraft => ({ ...newerSettings, ...kept });

function readDrafts(storage: Store): Record<string, Edited> {
  try {
    const stored = JSON.parse(storage.getItem(storageKey) ?? '{}') as Record<
      string,
      { base: KeptDraft; present: KeptDraft }
    >;
    return Object.fromEntries(
      Object.entries(stored).map(([typeId, { base, present }]) => [
        typeId,
        {
          base: completeDraft(base),
          history: pushHistory(startHistory(completeDraft(base)), completeDraft(present)),
          mergeKey: null,
        },
      ]),
    );
  } catch {
    // Drafts that an earlier program wrote otherwise are lost; the page must open all the same.
    return {};
  }
}

function toStored(byType: Readonly<Record<string, Edited>>): string {
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(byType).map(([id, { base, history }]) => [id, { base, present: history.present }]),
    ),
  );
}

function without<T>(byType: Readonly<Record<string, T>>, typeId: string): Record<string, T> {
  const { [typeId]: _gone, ...rest } = byType;
  return rest;
}

/** Unsaved edits of decision types with undo, kept in `storage` as they are typed: a reload does not lose them. */
export function createDraftStore(storage: Store) {
  const drafts = createStore<DraftsState>()((set) => {
    const put = (typeId: string, change: (edited: Edited) => Edited) =>
      set(({ byType }) => {
        const edited = byType[typeId];
        return edited ? { byType: { ...byType, [typeId]: change(edited) } } : {};
      });
    return {
      byType: readDrafts(storage),
      thrownAway: {},
      edit: (typeId, base, patch, mergeKey) =>
        set(({ byType }) => {
          const edited = byType[typeId] ?? { base, history: startHistory(base), mergeKey: null };
          const next = { ...edited.history.present, ...patch };
          const step = mergeKey !== undefined && mergeKey === edited.mergeKey ? amendHistory : pushHistory;
          const history = step(edited.history, next);
          return { byType: { ...byType, [typeId]: { base: edited.base, history, mergeKey: mergeKey ?? null } } };
        }),
      undo: (typeId) =>
        set(({ byType, thrownAway }) => {
          const edited = byType[typeId];
          const thrown = thrownAway[typeId];
          if (thrown && (edited?.history.past.length ?? 0) === 0) {
            return { byType: { ...byType, [typeId]: thrown }, thrownAway: without(thrownAway, typeId) };
          }
          if (!edited) return {};
          const undone = { base: edited.base, history: undoHistory(edited.history), mergeKey: null };
          return { byType: { ...byType, [typeId]: undone } };
        }),
      redo: (typeId) => put(typeId, ({ base, history }) => ({ base, history: redoHistory(history), mergeKey: null })),
      discard: (typeId) =>
        set(({ byType, thrownAway }) => ({ byType: without(byType, typeId), thrownAway: without(thrownAway, typeId) })),
      throwAway: (typeId) =>
        set(({ byType, thrownAway }) => {
          const edited = byType[typeId];
          if (!edited) return {};
          return { byType: without(byType, typeId), thrownAway: { ...thrownAway, [typeId]: edited } };
        }),
    };
  });
  drafts.subscribe(({ byType }) => storage.setItem(storageKey, toStored(byType)));
  return drafts;
}

export type DraftStore = ReturnType<typeof createDraftStore>;

/** A value with the values before and after it: undo and redo as plain data. */
type History<T> = { past: readonly T[]; present: T; future: readonly T[] };

/** Steps kept, more than a day of edits has; each holds only what differs from the one before. */
const maxSteps = 10_000;

/** A history that begins at `present`, with nothing to undo. */
function startHistory<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** `present` becomes the newest step; what could be redone is dropped. The same value again changes nothing. */
function pushHistory<T>(history: History<T>, present: T): History<T> {
  if (Object.is(history.present, present)) return history;
  return { past: [...history.past, history.present].slice(-maxSteps), present, future: [] };
}

/** The present is replaced without a step of its own: for keystrokes that belong to one edit. */
function amendHistory<T>(history: History<T>, present: T): History<T> {
  return { past: history.past, present, future: [] };
}

/** One step back, or the same history if there is none. */
function undoHistory<T>(history: History<T>): History<T> {
  const previous = history.past.at(-1);
  if (history.past.length === 0 || previous === undefined) return history;
  return { past: history.past.slice(0, -1), present: previous, future: [history.present, ...history.future] };
}

/** One step forward again, or the same history if there is none. */
function redoHistory<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future };
}
