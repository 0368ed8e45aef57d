/** How examples were held out, and what the classifier reaches where they are held out in another way. */
import { Button } from '@mantine/core';
import { readWay } from '../../../engine/domain/metrics.ts';
import { atRandom, nameFields, type SplitWay } from '../../../engine/domain/training.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useChange, useOperation } from '../../state/queries.ts';
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
      {metrics?.split?.one_case && <p>{quoteNames(metrics.split.one_case)}</p>}
      <AskWhose policy={policy} />
      {metrics?.split?.sentence && <p className="muted">{quoteNames(metrics.split.sentence)}</p>}
      {ways.map(({ split, standing, sentence }) => (
        <div key={sentence} className={standing === 'lower' ? 'note warn row' : 'muted'}>
          <p>{quoteNames(sentence)}</p>
          {standing === 'lower' && metrics?.split?.rule !== 'test_rows' && (
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

/** Asks what the policy will be asked about, where that changes its figure, or says the type's answer. */
function AskWhose({ policy: { metrics, decision_type_id } }: { policy: OutputOf<'policies.get'> }) {
  const params = { decision_type_id };
  const type = useOperation('decision_types.get', { params, query: {} }).data;
  const answer = useChange('decision_types.update');
  const keep = (one_case: SplitWay | null) => answer.mutate({ params, body: { one_case } });
  if (!metrics?.split || type === undefined) return null;
  if (type.one_case !== null) {
    return (
      <div className="row">
        <p>{quoteNames(`It will be asked about ${nameCases(type.one_case)}.`)}</p>
        <Button size="compact-xs" variant="default" loading={answer.isPending} onClick={() => keep(null)}>
          Take the answer back
        </Button>
        {answer.error && <ErrorNote error={answer.error} />}
      </div>
    );
  }
  if (!metrics.split.found) return null;
  const way = readWay(metrics.split);
  const isTime = way.by === 'date';
  return (
    <div className="note warn stack tight">
      <p>{quoteNames(`Will it be asked about ${nameCases(way)}?`)}</p>
      <div className="row">
        <Button size="compact-xs" loading={answer.isPending} onClick={() => keep(way)}>
          About {isTime ? 'later times' : 'new ones'}
        </Button>
        <Button size="compact-xs" variant="default" loading={answer.isPending} onClick={() => keep(atRandom)}>
          About more of these
        </Button>
      </div>
      <p className="muted">
        The figure is that of {isTime ? 'later times' : 'new ones'}. Until you answer, no training deploys by itself.
        About more of these, train again for their figure.
      </p>
      {answer.error && <ErrorNote error={answer.error} />}
    </div>
  );
}

function nameCases({ by, field }: SplitWay): string {
  if (by === 'random') return 'more of what the examples hold';
  const names = nameFields(field ?? '');
  return by === 'date' ? `times after these, by ${names}` : `new values of ${names}`;
}
