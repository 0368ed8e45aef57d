import { Pagination } from '@mantine/core';

/** The pages of a list, where it has more than one; each control is named for screen readers. */
export function Pages({ page, pages, onPage }: { page: number; pages: number; onPage(page: number): void }) {
  return (
    <Pagination
      size="xs"
      hideWithOnePage
      total={pages}
      value={page}
      onChange={onPage}
      getControlProps={(control) => ({ 'aria-label': `${control} page` })}
    />
  );
}
