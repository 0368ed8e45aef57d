/** Labels as the page shows them: the server's, overlaid by those still on their way. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Example } from '../../server/contract/examples/examples.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import type { LabelPatch } from './journal.ts';

export type ExamplePage = OutputOf<'examples.list'>;
type Stats = OutputOf<'examples.stats'>;

/** Key of the cached queues of examples; the operation's own pages stand under its name. */
export const queueKey = 'examples.queue';

/** Key of the first pages of queues that are read on the way to them. */
export const aheadKey = 'examples.ahead';

/** A page whose rows have the labels that are on their way; all others stay the very rows they were. */
export function withPending(page: ExamplePage, pending: ReadonlyMap<string, LabelPatch>): ExamplePage {
  if (pending.size === 0 || !page.items.some(({ id }) => pending.has(id))) return page;
  const patched = (item: Example) => {
    const patch = pending.get(item.id);
    return patch ? { ...item, ...patch } : item;
  };
  return { ...page, items: page.items.map(patched) };
}

/**
 * Changes one example wherever it is cached; its place in each list stays. A second reading shows in its own queue
 * alone: elsewhere the example keeps its label.
 */
export function patchCachedExample(queries: QueryClient, exampleId: string, patch: LabelPatch): void {
  const patchPage = (page: ExamplePage): ExamplePage =>
    page.items.some(({ id }) => id === exampleId)
      ? { ...page, items: page.items.map((item) => (item.id === exampleId ? { ...item, ...patch } : item)) }
      : page;
  const isBlind = ({ queryKey: [name, , list] }: { queryKey: readonly unknown[] }) =>
    name === queueKey && (list as { given?: string } | undefined)?.given === 'second_reading';
  const patchQueue = (data: InfiniteData<ExamplePage> | undefined) =>
    data ? { ...data, pages: data.pages.map(patchPage) } : data;
  if (patch.second_reading) {
    queries.setQueriesData<InfiniteData<ExamplePage>>({ predicate: isBlind }, patchQueue);
    return;
  }
  queries.setQueriesData<ExamplePage>({ queryKey: ['examples.list'] }, (page) => page && patchPage(page));
  queries.setQueriesData<Example>({ queryKey: ['examples.get'] }, (example) =>
    example?.id === exampleId ? { ...example, ...patch } : example,
  );
  const isSighted = (query: { queryKey: readonly unknown[] }) => query.queryKey[0] === queueKey && !isBlind(query);
  queries.setQueriesData<InfiniteData<ExamplePage>>({ predicate: isSighted }, patchQueue);
}

/** An example as some list has it; undefined where none does. */
export function findCachedExample(queries: QueryClient, exampleId: string): Example | undefined {
  const lists = queries.getQueriesData<InfiniteData<ExamplePage>>({ queryKey: [queueKey] });
  const pages = queries.getQueriesData<ExamplePage>({ queryKey: ['examples.list'] });
  return [...lists.flatMap(([, data]) => data?.pages ?? []), ...pages.flatMap(([, page]) => page ?? [])]
    .flatMap(({ items }) => items)
    .find(({ id }) => id === exampleId);
}

/** Where an example stands after an act, as far as the act says so. */
function readStatus({ status, expected_decision }: LabelPatch): Example['status'] | null {
  if (status !== undefined) return status;
  if (expected_decision === undefined) return null;
  return expected_decision === null ? 'to_label' : 'done';
}

/** The counts after one example went from `before` to `after`; what these do not name stays. */
function moveBetween(stats: Stats, before: LabelPatch, after: LabelPatch): Stats {
  const by_option = { ...stats.by_option };
  const by_queue = { ...stats.by_queue };
  if (after.second_reading) {
    const isRead = (patch: LabelPatch) => Number(patch.expected_decision != null);
    by_queue.second_reading = Math.max(0, by_queue.second_reading + isRead(before) - isRead(after));
    return { ...stats, by_queue };
  }
  let { labelled, reviewed } = stats;
  const add = (patch: LabelPatch, by: 1 | -1) => {
    const { expected_decision: option } = patch;
    if (typeof option === 'string') {
      labelled += by;
      by_option[option] = (by_option[option] ?? 0) + by;
    }
    if (patch.reviewed) reviewed += by;
    const status = readStatus(patch);
    // A drawn decision is not counted among those to label.
    if (status === 'to_label' || status === 'flagged') by_queue[status] = Math.max(0, by_queue[status] + by);
  };
  add(before, -1);
  add(after, 1);
  return { ...stats, labelled, unlabelled: stats.total - labelled, reviewed, by_option, by_queue };
}

/** Moves one example between the counts, so that they follow a label without a call. */
export function patchCachedStats(queries: QueryClient, typeId: string, before: LabelPatch, after: LabelPatch): void {
  const queryKey = ['examples.stats', { params: { decision_type_id: typeId } }];
  if (queries.getQueryData(queryKey) === undefined) return;
  // Counts that are being read now may be from before the label.
  void queries.cancelQueries({ queryKey });
  queries.setQueryData<Stats>(queryKey, (stats) => stats && moveBetween(stats, before, after));
}
