import { Button } from '@mantine/core';
import { memo } from 'react';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Figure } from '../../parts/figure.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, percent } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';

type Impact = NonNullable<RulesAnalysis['impact']>;
type Finding = RulesAnalysis['findings'][number];

/**
 * Shows what the rules would do as they stand: findings between rules, and their effect on examples and past decisions.
 */
export const RulesAnalysisPanel = memo(function RulesAnalysisPanel({
  analysis,
  onOpenRule,
}: {
  analysis: RulesAnalysis;
  onOpenRule(place: number): void;
}) {
  const { findings, impact } = analysis;
  if (!impact) return <p className="muted">The effect of the rules is shown once none of them has a problem.</p>;
  const findName = (place: number) => impact.rules.find(({ rule }) => rule === place)?.name ?? '';
  return (
    <div className="stack rules-effect" aria-live="polite">
      {findings.length > 0 && (
        <ul aria-label="Findings" className="stack tight wrap">
          {findings.map((finding) => (
            <li key={`${finding.kind} ${finding.rule} ${finding.other} ${finding.message}`}>
              {finding.severity === 'warning' && <span className="tag warn">warning</span>}{' '}
              <span className="tag" title={basisHelp[finding.basis]}>
                {basisText(finding)}
              </span>{' '}
              <Button className="wraps" size="compact-xs" variant="subtle" onClick={() => onOpenRule(finding.rule)}>
                {showUnseen(findName(finding.rule))}
              </Button>{' '}
              {showUnseen(finding.message)}{' '}
              {finding.suggestion && <span className="muted">{showUnseen(finding.suggestion)}</span>}
            </li>
          ))}
        </ul>
      )}
      {analysis.findings_left_out > 0 && (
        <p className="note">{analysis.findings_left_out} more findings are left out.</p>
      )}
      <EffectTable impact={impact} onOpenRule={onOpenRule} />
      {impact.rules.map(({ name, examples }) => (
        <DisagreeingRows key={name} name={name} examples={examples} />
      ))}
      <p className="muted small">
        Each input counts for the first rule that it matches: {count(impact.examples.rows, 'example')} and the newest{' '}
        {count(impact.decisions.rows, 'logged decision')}.
      </p>
      {impact.against_saved && (
        <>
          <Change title="examples" change={impact.against_saved.examples} />
          <Change title="logged inputs" change={impact.against_saved.decisions} />
        </>
      )}
    </div>
  );
});

const basisHelp = {
  exact: 'It follows from the conditions and the input schema, for every input.',
  examples: 'It holds for the examples; other inputs may differ.',
};

function basisText({ basis, shown_by }: Finding): string {
  const counts = shown_by && `${shown_by.rows} of ${shown_by.of} examples`;
  if (basis === 'examples') return counts ?? 'examples';
  return counts ? `exact, ${counts}` : 'exact';
}

function EffectTable({ impact, onOpenRule }: { impact: Impact; onOpenRule(place: number): void }) {
  return (
    <PlainTable
      label="Effect of each rule"
      heads={[
        'Rule',
        { name: 'Matches examples', says: 'Examples that this rule is the first to match.' },
        {
          name: 'Agrees',
          says: 'Matched examples whose label is what the rule decides, and their share of those with a label.',
        },
        { name: 'Disagrees', says: 'Matched examples with another label.' },
        {
          name: 'Changes decisions',
          says: 'Logged decisions that this rule would change, of those that it would make.',
        },
      ]}
    >
      {impact.rules.map(({ rule, name, examples, decisions }) => (
        <tr key={name}>
          <td>
            <Button className="wraps" size="compact-xs" variant="subtle" onClick={() => onOpenRule(rule)}>
              {showUnseen(name)}
            </Button>
            {examples.errors > 0 && <span className="tag bad">{examples.errors} errors</span>}
          </td>
          <td className="number">{examples.matched}</td>
          <td className="number">
            {examples.agrees}
            {examples.agreement !== null && <span className="muted"> ({percent(examples.agreement)})</span>}
          </td>
          <td className="number">{examples.disagrees}</td>
          <td className="number">
            {decisions.changed} <span className="muted">of {decisions.matched}</span>
            {decisions.masked > 0 && (
              <Figure
                className="tag warn"
                says="It reads a personal field, which is masked in these logged inputs: what it would do there is not known."
              >
                {decisions.masked} masked
              </Figure>
            )}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

function DisagreeingRows({ name, examples }: Pick<Impact['rules'][number], 'name' | 'examples'>) {
  const { disagreeing, disagrees } = examples;
  if (disagrees === 0) return null;
  return (
    <details>
      <summary>
        {disagrees} {disagrees === 1 ? 'example disagrees' : 'examples disagree'} with {isolate(name)}
        {disagreeing.length < disagrees && `, the newest ${disagreeing.length} are listed`}
      </summary>
      <PlainTable
        label={`Examples that disagree with ${isolate(name)}`}
        heads={['Example', 'Input', 'Label', 'Rule decides']}
      >
        {disagreeing.map(({ id, input, expected, decided }) => (
          <tr key={id}>
            <td className="mono wrap">{id}</td>
            <td className="mono wrap">{showUnseen(input)}</td>
            <td className="wrap">{expected === null ? 'No label' : showUnseen(expected)}</td>
            <td className="wrap">{showUnseen(decided)}</td>
          </tr>
        ))}
      </PlainTable>
    </details>
  );
}

type Changed = NonNullable<Impact['against_saved']>['examples'];

function Change({ title, change }: { title: string; change: Changed }) {
  const { rows, changed, differing } = change;
  const saving = 'Saving these rules changes';
  const summary =
    changed === 0
      ? `${saving} none of ${rows} ${title}.`
      : `${saving} the rule or outcome of ${changed} of ${rows} ${title}.`;
  if (changed === 0) return <p className="muted small">{summary}</p>;
  const outcome = (decided: Changed['differing'][number]['before']) =>
    decided ? `${isolate(decided.rule)} → ${isolate(decided.then)}` : 'no rule';
  return (
    <details>
      <summary>{summary}</summary>
      <PlainTable
        label={`Changed ${title}`}
        heads={[title === 'examples' ? 'Example' : 'Decision', 'Saved rules', 'These rules']}
      >
        {differing.map(({ id, before, after }) => (
          <tr key={id}>
            <td className="mono wrap">{id}</td>
            <td>{outcome(before)}</td>
            <td>{outcome(after)}</td>
          </tr>
        ))}
      </PlainTable>
    </details>
  );
}
