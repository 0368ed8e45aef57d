import { useStore } from 'zustand';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { noType } from '../api/journal.ts';
import { leavesFocus } from '../commands/key-focus.ts';
import { ChangeProgress } from '../parts/change-progress.tsx';
import { Figure } from '../parts/figure.tsx';
import { count, decimal } from '../parts/text/figures.ts';
import { changedFields } from '../state/drafts.ts';
import { NoticeLine } from '../state/notices.tsx';
import { useChange, useOperation } from '../state/queries.ts';
import { useCommands } from '../state/use-commands.ts';
import { useUndo } from '../state/use-undo.ts';
import { useWorkbench } from '../state/workbench.ts';
import type { TypeState } from './type-state.ts';

/** The server and its speed, whether all is saved, jobs with their progress, undo, what was just done, and a budget. */
export function StatusLine({ type, state }: { type: DecisionType | null; state: TypeState }) {
  const { health } = useWorkbench();
  const { reachable, medianMs } = useStore(health.store);
  const balance = useOperation('credits.balance', {}, { staleMs: 60_000 });
  return (
    <footer className="status">
      <span className="row still">
        <span className={`dot ${reachable ? 'good' : 'bad'}`} aria-hidden="true" />
        {reachable ? (
          <Figure
            says={
              medianMs === null
                ? 'The workbench is running.'
                : `Half of the calls of this window are answered within ${decimal(medianMs, 1)} ms.`
            }
          >
            {window.location.host}
          </Figure>
        ) : (
          <span role="alert" className="bad-text">
            The workbench is not answering. Nothing is lost; the page goes on by itself once it is back.
          </span>
        )}
      </span>
      <Saved />
      {type && state.running && <Job typeId={type.id} {...state.running} />}
      {type && <ChangeProgress typeId={type.id} />}
      <UndoButton typeId={type?.id ?? noType} />
      {balance.data && balance.data.remaining !== null && (
        <Figure
          className="end only-wide"
          says="Credits count what decisions, trainings and generated examples use; Settings shows what they were used for."
        >
          {count(balance.data.remaining, 'credit')} left
        </Figure>
      )}
      <NoticeLine typeId={type?.id ?? noType} />
    </footer>
  );
}

function Saved() {
  const { outbox, drafts } = useWorkbench();
  const waiting = useStore(outbox.store, (state) => state.waiting.length);
  const edited = useStore(
    drafts,
    ({ byType }) =>
      Object.values(byType).filter(({ base, history }) => changedFields(base, history.present).length > 0).length,
  );
  if (waiting > 0) {
    return (
      <Figure className="warn-text" says="Labels that this browser keeps until the workbench has confirmed them.">
        {count(waiting, 'label')} on the way
      </Figure>
    );
  }
  if (edited > 0) {
    return (
      <Figure says="Decision types with changes that are not saved yet; they outlive a reload.">
        {count(edited, 'draft')} kept in this browser
      </Figure>
    );
  }
  return <span>Saved</span>;
}

const pollMs = 1_000;

function Job({ typeId, policyId, version }: { typeId: string; policyId: string; version: number }) {
  const params = { decision_type_id: typeId, policy_id: policyId };
  const progress = useOperation('policies.progress', { params }, { refetchMs: pollMs }).data;
  const cancel = useChange('policies.cancel');
  return (
    <span className="row still">
      <span>
        {progress?.status === 'queued' ? 'Queued' : 'Training'} v{version}
        {progress?.stage_name && <span className="only-wide"> · {progress.stage_name}</span>}
      </span>
      <progress
        title="How much of the training is done."
        max={100}
        value={progress?.progress_percent ?? 0}
        aria-label={`Progress of the training of v${version}`}
      />
      <button type="button" aria-label={`Cancel the training of v${version}`} onClick={() => cancel.mutate({ params })}>
        Cancel
      </button>
    </span>
  );
}

function UndoButton({ typeId }: { typeId: string }) {
  const { next, undo, redo, canUndo, canRedo } = useUndo(typeId);
  useCommands('Edit', [
    { id: 'undo-act', title: 'Undo the last act', keys: 'Mod+Z', enabled: canUndo, run: undo },
    { id: 'redo-act', title: 'Redo', keys: 'Mod+Shift+Z', enabled: canRedo, run: redo },
  ]);
  if (next === null) return null;
  return (
    <button type="button" {...leavesFocus} onClick={undo} title={`${next} (Ctrl+Z)`} aria-label={`Undo: ${next}`}>
      Undo
    </button>
  );
}
