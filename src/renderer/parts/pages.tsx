import { Button } from '@mantine/core';
import { number } from './text/figures.ts';

/** The pages of a list, where it has more than one: to the next ones and to both ends. */
export function Pages({ page, pages, onPage }: { page: number; pages: number; onPage(page: number): void }) {
  if (pages < 2) return null;
  const turn = (name: string, to: number) => (
    <Button
      size="compact-xs"
      aria-label={`${name} page`}
      disabled={to < 1 || to > pages || to === page}
      onClick={() => onPage(to)}
    >
      {name}
    </Button>
  );
  return (
    <nav className="row" aria-label="Pages">
      {turn('First', 1)}
      {turn('Previous', page - 1)}
      Page {number(page)} of {number(pages)}
      {turn('Next', page + 1)}
      {turn('Last', pages)}
    </nav>
  );
}
