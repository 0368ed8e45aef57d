/** The part of Deploy with the questions of decision models that a type answers. */
import { ActionIcon, Checkbox, NativeSelect } from '@mantine/core';
import { X } from 'lucide-react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

/** The marks by which a type answers more than a choice, and the questions that are its own. */
export function Questions({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { data = [] } = useOperation('questions.list', { params });
  const bind = useChange('questions.bind');
  const forget = useChange('questions.forget');
  const { options } = type.active_version;
  const ofKind = (kind: 'predicate' | 'score') => data.find((each) => each.asked === null && each.kind === kind);
  const set = (kind: 'predicate' | 'score', answering: string[]) => {
    const known = ofKind(kind);
    if (answering.length > 0) bind.mutate({ params, body: { kind, options: answering } });
    else if (known) forget.mutate({ params: { ...params, question_id: known.id } });
  };
  const error = bind.error ?? forget.error;
  return (
    <>
      <NativeSelect
        label="A yes or no asks for"
        value={ofKind('predicate')?.options[0] ?? ''}
        data={[{ value: '', label: 'nothing: it is refused' }, ...options]}
        onChange={({ currentTarget: { value } }) => set('predicate', value === '' ? [] : [value])}
      />
      <Checkbox
        label="Options are in order, lowest first"
        description="They answer questions for a score."
        checked={ofKind('score') !== undefined}
        onChange={(event) => set('score', event.currentTarget.checked ? options : [])}
      />
      {data.map(
        ({ id, asked, kind }) =>
          asked !== null && (
            <div key={id} className="row between">
              <span className="wrap">{showUnseen(asked || `a ${kind} without instructions`)}</span>
              <ActionIcon
                variant="subtle"
                aria-label={`Forget the question ${asked}`}
                onClick={() => forget.mutate({ params: { ...params, question_id: id } })}
              >
                <X size={14} aria-hidden="true" />
              </ActionIcon>
            </div>
          ),
      )}
      {error && <ErrorNote error={error} />}
    </>
  );
}
