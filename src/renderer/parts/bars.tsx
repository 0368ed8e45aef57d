import type { ReactNode } from 'react';
import { quoteAccuracy, quoteShare } from '../../engine/measure/quote-share.ts';
import type { MeasuredShare, WholeDecision } from '../../engine/measured.ts';
import { formatRange } from '../../engine/numeric.ts';
import { Figure } from './figure.tsx';
import { count, number, percent } from './text/figures.ts';
import { isolate, quoteNames } from './text/names.ts';

/** Named shares between 0 and 1 as bars with their figures; `says` tells in one sentence what they are. */
export function Bars({ items, says }: { items: readonly (BarShape & { key: string; text?: string })[]; says: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over
    <div className="bars" title={says} tabIndex={0}>
      {items.map(({ key, text, ...shape }) => (
        <Bar key={key} {...shape} text={text ?? percent(shape.value)} />
      ))}
    </div>
  );
}

/** A bar in one colour, or of `parts`, whose sum is at most its value; `mark` is what the value is compared with. */
type BarShape = {
  name: ReactNode;
  value: number;
  mark?: number;
  colour?: string;
  parts?: readonly { name: string; value: number; colour: string }[];
  isFaint?: boolean;
};

const toWidth = (share: number) => `${Math.min(100, Math.max(0, share * 100))}%`;

function Bar({ name, value, mark, text, colour, parts = [], isFaint = false }: BarShape & { text: string }) {
  return (
    <>
      <span className="name">{name}</span>
      <span className={isFaint ? 'meter faint' : 'meter'} aria-hidden="true">
        <span style={{ width: toWidth(value), ...(colour ? { background: colour } : {}) }}>
          {parts.map((part) => (
            <span key={part.name} style={{ width: toWidth(part.value / value), background: part.colour }} />
          ))}
        </span>
        {mark !== undefined && <i style={{ left: toWidth(mark) }} />}
      </span>
      <span className="number">{text}</span>
    </>
  );
}

/** How often each value or step of numbers occurs, as bars side by side; what they are is said beside them. */
export function Spread({ counts }: { counts: readonly number[] }) {
  const highest = Math.max(1, ...counts);
  return (
    <svg className="spread" viewBox={`0 0 ${counts.length} 10`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map((each, step) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          key={step}
          x={step + 0.05}
          width={0.9}
          y={10 - (10 * each) / highest}
          height={(10 * each) / highest}
          fill="var(--muted)"
        />
      ))}
    </svg>
  );
}

const toPlace = (share: number) => ({ '--at': share });
/** Names closer than this would lie over each other. */
const leastApart = 0.3;

/**
 * How often a policy is right, on a scale of 0 to 100%: its range, what is reached without it, and below what else the
 * headline says. The headline itself is the name of the scale and its hover text.
 */
function ShareScale({ whole: { accuracy, baseline, headline, remarks } }: { whole: WholeDecision }) {
  const { share, low, high } = accuracy;
  const says = quoteNames(headline);
  // Its first words are the headline above.
  if (share === null) return <p>{says.replace(`${quoteAccuracy(accuracy).headline}: `, '')}</p>;
  const always = baseline?.accuracy.share ?? null;
  const rules = baseline?.rules_alone?.share ?? null;
  const isNamed = rules !== null && Math.abs(rules - share) > leastApart;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over */}
      <div className="scale" role="img" aria-label={says} title={says} tabIndex={0}>
        <i style={{ left: percent(low), right: percent(1 - high) }} />
        {baseline && always !== null && (
          <span style={toPlace(always)}>
            always {isolate(baseline.option)} {percent(always)}
          </span>
        )}
        {rules !== null && (
          <span className="below" style={toPlace(rules)}>
            {isNamed && `rules alone ${percent(rules)}`}
          </span>
        )}
        <b className="below" style={toPlace(share)}>
          {formatRange(accuracy)}
        </b>
      </div>
      {remarks.map((remark) => (
        <p key={remark}>{quoteNames(remark)}</p>
      ))}
    </>
  );
}

/** Shows how often a policy is right: in words after `lead`, on its scale, and of how many examples. */
export function RightShare({ whole, lead = '' }: { whole: WholeDecision; lead?: string }) {
  const { accuracy } = whole;
  const quote = quoteAccuracy(accuracy);
  const rows = count(accuracy.of, 'example');
  return (
    <div>
      <strong className="headline">
        <Figure says="The share of unseen examples that rules, classifier and thresholds together decide correctly.">
          {lead === '' ? quote.headline : lead + quote.phrase}
        </Figure>
      </strong>
      <ShareScale whole={whole} />
      {quote.isKnown && (
        <p className="muted small">{quote.isRange ? `${quote.beside} examples` : rows} it has not seen</p>
      )}
    </div>
  );
}

/** The accuracy of a policy in a cell of a table: what to quote of it, and more quietly what belongs to that. */
export function AccuracyCell({ accuracy }: { accuracy: MeasuredShare | undefined }) {
  if (!accuracy) return <span className="muted">not measured</span>;
  const { figure, beside } = quoteAccuracy(accuracy);
  return (
    <>
      {figure} <small className="muted">{beside}</small>
    </>
  );
}

/** Shows what becomes of all decisions, as one bar whose parts are named below it. */
export function FateBar({ whole: { automatic, by_rule, escalated, fallback } }: { whole: WholeDecision }) {
  const { of } = escalated;
  // Of rows too few for a share each part is counted.
  const write = (rows: number) => (quoteShare(automatic).isRange ? number(rows) : percent(rows / of));
  const fates = [
    { name: 'automated', rows: automatic.count },
    { name: 'review', rows: escalated.count - fallback.count },
    { name: 'fallback', rows: fallback.count },
  ].filter(({ rows }) => rows > 0);
  return (
    <div>
      <div className="fate" aria-hidden="true">
        {fates.map(({ name, rows }) => (
          <span key={name} className={name} style={{ flexGrow: rows }} />
        ))}
      </div>
      <div className="named">
        {fates.map(({ name, rows }, place) => (
          <span key={name} className={name}>
            {write(rows)} {name}
            {place === 0 && by_rule.count > 0 ? `, ${write(by_rule.count)} by a rule` : ''}
          </span>
        ))}
      </div>
    </div>
  );
}
