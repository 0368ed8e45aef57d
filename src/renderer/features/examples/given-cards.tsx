import type { LabellingQueue } from '../../../server/contract/examples/labelling.ts';
import { CardDesk, type ViewProps } from './card-view.tsx';
import { findGivenQueue } from './queues.ts';
import { useGivenRows } from './use-given-rows.ts';

/** The examples that the server gives out to this window, one at a time, with what it says about each. */
export function GivenCards(props: ViewProps) {
  const queue: LabellingQueue = findGivenQueue(props.queue) ?? 'to_label';
  const { rows, advice } = useGivenRows(props.type.id, queue);
  return <CardDesk {...props} rows={rows} advice={advice} />;
}
