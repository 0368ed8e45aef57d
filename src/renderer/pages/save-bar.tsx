import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { readJsonText } from '../parts/json-text.ts';
import { ErrorNote } from '../parts/layout.tsx';
import { changedFields, type TypeDraft } from '../state/drafts.ts';
import { useWorkbench } from '../workbench.tsx';
import { useDraft } from './use-draft.ts';

const versionFields: readonly (keyof TypeDraft)[] = [
  'options',
  'reason_codes',
  'hard_rules',
  'inputSchemaText',
  'confidence_thresholds',
  'escalation_policy',
];

/** Save, undo, redo and discard for the edits of Define and Rules; shown only while there are any. */
export function SaveBar({ type }: { type: DecisionType }) {
  const { drafts, ui } = useWorkbench();
  const { base, draft, history } = useDraft(type);
  const update = useChange('decision_types.update');
  const changed = changedFields(base, draft);
  const schema = readJsonText(draft.inputSchemaText, 'input schema');
  const canSave = changed.length > 0 && !update.isPending && 'value' in schema;
  const undo = () => drafts.getState().undo(type.id);
  const redo = () => drafts.getState().redo(type.id);
  const canUndo = (history?.past.length ?? 0) > 0;
  const canRedo = (history?.future.length ?? 0) > 0;
  const discard = () => {
    drafts.getState().discard(type.id);
    update.reset();
  };
  const save = () => {
    if (!canSave || !('value' in schema)) return;
    const { inputSchemaText: _text, ...fields } = draft;
    const body = Object.fromEntries(Object.entries(fields).filter(([key]) => changed.includes(key as keyof TypeDraft)));
    update.mutate(
      {
        params: { decision_type_id: type.id },
        body: { ...body, ...(changed.includes('inputSchemaText') ? { input_schema: schema.value } : {}) },
      },
      {
        onSuccess: (saved) => {
          drafts.getState().discard(type.id);
          ui.getState().notify('info', `Saved. Version ${saved.active_version.version_number} is active.`);
        },
      },
    );
  };
  useCommands([
    { id: 'save', title: 'Save changes', group: 'Edit', keys: 'Mod+S', inFields: true, enabled: canSave, run: save },
    { id: 'undo', title: 'Undo', group: 'Edit', keys: 'Mod+Z', enabled: canUndo, run: undo },
    { id: 'redo', title: 'Redo', group: 'Edit', keys: 'Mod+Shift+Z', enabled: canRedo, run: redo },
    { id: 'discard', title: 'Discard changes', group: 'Edit', enabled: changed.length > 0, run: discard },
  ]);
  if (changed.length === 0 && !canUndo && !canRedo) return null;
  const newVersion = changed.some((field) => versionFields.includes(field));
  return (
    <>
      {update.isError && <ErrorNote error={update.error} />}
      <div className="savebar">
        <span className="grow muted">
          {'problem' in schema
            ? schema.problem
            : changed.length === 0
              ? 'No changes'
              : newVersion
                ? `Saving makes version ${type.active_version.version_number + 1}`
                : 'Saving keeps the version'}
        </span>
        <button type="button" className="quiet" disabled={!canUndo} onClick={undo}>
          Undo
        </button>
        <button type="button" className="quiet" disabled={!canRedo} onClick={redo}>
          Redo
        </button>
        <button type="button" onClick={discard}>
          Discard changes
        </button>
        <button type="button" className="primary" disabled={!canSave} onClick={save}>
          {update.isPending ? 'Saving…' : 'Save changes'}
        </button>
      </div>
    </>
  );
}
