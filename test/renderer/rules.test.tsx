import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { toKnownFields } from '../../src/engine/rules/analysis/survey.ts';
import { ConditionTable } from '../../src/renderer/features/rules/condition-table.tsx';
import { RulesAnalysisPanel } from '../../src/renderer/features/rules/rules-analysis-panel.tsx';
import { listText, readList, readValue, valueText } from '../../src/renderer/features/rules/table-values.ts';
import { show } from './page.tsx';

afterEach(cleanup);

const fields = toKnownFields([
  { path: ['amount'], types: ['number'], values: [] },
  { path: ['country'], types: ['text'], values: ['DE'] },
]);

function openTable(condition: string) {
  const written = { condition, then: 'review', reason_code: null as string | null };
  function Page() {
    const [rule, setRule] = useState({ ...written });
    Object.assign(written, rule);
    return (
      <ConditionTable
        value={rule.condition}
        onValue={(changed) => setRule({ ...rule, condition: changed })}
        fields={fields}
        outcome={rule}
        options={['approve', 'review']}
        reasonCodes={['LIMIT']}
        onOutcome={(changed) => setRule({ ...rule, ...changed })}
      />
    );
  }
  show(<Page />);
  return written;
}
const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

describe('a condition as a table', () => {
  it('shows each comparison in a row and writes changes back as text', () => {
    const written = openTable('ctx.amount >= 100 && ctx.country in ["DE", "AT"]');
    expect(screen.getByLabelText('Value 1')).toHaveProperty('value', '100');
    expect(screen.getByLabelText('Value 2')).toHaveProperty('value', 'DE, AT');
    enter('Value 1', '250.5');
    enter('Value 2', 'CH, FR');
    expect(written.condition).toBe('ctx.amount >= 250.5 && ctx.country in ["CH", "FR"]');
    enter('Comparison 2', '==');
    expect(written.condition).toBe('ctx.amount >= 250.5 && ctx.country == "CH"');
    fireEvent.click(screen.getByLabelText('Remove comparison 1'));
    expect(written.condition).toBe('ctx.country == "CH"');
  });

  it('shows the outcome beside the comparisons and writes it back', () => {
    const written = openTable('ctx.amount >= 100 && ctx.country == "DE"');
    expect(screen.getByLabelText('Then')).toHaveProperty('value', 'review');
    enter('Then', 'approve');
    enter('Reason code', 'LIMIT');
    expect(written).toEqual({
      condition: 'ctx.amount >= 100 && ctx.country == "DE"',
      then: 'approve',
      reason_code: 'LIMIT',
    });
    enter('Reason code', '');
    expect(written.reason_code).toBeNull();
  });

  it('starts a new rule from the known fields', () => {
    const written = openTable('ctx.');
    fireEvent.click(screen.getByText('Add comparison'));
    enter('Field 1', 'ctx.country');
    enter('Comparison 1', 'startsWith');
    enter('Value 1', 'D');
    expect(written.condition).toBe('ctx.country.startsWith("D")');
  });

  it('leaves a condition alone that is more than a table', () => {
    const written = openTable('ctx.amount > 1 || ctx.country == "DE"');
    expect(screen.getByText(/change it in the text view/)).toBeTruthy();
    expect(written.condition).toBe('ctx.amount > 1 || ctx.country == "DE"');
  });

  it('reads back every value as it was written', () => {
    const values = ['DE', '12', 'true', 'a, b', '', ' x ', '"quoted"', 12, -0.5, true, null];
    for (const textField of [true, false]) {
      for (const value of values.filter((each) => !textField || typeof each === 'string')) {
        expect(readValue(valueText(value, textField), textField)).toEqual(value);
        expect(readList(listText([value, 'z'], textField), textField)).toEqual([value, 'z']);
      }
    }
  });
});

describe('the effect of unsaved rules', () => {
  it('names findings and figures, and opens the rule they are about', () => {
    const opened: number[] = [];
    const counts = {
      holds: 14,
      matched: 12,
      agrees: 9,
      disagrees: 3,
      unlabelled: 0,
      errors: 0,
      agreement: 0.75,
      disagreeing: [{ id: 'example-1', input: '{"amount":150}', expected: 'review', decided: 'approve' }],
    };
    const changed = {
      rows: 40,
      changed: 1,
      differing: [{ id: 'example-2', before: { rule: 'large', then: 'review' }, after: null }],
    };
    show(
      <RulesAnalysisPanel
        analysis={{
          problems: [],
          findings: [
            {
              kind: 'never_true',
              severity: 'warning',
              basis: 'exact',
              shown_by: null,
              rule: 4,
              other: null,
              message: 'M',
              suggestion: 'S',
              range: null,
            },
            {
              kind: 'overlap',
              severity: 'info',
              basis: 'examples',
              shown_by: { rows: 3, of: 40 },
              rule: 4,
              other: null,
              message: 'N',
              suggestion: null,
              range: null,
            },
          ],
          findings_left_out: 0,
          impact: {
            examples: { rows: 40, undecided: 28 },
            decisions: { rows: 7, undecided: 0 },
            rules: [{ rule: 4, name: 'large', examples: counts, decisions: { matched: 7, changed: 2, errors: 0 } }],
            against_saved: { examples: changed, decisions: { rows: 7, changed: 0, differing: [] } },
          },
          fields: [],
        }}
        onOpenRule={(place) => opened.push(place)}
      />,
    );
    const cellsOf = (table: string) =>
      [...screen.getByLabelText(table).querySelectorAll('td')].map((cell) => cell.textContent);
    expect(cellsOf('Effect of each rule')).toEqual(['large', '12', '9 (75.0 %)', '3', '2 of 7']);
    expect(cellsOf('Examples that disagree with large')).toEqual(['example-1', '{"amount":150}', 'review', 'approve']);
    expect(screen.getByText('3 examples disagree with large, the newest 1 are listed').tagName).toBe('SUMMARY');
    expect(cellsOf('Changed examples')).toEqual(['example-2', 'large → review', 'no rule']);
    expect(screen.getByText('exact')).toBeTruthy();
    expect(screen.getByText('by 3 of 40 examples')).toBeTruthy();
    fireEvent.click(screen.getAllByText('large')[0] ?? document.body);
    expect(opened).toEqual([4]);
  });
});
