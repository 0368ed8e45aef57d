import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { type TypeDraft, toDraft } from '../state/drafts.ts';
import { useWorkbench } from '../workbench.tsx';

/** The draft of a type (or its stored state) and the way to edit it. */
export function useDraft(type: DecisionType) {
  const { drafts } = useWorkbench();
  const edited = useStore(drafts, (state) => state.byType[type.id]);
  const base = useMemo(() => toDraft(type), [type]);
  return {
    base,
    draft: edited?.history.present ?? base,
    history: edited?.history,
    edit: (patch: Partial<TypeDraft>, mergeKey?: string) => drafts.getState().edit(type.id, base, patch, mergeKey),
  };
}
