import type { ReactNode } from 'react';
import { FigureHead } from './figure.tsx';

/** The heading of a column; `says` is the one sentence on what its figures are; a hidden one is only read aloud. */
type TableHead = string | { name: string; says?: string; isHidden?: boolean };

function toHeading(head: TableHead) {
  const { name, says, isHidden } = typeof head === 'string' ? { name: head } : head;
  if (says !== undefined) {
    return (
      <FigureHead key={name} says={says}>
        {name}
      </FigureHead>
    );
  }
  return (
    <th key={name} scope="col">
      {isHidden ? <span className="hidden">{name}</span> : name}
    </th>
  );
}

type PlainTableProps = {
  label?: string;
  heads?: readonly TableHead[];
  className?: string;
  children: ReactNode;
};

/** A table of few rows, which are its children; one that is too wide is scrolled in its place. */
export function PlainTable({ label, heads = [], className = '', children }: PlainTableProps) {
  return (
    <div className={`scroll ${className}`}>
      <table className="plain" aria-label={label}>
        {heads.length > 0 && (
          <thead>
            <tr>{heads.map(toHeading)}</tr>
          </thead>
        )}
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
