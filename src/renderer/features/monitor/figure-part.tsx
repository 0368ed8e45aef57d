import type { ReactNode } from 'react';
import { Figure } from '../../parts/figure.tsx';
import { Part } from '../../parts/notes.tsx';

type FigurePartProps = { figure: string; says: string; title: string; children: ReactNode };

/** A part under its large figure, whose name is the title. */
export function FigurePart({ figure, says, title, children }: FigurePartProps) {
  const large = (
    <Figure className="figure-large" says={says}>
      {figure}
    </Figure>
  );
  return (
    <Part title={title} tools={large}>
      {children}
    </Part>
  );
}
