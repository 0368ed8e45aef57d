/** Returns the pagination envelope around the items of one page. */
export function toPage<T>(
  items: T[],
  total: number,
  query: { page: number; page_size: number },
): { items: T[]; total: number; page: number; page_size: number; pages: number } {
  return { items, total, page: query.page, page_size: query.page_size, pages: Math.ceil(total / query.page_size) };
}
