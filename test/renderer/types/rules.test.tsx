import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { RulesAnalysisPanel } from '../../../src/renderer/features/rules/rules-analysis-panel.tsx';
import { show } from '../page.tsx';

afterEach(cleanup);

describe('the effect of unsaved rules', () => {
  it('names warnings and figures, remarks and rows when they are opened, and the rule they are about [RSH-10]', async () => {
    const opened: number[] = [];
    const counts = {
      holds: 15,
      matched: 14,
      agrees: 9,
      disagrees: 3,
      unlabelled: 2,
      errors: 0,
      agreement: 0.75,
      disagreeing: [{ id: 'example-1', input: '{"amount":150}', expected: 'review', decided: 'approve' }],
    };
    const changed = {
      rows: 40,
      changed: 1,
      differing: [{ id: 'example-2', before: { rule: 'large', then: 'review' }, after: null }],
    };
    const analysis: ComponentProps<typeof RulesAnalysisPanel>['analysis'] = {
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
        examples: {
          rows: 40,
          undecided: 26,
          undecided_rows: [{ id: 'example-3', input: '{"amount":7}', expected: null }],
        },
        decisions: { rows: 7, undecided: 0 },
        rules: [
          { rule: 4, name: 'large', examples: counts, decisions: { matched: 7, changed: 2, errors: 0, masked: 0 } },
        ],
        against_saved: { examples: changed, decisions: { rows: 7, changed: 0, differing: [] } },
      },
      fields: [],
      days: [],
    };
    show(<RulesAnalysisPanel typeId="type-1" analysis={analysis} onOpenRule={(place) => opened.push(place)} />);
    const cellsOf = (table: string) =>
      [...screen.getByLabelText(table).querySelectorAll('td')].map((cell) => cell.textContent);
    const open = (summary: string) => fireEvent.click(screen.getByText(summary));
    expect(cellsOf('Effect of each rule')).toEqual(['large', '14', '9 (75.0%)', '3', '2', '2 of 7']);
    const number = screen.getByRole('button', { name: 'Disagreeing examples: 3' });
    fireEvent.click(number);
    screen.getByText('3 examples disagree with large, the newest 1 are listed');
    await screen.findByLabelText('Examples that disagree with large');
    expect(cellsOf('Examples that disagree with large')).toEqual(['{"amount":150}', 'review', 'approve']);
    open('No rule decides 26 examples, the newest 1 are listed');
    await screen.findByLabelText('Examples that no rule decides');
    expect(cellsOf('Examples that no rule decides')).toEqual(['{"amount":7}', 'not labelled yet']);
    const { hash } = new URL(screen.getByText<HTMLAnchorElement>('{"amount":7}').href);
    expect(hash).toBe('#/types/type-1/examples?view=table&queue=all&row=example-3');
    expect(cellsOf('Changed examples')).toEqual(['example-2', 'large → review', 'no rule']);
    expect(within(screen.getByLabelText('Warnings')).getByText('exact')).toBeTruthy();
    expect(screen.getByText('3 of 40 examples').closest('details')?.open).toBe(false);
    fireEvent.click(screen.getAllByText('large')[0] ?? document.body);
    expect(opened).toEqual([4]);
    // Of a rule that matches nothing, the remarks that say why are open at once.
    cleanup();
    const [rule] = analysis.impact.rules;
    const rules = rule === undefined ? [] : [{ ...rule, examples: { ...counts, matched: 0 } }];
    const unmatched = { ...analysis, impact: { ...analysis.impact, rules } };
    show(<RulesAnalysisPanel typeId="type-1" analysis={unmatched} onOpenRule={() => undefined} />);
    expect(screen.getByText('3 of 40 examples').closest('details')?.open).toBe(true);
  });
});
