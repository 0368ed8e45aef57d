import type { ReactNode } from 'react';

/** A figure with the one sentence that says what it is: on hover, and on keyboard focus (`FocusedTitle`). */
export function Figure({ says, children, className = '' }: { says: string; children: ReactNode; className?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over
    <span className={`number ${className}`} title={says} tabIndex={0}>
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
