/** The part of Deploy with the questions of decision models that a type answers. */
import { Checkbox, NativeSelect } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { isolate } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

/** The questions that are the type's own, each until it is ticked off, and what more it shall answer. */
export function Questions({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { data = [] } = useOperation('questions.list', { params });
  const bind = useChange('questions.bind');
  const forget = useChange('questions.forget');
  const { options } = type.active_version;
  return (
    <>
      {data.map(({ id, asked, kind, options: own }) => (
        <Checkbox
          key={id}
          label={isolate(asked || `${kind}: ${own.join(', ')}`)}
          checked
          onChange={() => forget.mutate({ params: { ...params, question_id: id } })}
        />
      ))}
      <NativeSelect
        label="Also answer"
        value=""
        data={['', ...options.map((option) => `yes is ${isolate(option)}`), 'a score: lowest option first']}
        onChange={({ currentTarget: { selectedIndex: at } }) => {
          const yes = options[at - 1];
          bind.mutate({
            params,
            body: yes === undefined ? { kind: 'score', options } : { kind: 'predicate', options: [yes] },
          });
        }}
      />
    </>
  );
}
