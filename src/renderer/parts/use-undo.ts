import { useStore } from 'zustand';
import type { Undone } from '../api/acts.ts';
import { notify } from '../state/notices.tsx';
import { useWorkbench } from '../workbench.tsx';

/** The newest act on a type's examples and the ways back and forth. */
export function useUndo(typeId: string) {
  const { acts, ui } = useWorkbench();
  const next = useStore(acts.store, ({ done }) => done.findLast((act) => act.typeId === typeId)?.title ?? null);
  const canRedo = useStore(acts.store, ({ undone }) => undone.some((act) => act.typeId === typeId));
  const tell = (word: string) => (undone: Undone | null) => {
    if (undone === null) return;
    ui.getState().announce(`${word}: ${undone.title}`);
  };
  const refuse = (error: unknown) =>
    notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
  return {
    next,
    canRedo,
    undo: () => void acts.undo(typeId).then(tell('Undone'), refuse),
    redo: () => void acts.redo(typeId).then(tell('Done again'), refuse),
  };
}
