/** The part of Deploy with the questions of decision models that a type answers. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { isolate } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

const scoreLabel = 'a score: lowest option first';

function nameQuestion(asked: string | null, kind: string, options: readonly string[]): string {
  if (!asked) return isolate(`${kind}: ${options.join(', ')}`);
  return kind === 'predicate' ? `${isolate(asked)} Yes is ${options.map(isolate).join()}.` : isolate(asked);
}

/** The questions that are the type's own, each until it is ticked off, and what more it shall answer. */
export function Questions({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { data = [] } = useOperation('questions.list', { params });
  const bind = useChange('questions.bind');
  const forget = useChange('questions.forget');
  const { options } = type.active_version;
  const [asked, setAsked] = useState('');
  return (
    <>
      {data.map(({ id, asked: wording, kind, options: own }) => (
        <Checkbox
          key={id}
          label={nameQuestion(wording, kind, own)}
          checked
          onChange={() => forget.mutate({ params: { ...params, question_id: id } })}
        />
      ))}
      <TextInput
        label="A yes or no, as programs ask it"
        description="Case, spaces and the punctuation at its end do not matter; another wording is another question."
        value={asked}
        onChange={({ currentTarget }) => setAsked(currentTarget.value)}
      />
      <NativeSelect
        label="Answer it with"
        value=""
        data={[
          'Choose…',
          ...(asked.trim() === '' ? [] : options.map((option) => `yes is ${isolate(option)}`)),
          scoreLabel,
        ]}
        onChange={({ currentTarget: { selectedIndex: at, value } }) => {
          const yes = value === scoreLabel ? undefined : options[at - 1];
          const body =
            yes === undefined
              ? { kind: 'score' as const, options }
              : { kind: 'predicate' as const, instructions: asked, options: [yes] };
          bind.mutate({ params, body }, { onSuccess: () => setAsked('') });
        }}
      />
    </>
  );
}
