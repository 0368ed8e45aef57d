import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { RulesAnalysisPanel } from '../../../src/renderer/features/rules/rules-analysis-panel.tsx';
import { show } from '../page.tsx';

afterEach(cleanup);

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
            rules: [
              { rule: 4, name: 'large', examples: counts, decisions: { matched: 7, changed: 2, errors: 0, masked: 0 } },
            ],
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
    expect(screen.getByText('3 of 40 examples')).toBeTruthy();
    fireEvent.click(screen.getAllByText('large')[0] ?? document.body);
    expect(opened).toEqual([4]);
  });
});
