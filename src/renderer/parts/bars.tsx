import type { ReactNode } from 'react';
import { percent } from './figures.ts';

/** Named shares between 0 and 1 as bars with their figures. */
export function Bars({
  items,
}: {
  items: readonly { key: string; name: ReactNode; value: number; text?: string; colour?: string }[];
}) {
  return (
    <div className="bars">
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
