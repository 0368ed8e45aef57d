import { describe, expect, it } from 'vitest';
import { findRole, guessFormat, importProblem, withRole } from '../../src/renderer/examples/import-mapping.ts';
import { inferSchema } from '../../src/renderer/examples/infer-schema.ts';
import { labelAction, moveRow } from '../../src/renderer/examples/labelling.ts';

const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false, altKey: false });

describe('labelling by keyboard', () => {
  it('labels with the digits that are options and with no other', () => {
    expect(labelAction(press('2'), 3)).toEqual({ kind: 'label', option: 1 });
    expect(labelAction(press('4'), 3)).toBeNull();
    expect(labelAction(press('0'), 3)).toEqual({ kind: 'clear' });
  });

  it('moves with j and k and the arrows, and stays in the list', () => {
    const down = labelAction(press('j'), 2);
    expect(down).toEqual(labelAction(press('ArrowDown'), 2));
    expect(down && moveRow(4, down, 5)).toBe(4);
    const up = labelAction(press('k'), 2);
    expect(up && moveRow(0, up, 5)).toBe(0);
    expect(up && moveRow(0, up, 0)).toBe(-1);
  });

  it('undoes with u and Ctrl+Z and leaves other control keys to the browser', () => {
    expect(labelAction(press('u'), 2)).toEqual({ kind: 'undo' });
    expect(labelAction(press('z', true), 2)).toEqual({ kind: 'undo' });
    expect(labelAction(press('r', true), 2)).toBeNull();
  });
});

describe('importing a file', () => {
  it('knows the format from the ending, or from the text', () => {
    expect(guessFormat('Rows.CSV', '')).toBe('csv');
    expect(guessFormat('rows.ndjson', '')).toBe('jsonl');
    expect(guessFormat('rows.txt', '{"a":1}\n{"a":2}\n')).toBe('jsonl');
    expect(guessFormat('rows.txt', '[{"a":1}]')).toBe('json');
    expect(guessFormat('rows.txt', 'a\tb\n1\t2')).toBe('tsv');
  });

  it('has one decision column: the one chosen last', () => {
    const columns = ['text', 'label', 'verdict'];
    const mapping = { decision: 'label', reason_codes: null, input: null };
    expect(findRole('text', mapping)).toBe('input');
    const changed = withRole(mapping, columns, 'verdict', 'decision');
    expect(changed).toEqual({ decision: 'verdict', reason_codes: null, input: ['text'] });
    expect(findRole('label', changed)).toBe('ignore');
  });

  it('says which labels are not options', () => {
    const result = {
      committed: false,
      mapping: { decision: 'label', reason_codes: null, input: null },
      columns: [],
      total: 3,
      labelled: 3,
      by_option: {},
      unknown_decisions: [{ value: 'maybe', count: 2, line: 3 }],
      preview: [],
    };
    expect(importProblem(result)).toContain('“maybe” (2)');
    expect(importProblem({ ...result, unknown_decisions: [] })).toBeNull();
  });
});

describe('fields of the input', () => {
  const inputs = [
    { amount: 1, who: { state: 'CA' } },
    { amount: null, who: {}, note: 'x' },
  ];

  it('become a schema; only those that every example has are required', () => {
    expect(inferSchema(inputs)).toEqual({
      type: 'object',
      properties: { amount: { type: ['number', 'null'] }, who: { type: 'object' }, note: { type: 'string' } },
      required: ['amount', 'who'],
    });
  });
});
