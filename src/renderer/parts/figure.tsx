import type { ReactNode } from 'react';

type FigureProps = {
  says: string;
  children: ReactNode;
  className?: string;
  /** Whether Tab stops at it: not inside a sheet, whose cells Tab goes through. */
  isStop?: boolean;
};

/** A figure with the one sentence that says what it is: on hover, and on keyboard focus (`FocusedTitle`). */
export function Figure({ says, children, className = '', isStop = true }: FigureProps) {
  return (
    <span className={`number ${className}`} title={says} tabIndex={isStop ? 0 : -1}>
      {children}
    </span>
  );
}

/** The heading of a column of figures, with the one sentence that says what they are. */
export function FigureHead({
  says,
  children,
  className = '',
}: {
  says: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <th scope="col" className={`number ${className}`} title={says} tabIndex={0}>
      {children}
    </th>
  );
}
