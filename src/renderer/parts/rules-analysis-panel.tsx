import type { RulesAnalysis } from '../../server/contract/rules.ts';
import { percent } from './layout.tsx';

/** What the rules would do as they stand: findings between rules, and their effect on examples and past decisions. */
export function RulesAnalysisPanel({
  analysis,
  onOpenRule,
}: {
  analysis: RulesAnalysis;
  onOpenRule(place: number): void;
}) {
  const { findings, impact } = analysis;
  if (!impact) return <p className="muted">The effect of the rules is shown once none of them has a problem.</p>;
  const saved = impact.against_saved;
  const nameOf = (place: number) => impact.rules.find(({ rule }) => rule === place)?.name ?? '';
  return (
    <div className="stack" aria-live="polite">
      {findings.length > 0 && (
        <ul aria-label="Findings">
          {findings.map(({ kind, severity, rule, other, message, suggestion }) => (
            <li key={`${kind} ${rule} ${other} ${message}`}>
              <span className={severity === 'warning' ? 'badge warn' : 'badge'}>{severity}</span>{' '}
              <button type="button" className="small quiet" onClick={() => onOpenRule(rule)}>
                {nameOf(rule)}
              </button>{' '}
              {message} {suggestion && <span className="muted">{suggestion}</span>}
            </li>
          ))}
        </ul>
      )}
      <table aria-label="Effect of each rule">
        <thead>
          <tr>
            <th>Rule</th>
            <th>Matches examples</th>
            <th>Agrees</th>
            <th>Disagrees</th>
            <th>Changes decisions</th>
          </tr>
        </thead>
        <tbody>
          {impact.rules.map(({ rule, name, examples, decisions }) => (
            <tr key={name}>
              <td>
                <button type="button" className="small quiet" onClick={() => onOpenRule(rule)}>
                  {name}
                </button>
                {examples.errors > 0 && <span className="badge bad">{examples.errors} errors</span>}
              </td>
              <td>{examples.matched}</td>
              <td>
                {examples.agrees}
                {examples.agreement !== null && <span className="muted"> ({percent(examples.agreement)})</span>}
              </td>
              <td>{examples.disagrees}</td>
              <td>
                {decisions.changed} <span className="muted">of {decisions.matched}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted small">
        First matches over {impact.examples.rows} examples and the newest {impact.decisions.rows} logged decisions.
        {saved &&
          ` Against the saved rules, ${saved.examples.changed} examples and ${saved.decisions.changed} logged inputs meet another rule or outcome.`}
      </p>
    </div>
  );
}
