/** The first rows of a list of examples, asked for while the person is still on the way to it. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '../../../../server/contract/operations.ts';
import { aheadKey, type ExamplePage } from '../../../api/labels.ts';
import { readAhead } from '../../../state/queries.ts';
import type { Query } from '../../../state/route.ts';
import type { Workbench } from '../../../state/workbench.ts';
import { chooseQueue, isShrinking, type SortedFilter, toFilter } from './queues.ts';

export const pageSize = 100;
/** A queue is a snapshot of when it is opened: rows asked for longer before that are not taken. */
const aheadMs = 1_000;
/** By then nobody comes for them. */
const forgetMs = 30_000;

/** Returns what a page of a filter is asked for with, from page 1. */
export function toInput(typeId: string, filter: SortedFilter, page: number) {
  return { params: { decision_type_id: typeId }, query: { page, page_size: pageSize, ...filter } };
}

/** Reads one page as it is once every label given here has arrived. */
export async function readSettledPage(
  { client, outbox }: Pick<Workbench, 'client' | 'outbox'>,
  typeId: string,
  filter: SortedFilter,
  page: number,
  signal?: AbortSignal,
): Promise<ExamplePage> {
  await outbox.settled(typeId);
  if (page === 1) outbox.trust(typeId);
  return client.call('examples.list', toInput(typeId, filter, page), signal);
}

const toKey = (typeId: string, filter: SortedFilter) => [aheadKey, typeId, filter] as const;

/** Reads the first page of a queue, unless it is on its way already or was asked for just now. */
export function readFirstPage(
  workbench: Pick<Workbench, 'client' | 'outbox' | 'queries'>,
  typeId: string,
  filter: SortedFilter,
): Promise<ExamplePage> {
  return workbench.queries.fetchQuery({
    queryKey: toKey(typeId, filter),
    queryFn: ({ signal }) => readSettledPage(workbench, typeId, filter, 1, signal),
    staleTime: aheadMs,
    gcTime: forgetMs,
    retry: false,
  });
}

/** The first page of a queue as a queue begins with it, where it was asked for just now and is here; else undefined. */
export function findFirstPage(
  queries: QueryClient,
  typeId: string,
  filter: SortedFilter,
): InfiniteData<ExamplePage, string> | undefined {
  const state = queries.getQueryState<ExamplePage>(toKey(typeId, filter));
  if (!state?.data || state.isInvalidated || Date.now() - state.dataUpdatedAt > aheadMs) return undefined;
  return { pages: [state.data], pageParams: ['first'] };
}

/** The open queue has its first page: the next to open asks again, or takes the answer on its way. */
export function dropFirstPage(queries: QueryClient, typeId: string, filter: SortedFilter): void {
  queries.removeQueries({ queryKey: toKey(typeId, filter), exact: true, fetchStatus: 'idle' });
}

/** Prefetches the data that the place shows first at an address. */
export async function readExamplesAhead(workbench: Workbench, typeId: string, query: Query): Promise<void> {
  const input = { params: { decision_type_id: typeId } };
  // The place, too, begins with the counts that are known.
  const known = workbench.queries.getQueryData<OutputOf<'examples.stats'>>(['examples.stats', input]);
  const stats = known ?? (await readAhead(workbench, 'examples.stats', input));
  const { view, queue, isPlain } = chooseQueue(query, stats);
  if (!isPlain || stats.total === 0) return;
  const filter = toFilter(queue, query.search ?? '', view === 'table' ? query.fields : '');
  const sorted = view === 'table' && query.sort ? { ...filter, sort: query.sort } : filter;
  if (view === 'card' || isShrinking(sorted)) await readFirstPage(workbench, typeId, sorted);
  else await readAhead(workbench, 'examples.list', toInput(typeId, sorted, 1));
}
