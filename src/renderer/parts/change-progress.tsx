/** How far a change of many examples is, and the way to take it back while it goes on; nothing without one. */
import { useStore } from 'zustand';
import { notifyFailure } from '../state/notices.tsx';
import { useChange } from '../state/queries.ts';
import { useWorkbench } from '../state/workbench.ts';

/** Shows the change of a type that is under way. */
export function ChangeProgress({ typeId }: { typeId: string }) {
  const { live } = useWorkbench();
  const changing = useStore(live.store, (state) => state.changing[typeId]);
  const cancel = useChange('examples.cancel');
  if (changing === undefined) return null;
  const { share, cancellable } = changing;
  const stop = () => cancel.mutate({ params: { decision_type_id: typeId } }, { onError: notifyFailure });
  return (
    <span className="row still">
      <span>Changing examples</span>
      <progress
        title="How much of the change is done; it counts whole or not at all."
        value={share}
        aria-label="Progress of the change of examples"
      />
      {cancellable && (
        <button type="button" disabled={cancel.isPending} onClick={stop}>
          {cancel.isPending ? 'Taking it back…' : 'Take it back'}
        </button>
      )}
    </span>
  );
}
