/** The rows of a queue that the server gives out: in its order, appended only, each to one window. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useStore } from 'zustand';
import type { LabellingQueue } from '../../../server/contract/examples/labelling.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { type ExamplePage, queueKey, withPending } from '../../api/labels.ts';
import { useWorkbench } from '../../state/workbench.ts';
import type { Given } from './advice.ts';
import { gatherRows, type Rows } from './use-rows.ts';

const givenCount = 20;
/** Rows ahead of the cursor that are loaded already. */
const aheadCount = 10;

/** A page of the queue as the cache knows pages, so that labels reach its rows, with the answer it was made of. */
type GivenPage = ExamplePage & { given: OutputOf<'examples.next'> };

/** Whether more may come: an answer that is short, or that brings nothing new, is the last one. */
function mayHaveMore(pages: readonly GivenPage[]): boolean {
  const last = pages.at(-1);
  if (!last || last.items.length < givenCount) return false;
  return gatherRows(pages).length > gatherRows(pages.slice(0, -1)).length;
}

/**
 * The rows given to this tab and what the server says about them. Opening the queue gives back what was not labelled;
 * later answers only add rows behind the known ones.
 */
export function useGivenRows(typeId: string, queue: LabellingQueue): { rows: Rows; given: Given } {
  const { client, outbox, tabName } = useWorkbench();
  const labels = useStore(outbox.store, (state) => state.given);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isPending, error } = useInfiniteQuery({
    queryKey: [queueKey, typeId, { given: queue }],
    initialPageParam: 1,
    // Not even a fault of the network reads it again: rows would change under the keys.
    staleTime: 'static',
    gcTime: 0,
    queryFn: async ({ pageParam: page, signal }): Promise<GivenPage> => {
      const restart = page === 1;
      if (restart) await outbox.settled(typeId);
      const query = { queue, count: givenCount, session: tabName, restart };
      const given = await client.call('examples.next', { params: { decision_type_id: typeId }, query }, signal);
      const items = given.items.map(({ example }) => example);
      return { items, total: given.remaining, page, page_size: givenCount, pages: page, given };
    },
    getNextPageParam: (last, pages) => (mayHaveMore(pages) ? last.page + 1 : null),
  });
  const pages = (data as InfiniteData<GivenPage> | undefined)?.pages;
  const list = useMemo(() => gatherRows(pages?.map((page) => withPending(page, labels)) ?? []), [pages, labels]);
  const places = useMemo(() => new Map(list.map(({ id }, index) => [id, index])), [list]);
  const said = useMemo(
    () => new Map(pages?.flatMap(({ given }) => given.items.map((item) => [item.example.id, item] as const)) ?? []),
    [pages],
  );
  const want = useCallback(
    (_first: number, last: number) => {
      if (last + aheadCount >= list.length && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [list.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  const last = pages?.at(-1)?.given;
  return {
    rows: {
      count: list.length + (hasNextPage ? 1 : 0),
      at: (index) => list[index],
      indexOf: (id) => places.get(id) ?? -1,
      want,
      hold: (index) => want(index, index),
      isLoading: isPending,
      error,
      retry: () => void (pages === undefined ? refetch() : fetchNextPage()),
    },
    given: {
      suggestionOf: (id) => said.get(id)?.suggestion ?? null,
      whyOf: (id) => said.get(id)?.why ?? null,
      stopHint: last?.stop_hint ?? null,
      // The person who corrected a decision is right about it, not the model that was corrected.
      confirms: queue === 'corrections',
    },
  };
}
