import { useStore } from 'zustand';
import type { Act, CallsBack, ServerCall } from '../api/journal.ts';
import { notify, notifyFailure } from './notices.tsx';
import { useWorkbench, type Workbench } from './workbench.ts';

/**
 * Undoes or redoes an act: the newest one of the type, or the one that a notice names. A label is only announced,
 * for the view that shows its row; everything else also says how to reverse it once more.
 */
async function turnAct(workbench: Workbench, way: 'undo' | 'redo', typeId: string, key?: string): Promise<void> {
  const { acts, ui } = workbench;
  try {
    const act = await acts[way](typeId, key);
    if (act === null) return;
    const text = `${way === 'undo' ? 'Undone' : 'Done again'}: ${act.title}`;
    if (act.step.kind === 'label') return ui.getState().announce(text);
    const [title, other] = way === 'undo' ? (['Redo', 'redo'] as const) : (['Undo', 'undo'] as const);
    const of = tieToAct(act, way === 'undo' ? 'undone' : 'done');
    notify({ kind: 'info', text, of, act: { title, run: () => void turnAct(workbench, other, typeId, act.key) } });
  } catch (error) {
    notifyFailure(error);
  }
}

/** Says what was done, with the way back as long as there is one, and perhaps what comes next. */
export function notifyDone(workbench: Workbench, text: string, act: Act, next?: { title: string; run(): void }): void {
  const undo = () => void turnAct(workbench, 'undo', act.typeId, act.key);
  notify({ kind: 'info', text, undo, of: tieToAct(act, 'done'), ...(next && { next }) });
}

/** Ties a notice to its act: it goes once the act has left the list from which the notice's button takes it. */
const tieToAct = ({ key, typeId }: Act, list: 'done' | 'undone') => ({
  typeId,
  canTurn: ({ acts }: Workbench) => acts.store.getState()[list].some((act) => act.key === key),
});

/** The newest act on a type and the ways back and forth. */
export function useUndo(typeId: string) {
  const workbench = useWorkbench();
  const { acts, ui } = workbench;
  const findNewest = ({ done }: { done: readonly Act[] }) => done.findLast((act) => act.typeId === typeId);
  const next = useStore(acts.store, findNewest);
  const isTurning = useStore(acts.store, ({ turns }) => turns.length > 0);
  const canRedo = useStore(acts.store, ({ undone }) => undone.some((act) => act.typeId === typeId));
  const undoUnless = async (mustAsk: (act: Act) => boolean) => {
    await acts.untilTurned();
    const act = findNewest(acts.store.getState());
    if (!act) return;
    const undo = () => void turnAct(workbench, 'undo', typeId, act.key);
    if (!mustAsk(act)) return undo();
    ui.getState().ask({ title: act.title, run: undo });
  };
  const sayDone = (text: string, act: Act) => notifyDone(workbench, text, act);
  return {
    next: next?.title ?? null,
    canUndo: next !== undefined || isTurning,
    canRedo: canRedo || isTurning,
    /** Takes the newest act back; asks first where it changed many rows. */
    undo: () => void undoUnless(({ exampleCount }) => exampleCount > 1),
    /** Takes the newest act back where it changed one row, and asks about any other: a single key goes no further. */
    undoRow: () => void undoUnless(({ exampleCount }) => exampleCount !== 1),
    sayDone,
    /** Notes that examples were made, and says it with the way back. */
    noteAdded: (made: readonly { id: string }[], title: string, text = title) => {
      const ids = made.map(({ id }) => id);
      sayDone(text, acts.added(typeId, ids, title));
    },
    /** Notes an act with the calls that take it back and do it again, and says it with the way back. */
    noteDone: (title: string, text: string, back: CallsBack, again: ServerCall, exampleCount = 0) => {
      const act = acts.done(typeId, title, back, again, exampleCount);
      sayDone(text, act);
    },
    redo: () => void acts.untilTurned().then(() => turnAct(workbench, 'redo', typeId)),
  };
}
