import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { DecideResponse } from '../../../server/contract/decisions.ts';
import { Bars } from '../../parts/bars.tsx';
import { percent } from '../../parts/figures.ts';
import { valueText } from '../../parts/inputs.ts';
import { Part } from '../../parts/notes.tsx';
import { OptionMark, OptionName, useOptionColours } from '../../parts/option.tsx';

const stageNames = {
  rules: 'A rule decided',
  classifier: 'The classifier decided',
  escalation: 'The connected model decided',
  fallback: 'The fallback decided',
} as const;

const maxOptions = 12;
const maxFeatures = 14;
type Trace = NonNullable<DecideResponse['trace']>;

/** A decision with probabilities, rules and what weighed in. */
export function Answer({ type, answer }: { type: DecisionType; answer: DecideResponse }) {
  const { trace } = answer;
  const colourOf = useOptionColours(type.id, type.active_version.options);
  const probabilities = Object.entries(answer.class_probabilities).sort((a, b) => b[1] - a[1]);
  return (
    <>
      <div className="part stack">
        <p className="answer row" data-testid="decision">
          <OptionMark typeId={type.id} option={answer.decision} />
          {answer.decision}
        </p>
        <div className="row">
          {answer.unfamiliar && <span className="tag bad">unfamiliar input</span>}
          {answer.escalate && <span className="tag warn">needs a look</span>}
          {answer.fallback_used && <span className="tag warn">fallback</span>}
          <span className="tag">{answer.policy_version}</span>
        </div>
        <p className="muted">
          {stageNames[answer.stage]} with {percent(answer.confidence)} confidence in {answer.latency_ms.toFixed(1)} ms.
          {answer.reason_codes.length > 0 && ` Reasons: ${answer.reason_codes.join(', ')}.`}
        </p>
        {answer.explanation && <p>{answer.explanation}</p>}
        <Bars
          items={probabilities.slice(0, maxOptions).map(([option, value]) => ({
            key: option,
            name: <OptionName typeId={type.id} option={option} />,
            value,
            colour: colourOf(option),
          }))}
        />
      </div>
      {trace && trace.rules.length > 0 && <RuleTraces rules={trace.rules} />}
      {trace && trace.features.length > 0 && <Contributions features={trace.features} />}
      {trace && trace.familiarity.length > 0 && <Familiarity checks={trace.familiarity} />}
      {trace && trace.reasons.length > 0 && (
        <Part title="Reason codes learned from inputs">
          <Bars
            items={[...trace.reasons]
              .sort((a, b) => b.probability - a.probability)
              .map(({ code, probability }) => ({ key: code, name: code, value: probability }))}
          />
        </Part>
      )}
      {trace && trace.truncated.length > 0 && (
        <p className="note warn">Cut to the length that the text model reads: {trace.truncated.join(', ')}</p>
      )}
    </>
  );
}

const ruleTags = { matched: 'good', not_matched: '', error: 'bad', not_reached: '' } as const;

/** Every rule in order, with what settled it. */
function RuleTraces({ rules }: { rules: Trace['rules'] }) {
  return (
    <Part title="Rules">
      <ul className="stack tight">
        {rules.map((rule) => (
          <li key={rule.name}>
            <span className={`tag ${ruleTags[rule.outcome]}`}>{rule.outcome.replaceAll('_', ' ')}</span>{' '}
            <strong>{rule.name}</strong>
            {rule.error && <span className="muted"> {rule.error}</span>}
            {rule.values.map(({ expression, value }) => (
              <div key={expression} className="muted wrap">
                <code>
                  {expression} = {JSON.stringify(value)}
                </code>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Contributions({ features }: { features: Trace['features'] }) {
  const sorted = [...features].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const largest = Math.max(1e-9, ...sorted.map(({ contribution }) => Math.abs(contribution)));
  return (
    <Part title="What weighed in">
      <Bars
        items={sorted.slice(0, maxFeatures).map(({ field, value, contribution }) => ({
          key: field,
          name: (
            <>
              {field}{' '}
              <span className="clip muted" title={valueText(value ?? '')}>
                {valueText(value ?? '')}
              </span>
            </>
          ),
          value: Math.abs(contribution) / largest,
          text: `${contribution >= 0 ? '+' : '−'}${Math.abs(contribution).toFixed(2)}`,
          colour: contribution >= 0 ? 'var(--good)' : 'var(--bad)',
        }))}
      />
      <p className="muted">Towards (+) or against (−) the decision; the length is the weight.</p>
    </Part>
  );
}

const familiarityTexts = {
  words: 'Rarity of the words',
  embedding: 'Similarity of the meaning to an option',
  nearest: 'Similarity of the meaning to the nearest example',
  fields: 'Fields outside the range of the examples',
} as const;

function Familiarity({ checks }: { checks: Trace['familiarity'] }) {
  return (
    <Part title="Familiarity">
      <ul className="stack tight">
        {checks.map(({ check, score, limit, familiar, outside }) => (
          <li key={check}>
            <span className={familiar ? 'tag good' : 'tag bad'}>{familiar ? 'familiar' : 'unfamiliar'}</span>{' '}
            {familiarityTexts[check]}: {Number(score.toFixed(3))} (
            {check === 'embedding' || check === 'nearest' ? 'at least' : 'at most'} {Number(limit.toFixed(3))})
            {outside.length > 0 && `: ${outside.join(', ')}`}
          </li>
        ))}
      </ul>
    </Part>
  );
}
