import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { type TypeDraft, toDraft } from './drafts.ts';
import { useWorkbench } from './workbench.ts';

/** The draft of a type (or its stored state) and the way to edit it. */
export function useDraft(type: DecisionType) {
  const { drafts } = useWorkbench();
  const edited = useStore(drafts, (state) => state.byType[type.id]);
  const isThrownAway = useStore(drafts, (state) => state.thrownAway[type.id] !== undefined);
  const stored = useMemo(() => toDraft(type), [type]);
  return {
    /** The state that the draft began from. */
    base: edited?.base ?? stored,
    stored,
    draft: edited?.history.present ?? stored,
    history: edited?.history,
    canUndo: (edited?.history.past.length ?? 0) > 0 || isThrownAway,
    edit: (patch: Partial<TypeDraft>, mergeKey?: string) => drafts.getState().edit(type.id, stored, patch, mergeKey),
  };
}
