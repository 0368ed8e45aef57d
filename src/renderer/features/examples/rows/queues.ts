/** The lists in which examples are worked on, each named for the address: a filter, or rows given out. */

import type { LabellingQueue } from '../../../../server/contract/examples/labelling.ts';
import type { InputOf, OutputOf } from '../../../../server/contract/operations.ts';
import { number } from '../../../parts/text/figures.ts';
import { showUnseen } from '../../../parts/text/names.ts';
import type { Query } from '../../../state/route.ts';

type Queue = { name: string; title: string; help: string };
type ListQuery = NonNullable<InputOf<'examples.list'>['query']>;
export type ExampleFilter = Omit<ListQuery, 'page' | 'page_size' | 'page_of' | 'sort'>;
/** A filter and the order of what it finds; newest first without one. */
export type SortedFilter = ExampleFilter & Pick<ListQuery, 'sort'>;
type Stats = OutputOf<'examples.stats'>;

export const queues: readonly Queue[] = [
  { name: 'to-label', title: 'To label', help: 'Examples without a label, newest first.' },
  {
    name: 'useful',
    title: 'Most useful next',
    help: 'Examples without a label that teach most; one in five is random, to measure by.',
  },
  { name: 'random', title: 'Random rows only', help: 'Examples without a label, to measure by: nothing chooses them.' },
  { name: 'unreviewed', title: 'Not reviewed', help: 'Labels that nobody has confirmed yet.' },
  { name: 'synthetic', title: 'Synthetic', help: 'Examples that a teacher made.' },
  { name: 'flagged', title: 'Flagged', help: 'Examples that somebody marked for another look.' },
  {
    name: 'suspect',
    title: 'Suspect labels',
    help: 'Labels doubted by models that had not seen the example, most doubtful first.',
  },
  {
    name: 'corrections',
    title: 'Corrections',
    help: 'Corrected decisions that the deployed policy has not learned from.',
  },
  {
    name: 'audit',
    title: 'Audit',
    help: 'Live decisions drawn at random, oldest first, to be judged without seeing what was decided.',
  },
  {
    name: 'second-reading',
    title: 'Second reading',
    help: 'Labelled examples that a second person labels without seeing the label.',
  },
  {
    name: 'conflicts',
    title: 'Conflicts',
    help: 'Examples with two labels that differ, until one person settles them.',
  },
  { name: 'findings', title: 'Findings', help: 'What may be wrong with the examples.' },
  { name: 'all', title: 'All examples', help: 'Every example, newest first.' },
];

/** Queues whose rows the server gives out in an order of its own; all others are filters. */
const givenQueues: Readonly<Record<string, LabellingQueue>> = {
  useful: 'to_label',
  random: 'random',
  suspect: 'suspect',
  corrections: 'corrections',
  audit: 'audit',
  'second-reading': 'second_reading',
  conflicts: 'conflicts',
};

/** The server's queue behind a name; null for a filter. */
export function findGivenQueue(queue: string): LabellingQueue | null {
  return givenQueues[queue] ?? null;
}

export type View = 'card' | 'table';

/**
 * The view and the queue that an address names, else those that fit the work that is left. `isPlain`: it is a filter;
 * `isNamed`: the address leaves nothing open.
 */
export function chooseQueue(
  query: Query,
  stats: Pick<Stats, 'unlabelled'> | undefined,
): { view: View; queue: string; isGiven: boolean; isPlain: boolean; isNamed: boolean } {
  const toLabel = stats !== undefined && stats.unlabelled > 0;
  const named = query.view === 'card' || query.view === 'table' ? query.view : null;
  const isCard = named === null ? toLabel : named === 'card';
  const first = query.search ? 'to-label' : 'useful';
  const queue = query.queue ?? (isCard && toLabel ? first : 'all');
  const isGiven = findGivenQueue(queue) !== null;
  const view = isGiven || isCard ? 'card' : 'table';
  const isPlain = !isGiven && queue !== 'findings';
  const isNamed = query.queue !== undefined && (!isPlain || named !== null);
  return { view, queue, isGiven, isPlain, isNamed };
}

const optionPrefix = 'option:';

/** The queue of the examples of one option. */
export function toOptionQueue(option: string): string {
  return optionPrefix + option;
}

/** The filter behind the name of a queue, the words searched for and the tests of fields. */
export function toFilter(queue: string, search: string, fields = ''): ExampleFilter {
  return {
    ...(queue === 'to-label' ? { labelled: false } : {}),
    ...(queue === 'unreviewed' ? { reviewed: false } : {}),
    ...(queue === 'synthetic' ? { source: 'synthetic' as const } : {}),
    ...(queue === 'flagged' ? { status: 'flagged' as const } : {}),
    ...(queue.startsWith(optionPrefix) ? { decision: queue.slice(optionPrefix.length) } : {}),
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    ...(fields === '' ? {} : { fields }),
  };
}

/** The title of a queue. */
export function findTitle(queue: string): string {
  if (queue.startsWith(optionPrefix)) return showUnseen(queue.slice(optionPrefix.length));
  return queues.find(({ name }) => name === queue)?.title ?? 'All examples';
}

/** Whether labelling takes rows out of the filter: then their places in it move under way. */
export function isShrinking(filter: ExampleFilter): boolean {
  const { labelled, reviewed, decision, status } = filter;
  return [labelled, reviewed, decision, status].some((part) => part !== undefined);
}

/** Says when enough suspect labels have been looked at; null where no number is expected to be wrong. */
export function describeSuspects(suspects: Stats['suspects']): string | null {
  const expected = suspects?.expected_wrong ?? 0;
  if (suspects === null || expected === 0) return null;
  const changed = number(suspects.corrected);
  return suspects.corrected < expected
    ? `At most about ${number(expected)} of all labels were expected to be wrong when they were checked: some are right where the fields do not say why. ${changed} of the suspect ones have been changed.`
    : `${changed} suspect labels have been changed, as many as were expected to be wrong: those left are probably right.`;
}

/** How many examples a queue holds; null where the counts do not say. */
export function countQueue(queue: string, stats: Stats): number | null {
  const given = findGivenQueue(queue);
  if (given !== null) return stats.by_queue[given === 'random' ? 'to_label' : given];
  if (queue === 'to-label') return stats.unlabelled;
  if (queue === 'flagged') return stats.by_queue.flagged;
  if (queue === 'unreviewed') return stats.total - stats.reviewed;
  if (queue === 'synthetic') return stats.by_source.synthetic;
  if (queue.startsWith(optionPrefix)) return stats.by_option[queue.slice(optionPrefix.length)] ?? 0;
  return queue === 'all' ? stats.total : null;
}
