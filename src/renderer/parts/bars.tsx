import type { ReactNode } from 'react';
import { percent } from './text/figures.ts';

/** Named shares between 0 and 1 as bars with their figures; `says` tells in one sentence what they are. */
export function Bars({
  items,
  says,
}: {
  items: readonly { key: string; name: ReactNode; value: number; text?: string; colour?: string }[];
  says: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over
    <div className="bars" title={says} tabIndex={0}>
      {items.map(({ key, name, value, text, colour }) => (
        <Bar key={key} name={name} value={value} text={text ?? percent(value)} colour={colour} />
      ))}
    </div>
  );
}

function Bar({
  name,
  value,
  text,
  colour,
}: {
  name: ReactNode;
  value: number;
  text: string;
  colour: string | undefined;
}) {
  const width = `${Math.min(100, Math.max(0, value * 100))}%`;
  return (
    <>
      <span className="name">{name}</span>
      <span className="meter" aria-hidden="true">
        <span style={{ width, ...(colour ? { background: colour } : {}) }} />
      </span>
      <span className="number">{text}</span>
    </>
  );
}

/** How often each value or step of numbers occurs, as bars side by side. */
export function Spread({
  counts,
  says,
  colourOf = () => 'var(--muted)',
}: {
  counts: readonly number[];
  /** What is seen, for those who cannot; left out where it is said beside. */
  says?: string;
  colourOf?: (step: number) => string;
}) {
  const highest = Math.max(1, ...counts);
  return (
    <svg
      className="spread"
      viewBox={`0 0 ${counts.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={says}
      aria-hidden={says === undefined}
    >
      {counts.map((each, step) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          key={step}
          x={step + 0.05}
          width={0.9}
          y={10 - (10 * each) / highest}
          height={(10 * each) / highest}
          fill={colourOf(step)}
        />
      ))}
    </svg>
  );
}
