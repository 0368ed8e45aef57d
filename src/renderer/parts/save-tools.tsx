import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../server/contract/client.ts';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import {
  changedFields,
  decidingFields,
  findConflicts,
  isOfVersion,
  settingNames,
  type TypeDraft,
  toDraft,
} from '../state/drafts.ts';
import { notify } from '../state/notices.tsx';
import { change } from '../state/queries.ts';
import { useCommands } from '../state/use-commands.ts';
import { useDraft } from '../state/use-draft.ts';
import { useWorkbench } from '../state/workbench.ts';
import { ErrorNote, Moment } from './notes.tsx';
import { readJsonText } from './text/json-text.ts';
import { isolate, showUnseen } from './text/names.ts';

/**
 * Writes the changed fields, unless somebody else has changed one of them since the edits began: what decides into the
 * draft of the type while a policy is deployed, all else at once.
 */
function useSave(type: DecisionType) {
  const workbench = useWorkbench();
  const { base, draft } = useDraft(type);
  const params = { decision_type_id: type.id };
  /** Resolves with the fields that somebody else has changed, too: then nothing is written. */
  const save = async (force: boolean): Promise<(keyof TypeDraft)[]> => {
    const schema = readJsonText(draft.inputSchemaText, 'input schema');
    if (!('value' in schema)) return [];
    const present = await workbench.client.call('decision_types.get', { params, query: {} });
    workbench.queries.setQueryData(['decision_types.get', { params, query: {} }], present);
    const conflicts = force ? [] : findConflicts(base, draft, toDraft(present));
    if (conflicts.length > 0) return conflicts;
    const changed = changedFields(base, draft);
    const { inputSchemaText: _text, ...fields } = draft;
    const toBody = (names: readonly (keyof TypeDraft)[]) => ({
      ...Object.fromEntries(Object.entries(fields).filter(([key]) => names.some((name) => name === key))),
      ...(names.includes('inputSchemaText') ? { input_schema: schema.value } : {}),
    });
    const settings = changed.filter((name) => present.model_deployed && decidingFields.includes(name));
    const others = changed.filter((name) => !settings.includes(name));
    let { etag: ifMatch, active_version: version } = present;
    if (others.length > 0) {
      const input = { params, body: toBody(others), ifMatch };
      ({ etag: ifMatch, active_version: version } = await change(workbench, 'decision_types.update', input));
    }
    if (settings.length > 0) {
      await change(workbench, 'decision_types.update', {
        params,
        body: { ...toBody(settings), draft: true },
        ifMatch,
      });
    }
    workbench.drafts.getState().discard(type.id);
    const text = settings.length === 0 ? `Saved. Version ${version.version_number} is active.` : 'Kept in the draft.';
    notify({ kind: 'info', text });
    return [];
  };
  const saving = useMutation({
    mutationFn: async (force: boolean) => {
      try {
        return await save(force);
      } catch (error) {
        // Between reading and writing somebody else was faster: their change is compared as well.
        if (error instanceof ApiError && error.code === 'precondition_failed') return save(force);
        throw error;
      }
    },
  });
  const { isPending, error, data: conflicts = [], mutate, reset } = saving;
  return { isSaving: isPending, error, conflicts, save: mutate, dismiss: reset };
}

/** Save, undo, redo and discard for the edits of a type; in the head of the pane, always in sight. */
export function SaveTools({ type }: { type: DecisionType }) {
  const { drafts, ui } = useWorkbench();
  const { base, draft, history, canUndo } = useDraft(type);
  const { isSaving, error, conflicts, save, dismiss } = useSave(type);
  const changed = changedFields(base, draft);
  const schema = readJsonText(draft.inputSchemaText, 'input schema');
  const open = draft.hard_rules.find(({ then }) => then === '');
  const problem =
    'problem' in schema ? schema.problem : open && `“${isolate(open.name)}” decides nothing yet: choose it under Then.`;
  const canSave = changed.length > 0 && !isSaving && problem === undefined;
  const undo = () => drafts.getState().undo(type.id);
  const redo = () => drafts.getState().redo(type.id);
  const discard = () => {
    drafts.getState().throwAway(type.id);
    dismiss();
    const discarded = drafts.getState().thrownAway[type.id];
    // An undo after a further edit takes back that one.
    const canTurn = () => {
      const { thrownAway, byType } = drafts.getState();
      return thrownAway[type.id] === discarded && (byType[type.id]?.history.past.length ?? 0) === 0;
    };
    notify({ kind: 'info', text: 'The changes are discarded.', undo, of: { typeId: type.id, canTurn } });
  };
  const publish = () => save(false, { onSuccess: (found) => found.length === 0 && ui.getState().show('publish') });
  const canRedo = (history?.future.length ?? 0) > 0;
  const isForDraft = type.model_deployed && changed.some((name) => decidingFields.includes(name));
  const saveTitle = isForDraft ? 'Keep as draft' : 'Save changes';
  const isEdited = changed.length > 0 || canUndo || canRedo;
  useCommands('Edit', [
    { id: 'save', title: saveTitle, keys: 'Mod+S', inFields: true, enabled: canSave, run: () => save(false) },
    { id: 'save-publish', title: 'Publish…', enabled: canSave && isForDraft, run: publish },
    { id: 'undo', title: 'Undo', keys: 'Mod+Z', enabled: canUndo, run: undo },
    { id: 'redo', title: 'Redo', keys: 'Mod+Shift+Z', enabled: canRedo, run: redo },
    { id: 'discard', title: 'Discard changes', enabled: changed.length > 0, run: discard },
  ]);
  if (!isEdited) return null;
  const newVersion = changed.some(isOfVersion);
  return (
    <>
      <span className="muted">
        {problem !== undefined
          ? problem
          : changed.length === 0
            ? 'No changes'
            : isForDraft
              ? 'Unpublished changes'
              : newVersion
                ? `Saving makes version ${type.active_version.version_number + 1}`
                : 'Saving keeps the version'}
      </span>
      <Button variant="subtle" disabled={!canUndo} onClick={undo}>
        Undo
      </Button>
      <Button variant="subtle" disabled={!canRedo} onClick={redo}>
        Redo
      </Button>
      <Button disabled={changed.length === 0} onClick={discard}>
        Discard changes
      </Button>
      <Button variant="filled" disabled={!canSave} loading={isSaving} onClick={() => save(false)}>
        {saveTitle}
      </Button>
      {isForDraft && (
        <Button disabled={!canSave} onClick={publish}>
          Publish…
        </Button>
      )}
      {error !== null && <ErrorNote error={error} />}
      <Conflict
        type={type}
        fields={conflicts}
        mine={isForDraft ? 'Keep mine as draft' : 'Save mine'}
        takeTheirs={discard}
        keepMine={() => save(true)}
        onClose={dismiss}
      />
    </>
  );
}

type ConflictProps = {
  type: DecisionType;
  fields: readonly (keyof TypeDraft)[];
  mine: string;
  takeTheirs(): void;
  keepMine(): void;
  onClose(): void;
};

/** Asks whose change stays, where somebody else has changed the same fields. */
function Conflict({ type, fields, mine, takeTheirs, keepMine, onClose }: ConflictProps) {
  const theirs = fields.some((field) => decidingFields.includes(field)) ? type.draft : null;
  return (
    <Modal opened={fields.length > 0} onClose={onClose} title="Somebody else has changed this meanwhile">
      <div className="stack">
        <p className="wrap">
          {theirs?.by ? `${showUnseen(theirs.by)} has` : 'Another window or program has'} changed{' '}
          {fields.map((field) => settingNames[field]).join(', ')} since your edits began,{' '}
          <Moment iso={(theirs ?? type).updated_at} />. Nothing was saved yet.
        </p>
        <div className="row">
          <Button onClick={takeTheirs}>Take theirs</Button>
          <Button variant="filled" onClick={keepMine}>
            {mine}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
