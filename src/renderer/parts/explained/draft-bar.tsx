/** The bar of a draft, in each place that can change it. */
import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useChange } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { ErrorNote, Moment } from '../notes.tsx';
import { count, number } from '../text/figures.ts';
import { showUnseen } from '../text/names.ts';

/** Changes that are shown; the rest is counted. */
const shownChanges = 4;

type Props = {
  type: DecisionType;
  /** Another act of the place comes first: keeping what was edited since. */
  isEdited?: boolean;
};

/** The draft of a type wherever it can be changed: what it changes, and the ways to publish and to discard it. */
export function DraftBar({ type, isEdited = false }: Props) {
  const { ui } = useWorkbench();
  const { draft } = type;
  const { discard, keepMine, error, isPending } = useDraftActs(type);
  const publish = () => ui.getState().show('publish');
  useCommands('Training', [
    { id: 'publish-draft', title: 'Publish the draft…', enabled: draft !== null && !isEdited, run: publish },
    { id: 'discard-draft', title: 'Discard the draft', enabled: draft !== null, run: discard },
  ]);
  if (draft === null) return null;
  const more = draft.changes.length - shownChanges;
  return (
    <section className="note warn stack tight" aria-label="Draft">
      <div className="row between">
        <span className="wrap">
          <strong>Draft: {count(draft.changes.length, 'change')}</strong>{' '}
          <span className="muted">
            {draft.by !== null && `by ${showUnseen(draft.by)}, `}
            <Moment iso={draft.updated_at} />. It decides once it is published.
          </span>
        </span>
        <span className="row">
          <Button disabled={isPending} onClick={discard}>
            Discard draft
          </Button>
          {!isEdited && draft.conflicts.length === 0 && <Button onClick={publish}>Publish…</Button>}
        </span>
      </div>
      <ul>
        {draft.changes.slice(0, shownChanges).map((change) => (
          <li key={change} className="wrap">
            {showUnseen(change)}
          </li>
        ))}
        {more > 0 && <li className="muted">{more === 1 ? 'One more change' : `${number(more)} more changes`}</li>}
      </ul>
      {draft.conflicts.length > 0 && (
        <div className="row between">
          <span className="wrap">
            The same was changed live meanwhile. Published, the draft would take that change back.
          </span>
          <Button disabled={isPending} onClick={keepMine}>
            Keep the draft’s
          </Button>
        </div>
      )}
      {error && <ErrorNote error={error} />}
    </section>
  );
}

/** The acts on a kept draft: each can be taken back. */
function useDraftActs(type: DecisionType) {
  const { noteDone } = useUndo(type.id);
  const remove = useChange('drafts.delete');
  const update = useChange('decision_types.update');
  const params = { decision_type_id: type.id };
  const again = { params, body: { ...type.draft?.settings, draft: true } };
  const discard = () =>
    remove.mutate(
      { params, ifMatch: type.etag },
      {
        onSuccess: () => {
          const back = { name: 'decision_types.update' as const, input: again };
          noteDone('Draft discarded', 'The draft is discarded.', back, { name: 'drafts.delete', input: { params } });
        },
      },
    );
  return {
    discard,
    keepMine: () => update.mutate({ ...again, ifMatch: type.etag }),
    isPending: remove.isPending || update.isPending,
    error: remove.error ?? update.error,
  };
}
