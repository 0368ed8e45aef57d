/** The examples of a filter as rows that keep their places while they are labelled. */
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import { type ExamplePage, queueKey, withPending } from '../../../api/labels.ts';
import { useRestedCall } from '../../../parts/hooks/use-rested.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import { type ExampleFilter, isShrinking, type SortedFilter } from './queues.ts';
import { dropFirstPage, findFirstPage, pageSize, readFirstPage, readSettledPage, toInput } from './read-ahead.ts';

/** Rows ahead of the last wanted one that are loaded already. */
const aheadCount = 60;
/** A scroll that rests this long has arrived. */
const restMs = 60;

export type Rows = {
  /** Rows that there are places for: one more than the loaded ones where more may come. */
  count: number;
  at(index: number): Example | undefined;
  /** Place of an example; -1 for one that is not loaded. */
  indexOf(id: string): number;
  want(first: number, last: number): void;
  /** Keeps the row at a place loaded, wherever the list is scrolled to: the cursor is on it. */
  hold(index: number): void;
  isLoading: boolean;
  error: unknown;
  retry(): void;
};
/** The rows of a filter, and how many examples fit it, loaded or not. */
type FilteredRows = Rows & { total: number };

/** Whether an example still fits a filter, as far as labels decide it. */
function stillFits(example: Example, filter: ExampleFilter): boolean {
  if (filter.labelled !== undefined && (example.expected_decision !== null) !== filter.labelled) return false;
  if (filter.reviewed !== undefined && example.reviewed !== filter.reviewed) return false;
  if (filter.status !== undefined && example.status !== filter.status) return false;
  return filter.decision === undefined || example.expected_decision === filter.decision;
}

/** The rows of pages, each example once: a row that comes again on a later page keeps its first place. */
export function gatherRows(pages: readonly ExamplePage[]): Example[] {
  const rows = new Map<string, Example>();
  for (const { items } of pages) for (const item of items) if (!rows.has(item.id)) rows.set(item.id, item);
  return [...rows.values()];
}

function countFitting(pages: readonly ExamplePage[], filter: ExampleFilter): number {
  return gatherRows(pages).filter((row) => stillFits(row, filter)).length;
}

/**
 * The number of the page to ask for next. Rows that were labelled have left the filter on the server, so the next page
 * begins behind those of the known rows that still fit it: none is skipped.
 */
function findNextPage(pages: readonly ExamplePage[], filter: ExampleFilter): number {
  const last = pages.at(-1);
  if (!last) return 1;
  const known = new Set(pages.slice(0, -1).flatMap(({ items }) => items.map(({ id }) => id)));
  // Rows that were added meanwhile push the known ones on: then the page after the last one is next.
  const broughtNothing = last.items.every(({ id }) => known.has(id));
  return Math.max(Math.floor(countFitting(pages, filter) / pageSize) + 1, broughtNothing ? last.page + 1 : 1);
}

/**
 * Reads the page that follows the known ones. Labels go on while the server answers: where so many rows have left the
 * filter meanwhile that the page may begin behind rows nobody has seen, it is read again.
 */
export async function readNextPage(
  known: () => readonly ExamplePage[],
  filter: ExampleFilter,
  read: (page: number) => Promise<ExamplePage>,
): Promise<ExamplePage> {
  for (;;) {
    const page = findNextPage(known(), filter);
    const answer = await read(page);
    if (page === 1 || (page - 1) * pageSize <= countFitting(known(), filter)) return answer;
  }
}

type ReadPages = Pick<
  UseInfiniteQueryResult<InfiniteData<ExamplePage>>,
  'data' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

/** The rows of all pages read so far; the next page is asked for when `aheadCount` rows are left before it. */
export function useReadRows({ data, hasNextPage, isFetchingNextPage, fetchNextPage }: ReadPages, aheadCount: number) {
  // A page that is read while labels go on is stored without them: what was given here counts.
  const given = useStore(useWorkbench().outbox.store, (state) => state.given);
  const rows = useMemo(() => gatherRows(data?.pages.map((page) => withPending(page, given)) ?? []), [data, given]);
  const places = useMemo(() => new Map(rows.map(({ id }, index) => [id, index])), [rows]);
  const want = useCallback(
    (_first: number, last: number) => {
      if (last + aheadCount >= rows.length && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [aheadCount, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return {
    rows,
    count: rows.length + (hasNextPage ? 1 : 0),
    at: (index: number) => rows[index],
    indexOf: (id: string) => places.get(id) ?? -1,
    want,
    hold: (index: number) => want(index, index),
  };
}

/** Rows that are loaded one page after the other, for filters that labelling empties. */
function useSequentialRows(typeId: string, filter: SortedFilter, enabled: boolean): FilteredRows {
  const workbench = useWorkbench();
  const { outbox, queries } = workbench;
  const queryKey = [queueKey, typeId, filter];
  const query = useInfiniteQuery({
    queryKey,
    enabled,
    initialPageParam: 'first',
    initialData: () => (enabled ? findFirstPage(queries, typeId, filter) : undefined),
    // A queue is a snapshot: a row stays where it is until the queue is opened again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ pageParam, signal }) => {
      if (pageParam === 'first') return readFirstPage(workbench, typeId, filter);
      const known = () =>
        (queries.getQueryData<InfiniteData<ExamplePage>>(queryKey)?.pages ?? []).map((page) =>
          withPending(page, outbox.store.getState().given),
        );
      return readNextPage(known, filter, (page) => readSettledPage(workbench, typeId, filter, page, signal));
    },
    getNextPageParam: (last: ExamplePage) => (last.page < last.pages ? 'next' : null),
  });
  const { data, refetch, isPending, error } = query;
  const isHere = data !== undefined;
  const key = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for type and filter
  useEffect(() => {
    if (isHere) dropFirstPage(queries, typeId, filter);
  }, [isHere, key, queries]);
  const read = useReadRows(query, aheadCount);
  const last = data?.pages.at(-1);
  const unread = last ? Math.max(0, last.total - last.page * last.page_size) : 0;
  return {
    ...read,
    total: read.rows.filter((row) => stillFits(row, filter)).length + unread,
    isLoading: isPending,
    error,
    retry: () => void refetch(),
  };
}

/**
 * Finds an example in a list that is not shown yet: puts its page among the loaded ones and returns its place; null
 * where the list does not have it.
 */
export async function findInList(
  { client, queries }: Pick<ReturnType<typeof useWorkbench>, 'client' | 'queries'>,
  typeId: string,
  filter: SortedFilter,
  exampleId: string,
): Promise<number | null> {
  const params = { decision_type_id: typeId };
  const query = { page_size: pageSize, ...filter, page_of: exampleId };
  const page = await client.call('examples.list', { params, query });
  queries.setQueryData(['examples.list', toInput(typeId, filter, page.page)], page);
  const index = page.items.findIndex(({ id }) => id === exampleId);
  return index < 0 ? null : (page.page - 1) * pageSize + index;
}

/** Rows that are loaded where they come in sight, for filters that labelling does not change. */
function useRandomRows(typeId: string, filter: SortedFilter, enabled: boolean): FilteredRows {
  const { client, outbox } = useWorkbench();
  const pending = useStore(outbox.store, (state) => state.pending);
  const [wanted, setWanted] = useState({ from: 1, to: 1 });
  const [held, setHeld] = useState(1);
  const [known, setKnown] = useState(0);
  const numbers = useMemo(() => {
    const inSight = Array.from({ length: wanted.to - wanted.from + 1 }, (_, index) => wanted.from + index);
    return [...new Set([1, held, ...inSight])];
  }, [wanted, held]);
  const results = useQueries({
    queries: numbers.map((page) => {
      const input = toInput(typeId, filter, page);
      return {
        queryKey: ['examples.list', input],
        enabled,
        queryFn: ({ signal }: { signal: AbortSignal }) => client.call('examples.list', input, signal),
        staleTime: 10_000,
      };
    }),
  });
  const [head] = results;
  const total = head?.data?.total ?? known;
  if (total !== known) setKnown(total);
  const pages = new Map(
    numbers.flatMap((number, index) => {
      const page = results[index]?.data;
      return page ? [[number, withPending(page, pending)] as const] : [];
    }),
  );
  // Pages that a scroll only passes are not asked for.
  const want = useRestedCall((first: number, last: number) => {
    const [from, to] = [Math.floor(first / pageSize) + 1, Math.floor(last / pageSize) + 1];
    setWanted((old) => (old.from === from && old.to === to ? old : { from, to }));
  }, restMs);
  return {
    count: total,
    total,
    at: (index) => pages.get(Math.floor(index / pageSize) + 1)?.items[index % pageSize],
    indexOf: (id) => {
      for (const [number, page] of pages) {
        const index = page.items.findIndex((item) => item.id === id);
        if (index >= 0) return (number - 1) * pageSize + index;
      }
      return -1;
    },
    want,
    hold: (index) => setHeld(Math.floor(index / pageSize) + 1),
    isLoading: head?.isPending ?? true,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const result of results) void result.refetch();
    },
  };
}

/** The rows of a filter; `inOrder` loads them one after the other in any case. */
export function useRows(typeId: string, filter: SortedFilter, inOrder: boolean): FilteredRows {
  const sequential = inOrder || isShrinking(filter);
  const one = useSequentialRows(typeId, filter, sequential);
  const other = useRandomRows(typeId, filter, !sequential);
  return sequential ? one : other;
}
