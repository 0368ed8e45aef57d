/** The rows of a queue that the server gives out: in its order, appended only, each to one window. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { LabellingQueue } from '../../../../server/contract/examples/labelling.ts';
import type { OutputOf } from '../../../../server/contract/operations.ts';
import { type ExamplePage, queueKey } from '../../../api/labels.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import { gatherRows, type Rows, useReadRows } from '../rows/use-rows.ts';
import type { Given } from './advice.ts';

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

/** The rows given to this tab; opening the queue gives back the unlabelled, later answers only add behind. */
export function useGivenRows(typeId: string, queue: LabellingQueue): { rows: Rows; given: Given } {
  const { client, outbox, tabName, settings } = useWorkbench();
  const query = useInfiniteQuery({
    queryKey: [queueKey, typeId, { given: queue }],
    initialPageParam: 1,
    // Not even a fault of the network reads it again: rows would change under the keys.
    staleTime: 'static',
    gcTime: 0,
    queryFn: async ({ pageParam: page, signal }): Promise<GivenPage> => {
      const restart = page === 1;
      if (restart) {
        await outbox.settled(typeId);
        outbox.trust(typeId);
      }
      const query = { queue, count: givenCount, session: tabName, restart, ...settings.readReader() };
      const given = await client.call('examples.next', { params: { decision_type_id: typeId }, query }, signal);
      const items = given.items.map(({ example }) => example);
      // Earlier labels of this window would show in a blind reading.
      if (queue === 'second_reading') for (const { id } of items) outbox.forget(id);
      return { items, total: given.remaining, page, page_size: givenCount, pages: page, given };
    },
    getNextPageParam: (last, pages) => (mayHaveMore(pages) ? last.page + 1 : null),
  });
  const read = useReadRows(query, aheadCount);
  const pages = query.data?.pages;
  const said = useMemo(
    () => new Map(pages?.flatMap(({ given }) => given.items.map((item) => [item.example.id, item] as const)) ?? []),
    [pages],
  );
  const last = pages?.at(-1)?.given;
  return {
    rows: {
      ...read,
      isLoading: query.isPending,
      error: query.error,
      retry: () => void (pages === undefined ? query.refetch() : query.fetchNextPage()),
    },
    given: {
      suggestionOf: (id) => said.get(id)?.suggestion ?? null,
      whyOf: (id) => said.get(id)?.why ?? null,
      progress: queue === 'to_label' || queue === 'random' ? (last?.labelling_model ?? null) : null,
      forecast: last?.stop_hint,
      isBlind: queue === 'second_reading' || queue === 'conflicts',
      // The person who corrected a decision is right about it, not the model that was corrected.
      confirms: queue === 'corrections',
    },
  };
}
