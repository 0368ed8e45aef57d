/** Labels as the page shows them: what the server said, with what is still on its way on top. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Example } from '../../server/contract/examples.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import type { LabelPatch } from './journal.ts';

export type ExamplePage = OutputOf<'examples.list'>;
type Stats = OutputOf<'examples.stats'>;

/** Key of the cached queues of examples; the operation's own pages stand under its name. */
export const queueKey = 'examples.queue';

/** A page whose rows have the labels that are on their way. */
export function withPending(page: ExamplePage, pending: ReadonlyMap<string, LabelPatch>): ExamplePage {
  if (pending.size === 0 || !page.items.some(({ id }) => pending.has(id))) return page;
  return { ...page, items: page.items.map((item) => ({ ...item, ...pending.get(item.id) })) };
}

/** Changes one example wherever it is cached; its place in each list stays. */
export function patchCachedExample(queries: QueryClient, exampleId: string, patch: LabelPatch): void {
  const patchPage = (page: ExamplePage): ExamplePage =>
    page.items.some(({ id }) => id === exampleId)
      ? { ...page, items: page.items.map((item) => (item.id === exampleId ? { ...item, ...patch } : item)) }
      : page;
  queries.setQueriesData<ExamplePage>({ queryKey: ['examples.list'] }, (page) => page && patchPage(page));
  queries.setQueriesData<Example>({ queryKey: ['examples.get'] }, (example) =>
    example?.id === exampleId ? { ...example, ...patch } : example,
  );
  queries.setQueriesData<InfiniteData<ExamplePage>>({ queryKey: [queueKey] }, (data) =>
    data ? { ...data, pages: data.pages.map(patchPage) } : data,
  );
}

/** Moves one example between the counts, so that they follow a label without a call. */
export function patchCachedStats(
  queries: QueryClient,
  typeId: string,
  before: { expected_decision: string | null; reviewed?: boolean },
  after: { expected_decision: string | null; reviewed?: boolean },
): void {
  const count = (decision: string | null) => (decision === null ? 0 : 1);
  const key = ['examples.stats', { params: { decision_type_id: typeId } }];
  queries.setQueryData<Stats>(key, (stats) => {
    if (!stats) return stats;
    const labelled = stats.labelled + count(after.expected_decision) - count(before.expected_decision);
    const by_option = { ...stats.by_option };
    const add = (option: string | null, by: number) => {
      if (option !== null) by_option[option] = (by_option[option] ?? 0) + by;
    };
    add(before.expected_decision, -1);
    add(after.expected_decision, 1);
    const reviewed = stats.reviewed + Number(after.reviewed ?? false) - Number(before.reviewed ?? false);
    return { ...stats, labelled, unlabelled: stats.total - labelled, reviewed, by_option };
  });
}
