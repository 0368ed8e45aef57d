/** How examples were held out, and what the classifier reaches where they are held out in another way. */
import { Button } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useChange } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';
import { ErrorNote } from '../notes.tsx';
import { quoteNames } from '../text/names.ts';

/** Says both figures, and trains with the stricter way on one press. A policy that decides stays. */
export function OtherWays({ policy }: { policy: OutputOf<'policies.get'> }) {
  const start = useChange('training.start');
  const { metrics, training_config: config, decision_type_id: typeId } = policy;
  const ways = metrics?.other_ways ?? [];
  const train = (split: (typeof ways)[number]['split']) =>
    start.mutate(
      { params: { decision_type_id: typeId }, body: { ...config, split, auto_deploy: false } },
      { onSuccess: () => goTo({ page: 'type', id: typeId, place: 'train' }) },
    );
  return (
    <>
      {metrics?.split?.sentence && <p className="muted">{quoteNames(metrics.split.sentence)}</p>}
      {ways.map(({ split, standing, sentence }) => (
        <div key={sentence} className={standing === 'lower' ? 'note warn row' : 'muted'}>
          <p>{quoteNames(sentence)}</p>
          {standing === 'lower' && (
            <Button size="compact-xs" loading={start.isPending} onClick={() => train(split)}>
              Hold them out and train
            </Button>
          )}
        </div>
      ))}
      {start.error && <ErrorNote error={start.error} />}
    </>
  );
}
