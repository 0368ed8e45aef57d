import { Button } from '@mantine/core';
import { memo, useState } from 'react';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Figure } from '../../parts/figure.tsx';
import { OptionCell } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, number, percent } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { formatRoute } from '../../state/route.ts';
import { ExampleLink, Opened } from './listed-rows.tsx';

type Impact = RulesAnalysis['impact'];
type Finding = RulesAnalysis['findings'][number];

/**
 * Shows what the rules would do as they stand: findings between rules, and their effect on examples and past decisions.
 */
export const RulesAnalysisPanel = memo(function RulesAnalysisPanel({
  typeId,
  analysis,
  onOpenRule,
}: {
  typeId: string;
  analysis: RulesAnalysis;
  onOpenRule(place: number): void;
}) {
  const { findings, impact } = analysis;
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const notes = findings.filter(({ severity }) => severity === 'info');
  // Why a rule matches nothing is read without a click.
  const saysWhyUnmatched = notes.some((note) =>
    impact.rules.some(({ rule, examples }) => rule === note.rule && examples.matched === 0),
  );
  const findName = (place: number) => impact.rules.find(({ rule }) => rule === place)?.name ?? '';
  return (
    <div className="stack rules-effect" aria-live="polite">
      <FindingList label="Warnings" findings={warnings} {...{ findName, onOpenRule }} />
      {analysis.findings_left_out > 0 && (
        <p className="note">{analysis.findings_left_out} more findings are left out.</p>
      )}
      <EffectTable typeId={typeId} impact={impact} onOpenRule={onOpenRule} />
      {notes.length > 0 && (
        <details open={saysWhyUnmatched}>
          <summary>{count(notes.length, 'remark')} on the rules</summary>
          <FindingList label="Remarks" findings={notes} {...{ findName, onOpenRule }} />
        </details>
      )}
      <UndecidedRows typeId={typeId} examples={impact.examples} />
      {impact.rules.some(({ examples }) => examples.disagrees > 0) && (
        <p className="muted small">
          Once the rules are saved, these are among the{' '}
          <a href={formatRoute({ page: 'type', id: typeId, place: 'examples', query: { queue: 'findings' } })}>
            findings
          </a>
          : relabel them there, or keep their labels, one by one or all at once.
        </p>
      )}
      <p className="muted small">
        Each input counts for the first rule that it matches: {count(impact.examples.rows, 'example')}
        {impact.decisions.rows > 0 && ` and the newest ${count(impact.decisions.rows, 'logged decision')}`}.
      </p>
      {impact.against_saved && <Changes changed={impact.against_saved} />}
    </div>
  );
});

type FindingListProps = {
  label: string;
  findings: readonly Finding[];
  findName(place: number): string;
  onOpenRule(place: number): void;
};

function FindingList({ label, findings, findName, onOpenRule }: FindingListProps) {
  if (findings.length === 0) return null;
  return (
    <ul aria-label={label} className="stack tight wrap">
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
  );
}

const basisHelp = {
  exact: 'It follows from the conditions and the input schema, for every input.',
  examples: 'It holds for the examples; other inputs may differ.',
};

function basisText({ basis, shown_by }: Finding): string {
  const counts = shown_by && `${number(shown_by.rows)} of ${count(shown_by.of, 'example')}`;
  if (basis === 'examples') return counts ?? 'examples';
  return counts ? `exact, ${counts}` : 'exact';
}

type EffectProps = { typeId: string; impact: Impact; onOpenRule(place: number): void };

/** Shows what each rule would do; the number of examples that disagree opens them below. */
function EffectTable({ typeId, impact, onOpenRule }: EffectProps) {
  const [opened, setOpened] = useState<string | null>(null);
  const shown = impact.rules.find(({ name, examples }) => name === opened && examples.disagrees > 0);
  return (
    <>
      <PlainTable
        label="Effect of each rule"
        heads={[
          'Rule',
          { name: 'Matches examples', says: 'Examples that this rule is the first to match.' },
          {
            name: 'Agrees',
            says: 'Matched examples whose label is what the rule decides, and their share of those with a label.',
          },
          { name: 'Disagrees', says: 'Matched examples with another label; the number opens them.' },
          { name: 'No label', says: 'Matched examples that have none.' },
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
              {examples.errors > 0 && (
                <span className="tag" title="A value is missing there, or of another kind: the rule does not match.">
                  not on {count(examples.errors, 'example')}
                </span>
              )}
            </td>
            <td className="number">{number(examples.matched)}</td>
            <td className="number">
              {number(examples.agrees)}
              {examples.agreement !== null && <span className="muted"> ({percent(examples.agreement)})</span>}
            </td>
            <td className="number">
              {examples.disagrees === 0 ? (
                0
              ) : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-expanded={name === opened}
                  aria-label={`Disagreeing examples: ${examples.disagrees}`}
                  onClick={() => setOpened(name === opened ? null : name)}
                >
                  {number(examples.disagrees)}
                </Button>
              )}
            </td>
            <td className="number">{number(examples.unlabelled)}</td>
            <td className="number">
              {number(decisions.changed)} <span className="muted">of {number(decisions.matched)}</span>
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
      {shown && <DisagreeingRows typeId={typeId} {...shown} />}
    </>
  );
}

type RuleRows = { typeId: string } & Pick<Impact['rules'][number], 'name' | 'examples'>;

function DisagreeingRows({ typeId, name, examples: { disagreeing, disagrees } }: RuleRows) {
  return (
    <div className="stack tight">
      <h3 className="wrap">
        {count(disagrees, 'example disagrees', 'examples disagree')} with {isolate(name)}
        {disagreeing.length < disagrees && `, the newest ${disagreeing.length} are listed`}
      </h3>
      <PlainTable label={`Examples that disagree with ${isolate(name)}`} heads={['Example', 'Label', 'Rule decides']}>
        {disagreeing.map(({ id, input, expected, decided }) => (
          <tr key={id}>
            <td>
              <ExampleLink typeId={typeId} id={id} input={input} />
            </td>
            <OptionCell typeId={typeId} option={expected} />
            <OptionCell typeId={typeId} option={decided} />
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

/** The examples for which no rule is made. */
function UndecidedRows({ typeId, examples }: { typeId: string; examples: Impact['examples'] }) {
  const { undecided, undecided_rows } = examples;
  if (undecided === 0) return null;
  return (
    <Opened
      summary={
        <>
          No rule decides {count(undecided, 'example')}
          {undecided_rows.length < undecided && `, the newest ${undecided_rows.length} are listed`}
        </>
      }
      label="Examples that no rule decides"
      heads={['Example', 'Label']}
    >
      {undecided_rows.map(({ id, input, expected }) => (
        <tr key={id}>
          <td>
            <ExampleLink typeId={typeId} id={id} input={input} />
          </td>
          <OptionCell typeId={typeId} option={expected} />
        </tr>
      ))}
    </Opened>
  );
}

type Against = NonNullable<Impact['against_saved']>;
type Changed = Against['examples'];

/** Says what saving the rules would change. */
function Changes({ changed: { examples, decisions } }: { changed: Against }) {
  if (examples.changed === 0 && decisions.changed === 0) {
    return <p className="muted small">Saving these rules changes none of them.</p>;
  }
  return (
    <>
      <Change title="examples" change={examples} />
      <Change title="logged inputs" change={decisions} />
    </>
  );
}

function Change({ title, change: { rows, changed, differing } }: { title: string; change: Changed }) {
  if (rows === 0) return null;
  const saving = 'Saving these rules changes';
  if (changed === 0) {
    return (
      <p className="muted small">
        {saving} none of {rows} {title}.
      </p>
    );
  }
  const outcome = (decided: Changed['differing'][number]['before']) =>
    decided ? `${isolate(decided.rule)} → ${isolate(decided.then)}` : 'no rule';
  return (
    <details>
      <summary>
        {saving} the rule or outcome of {changed} of {rows} {title}.
      </summary>
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
