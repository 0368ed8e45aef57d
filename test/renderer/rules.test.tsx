import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { knownOfSeen } from '../../src/engine/rules/survey.ts';
import { ConditionTable } from '../../src/renderer/parts/condition-table.tsx';
import { RulesAnalysisPanel } from '../../src/renderer/parts/rules-analysis-panel.tsx';
import { listText, readList, readValue, valueText } from '../../src/renderer/rules/table-values.ts';

afterEach(cleanup);

const fields = knownOfSeen([
  { path: ['amount'], types: ['number'], values: [] },
  { path: ['country'], types: ['text'], values: ['DE'] },
]);

function openTable(condition: string) {
  const written = { condition };
  function Page() {
    const [value, setValue] = useState(condition);
    written.condition = value;
    return <ConditionTable value={value} onValue={setValue} fields={fields} />;
  }
  render(<Page />);
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
    const counts = { matched: 12, agrees: 9, disagrees: 3, unlabelled: 0, errors: 0, agreement: 0.75, disagreeing: [] };
    render(
      <RulesAnalysisPanel
        analysis={{
          problems: [],
          findings: [
            {
              kind: 'never_true',
              severity: 'warning',
              rule: 4,
              other: null,
              message: 'M',
              suggestion: 'S',
              range: null,
            },
          ],
          impact: {
            examples: { rows: 40, undecided: 28 },
            decisions: { rows: 7, undecided: 0 },
            rules: [{ rule: 4, name: 'large', examples: counts, decisions: { matched: 7, changed: 2, errors: 0 } }],
            against_saved: null,
          },
          fields: [],
        }}
        onOpenRule={(place) => opened.push(place)}
      />,
    );
    const cells = screen.getAllByRole('cell').map((cell) => cell.textContent);
    expect(cells).toEqual(['large', '12', '9 (75.0 %)', '3', '2 of 7']);
    fireEvent.click(screen.getAllByText('large')[0] ?? document.body);
    expect(opened).toEqual([4]);
  });
});
