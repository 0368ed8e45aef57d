import type { ReactNode } from 'react';
import { percent } from './text/figures.ts';

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

/** A bar in one colour, or of `parts`, whose sum is at most its value. */
type BarShape = {
  name: ReactNode;
  value: number;
  colour?: string;
  parts?: readonly { name: string; value: number; colour: string }[];
  isFaint?: boolean;
};

const toWidth = (share: number) => `${Math.min(100, Math.max(0, share * 100))}%`;

function Bar({ name, value, text, colour, parts = [], isFaint = false }: BarShape & { text: string }) {
  return (
    <>
      <span className="name">{name}</span>
      <span className={isFaint ? 'meter faint' : 'meter'} aria-hidden="true">
        <span style={{ width: toWidth(value), ...(colour ? { background: colour } : {}) }}>
          {parts.map((part) => (
            <span key={part.name} style={{ width: toWidth(part.value / value), background: part.colour }} />
          ))}
        </span>
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
