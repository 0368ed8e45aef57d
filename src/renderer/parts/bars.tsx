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
