import { describe, expect, it } from 'vitest';
import { changedFields, createDraftStore, type TypeDraft } from '../../src/renderer/state/drafts.ts';

const base: TypeDraft = {
  name: 'refunds',
  description: '',
  options: ['approve', 'deny'],
  reason_codes: [],
  hard_rules: [],
  inputSchemaText: '',
  confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
  escalation_policy: { enabled: false, between: 'flag', connection: null, timeout_ms: 10_000, unfamiliar: 'escalate' },
  fallback_option: null,
  pii_fields: [],
  retention_days: 90,
};

function openDraft() {
  const store = createDraftStore();
  const { edit, undo, redo, discard } = store.getState();
  return { edit, undo, redo, discard, draft: () => store.getState().byType.a?.history.present ?? base };
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

  it('names the changed fields, and none after a change there and back', () => {
    expect(changedFields(base, { ...base, options: ['approve', 'refuse'] })).toEqual(['options']);
    expect(changedFields(base, { ...base, options: ['approve', 'deny'] })).toEqual([]);
  });
});
