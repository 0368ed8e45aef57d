/** A ZIP that was chosen: a whole decision type or a bundle, which makes a type or decides for the one at hand. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { findStale, invalidate } from '../../api/changes.ts';
import { ReasonField } from '../../parts/fields/reason-field.tsx';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { Place } from '../../parts/panes.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import { useWorkbench } from '../../state/workbench.ts';

type MovedDeskProps = { type: DecisionType | null; file: File; title: string; choose: React.ReactNode };

/** Asks for what a file of a decision type needs beside it, and lets it decide. */
export function MovedDesk({ type, file, title, choose }: MovedDeskProps) {
  const { client, queries } = useWorkbench();
  const [text, setText] = useState('');
  const moving = useMutation({
    mutationFn: async () => {
      const form = new FormData();
      form.set('file', file, file.name);
      if (text.trim() !== '') form.set(type === null ? 'name' : 'reason', text.trim());
      if (type !== null) {
        const params = { decision_type_id: type.id };
        const { release, policy_version } = await client.upload('policies.import', { params }, form);
        await invalidate(queries, findStale('policies.import', { params }));
        return { id: type.id, said: `${policy_version} of the bundle decides, as release ${release}.` };
      }
      const { decision_type: made, ...moved } = await client.upload('decision_types.import', {}, form);
      await invalidate(queries, findStale('decision_types.import', {}));
      const parts = [count(moved.examples, 'example'), count(moved.policies, 'policy', 'policies')];
      return { id: made.id, said: [`${isolate(made.name)} is here: ${parts.join(', ')}.`, ...moved.notes].join(' ') };
    },
    onSuccess: ({ id, said }) => {
      notify({ kind: 'info', text: said });
      goTo({ page: 'type', id, place: 'deploy' });
    },
  });
  return (
    <Place
      id="import"
      title={title}
      head={<span className="muted wrap">{isolate(file.name)} · a decision type or a bundle</span>}
      tools={
        <>
          {choose}
          <Button variant="filled" loading={moving.isPending} onClick={() => moving.mutate()}>
            {type === null ? 'Make the decision type' : 'Let it decide'}
          </Button>
        </>
      }
    >
      <div className="part stack">
        <p>
          {type === null
            ? 'Rules, examples, policies and releases come along, and what decided there decides here at once. A bundle gives a decision type without examples, which decides and cannot be trained.'
            : `The policy of the bundle decides for ${isolate(type.name)} at once, with its own rules, thresholds, input schema and fallback. Examples stay, and the release before it can be brought back under Deploy. To get a whole decision type, choose “New from a file…”.`}
        </p>
        {type === null ? (
          <TextInput
            maw={480}
            label="Name"
            description="Optional. Left empty: as in the file."
            maxLength={limits.maxTypeNameLength}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        ) : (
          <ReasonField why={[text, setText]} />
        )}
        {moving.isPending && <Busy>Reading the file, and trying what decides on its own test inputs…</Busy>}
        {moving.error && <ErrorNote error={moving.error} />}
      </div>
    </Place>
  );
}
