import { describe, expect, it } from 'vitest';
import { changedFields, createDraftStore, findConflicts, type TypeDraft } from '../../src/renderer/state/drafts.ts';
import { emptyStorage } from './page.tsx';

const base: TypeDraft = {
  name: 'refunds',
  description: '',
  options: ['approve', 'deny'],
  reason_codes: [],
  hard_rules: [],
  lists: {},
  readings: {},
  inputSchemaText: '',
  confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
  escalation_policy: { enabled: false, between: 'flag', connection: null, timeout_ms: 10_000, unfamiliar: 'escalate' },
  fallback_option: null,
  pii_fields: [],
  retention_days: 90,
  audit: null,
  publish_by_hand: false,
  publish_by_another: false,
};

function openDraft(storage = emptyStorage()) {
  const store = createDraftStore(storage);
  const { edit, undo, redo, discard, throwAway } = store.getState();
  return { edit, undo, redo, discard, throwAway, draft: () => store.getState().byType.a?.history.present ?? base };
}

describe('editing a decision type', () => {
  it('takes typing in one field back in one step, and the next field in another', () => {
    const { edit, undo, redo, draft } = openDraft();
    edit('a', base, { name: 'refunds2' }, 'name');
    edit('a', base, { name: 'refunds23' }, 'name');
    edit('a', base, { description: 'x' }, 'description');
    undo('a');
    expect(draft()).toMatchObject({ name: 'refunds23', description: '' });
    undo('a');
    expect(draft()).toEqual(base);
    undo('a');
    expect(draft()).toEqual(base);
    redo('a');
    redo('a');
    expect(draft()).toMatchObject({ name: 'refunds23', description: 'x' });
  });

  it('cannot redo what a new edit has replaced', () => {
    const { edit, undo, redo, draft } = openDraft();
    edit('a', base, { name: 'one' });
    undo('a');
    edit('a', base, { name: 'two' });
    redo('a');
    expect(draft().name).toBe('two');
  });

  it('keeps drafts of two types apart, and a discarded one is gone', () => {
    const { edit, discard, draft } = openDraft();
    edit('b', base, { name: 'other' });
    edit('a', base, { name: 'mine' });
    discard('b');
    expect(draft().name).toBe('mine');
    discard('a');
    expect(draft()).toEqual(base);
  });

  it('thrown away come back with an undo, also past what was typed after them', () => {
    const { edit, undo, throwAway, draft } = openDraft();
    edit('a', base, { name: 'one' });
    edit('a', base, { name: 'two' });
    throwAway('a');
    expect(draft()).toEqual(base);
    edit('a', base, { description: 'later' });
    undo('a');
    undo('a');
    expect(draft()).toEqual({ ...base, name: 'two' });
    undo('a');
    expect(draft()).toEqual({ ...base, name: 'one' });
  });

  it('names the changed fields, and none after a change there and back', () => {
    expect(changedFields(base, { ...base, options: ['approve', 'refuse'] })).toEqual(['options']);
    expect(changedFields(base, { ...base, options: ['approve', 'deny'] })).toEqual([]);
  });

  it('are there again after a reload, with the state that they began from', () => {
    const storage = emptyStorage();
    openDraft(storage).edit('a', base, { name: 'typed' });
    const again = openDraft(storage);
    expect(again.draft().name).toBe('typed');
    again.undo('a');
    expect(again.draft()).toEqual(base);
  });

  it('conflict only where both sides changed a field, and not to the same', () => {
    const mine = { ...base, name: 'mine', description: 'same' };
    const theirs = { ...base, name: 'theirs', description: 'same', retention_days: 1 };
    expect(findConflicts(base, mine, theirs)).toEqual(['name']);
    expect(findConflicts(base, { ...base, name: 'mine' }, { ...base, retention_days: 1 })).toEqual([]);
  });
});
