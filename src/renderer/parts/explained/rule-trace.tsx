import type { RuleTrace } from '../../../engine/domain/decision.ts';
import { showUnseen } from '../text/names.ts';

const tones = { matched: 'good', not_matched: '', error: 'bad', not_reached: '' } as const;
const words = { matched: '✓ match', not_matched: '✕ no', error: 'fails', not_reached: 'not reached' } as const;

/** Every rule in its order with what became of it, and the values that settled it. */
export function RuleTraces({ rules }: { rules: readonly RuleTrace[] }) {
  return (
    <ul className="stack tight wrap">
      {rules.map((rule) => (
        <li key={rule.name}>
          <span className={`tag ${tones[rule.outcome]}`}>{words[rule.outcome]}</span>{' '}
          <strong>
            <bdi>{showUnseen(rule.name)}</bdi>
          </strong>
          {rule.error && <span className="muted"> {rule.error}</span>}
          {rule.values.map(({ expression, value }) => (
            <div key={expression} className="muted">
              <code>{showUnseen(`${expression} = ${JSON.stringify(value)}`)}</code>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}
