/** The part of Deploy that gives releases names for programs. */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { Release } from '../../../server/contract/policies/releases.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Form } from '../../parts/form.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

/** Releases that an alias can be given to; an older one is named over REST. */
const offeredReleases = 100;

/** The names that programs may decide by, and the release that each of them names. */
export function Aliases({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { data } = useOperation('releases.list', { params, query: { page_size: offeredReleases } });
  const set = useChange('aliases.set');
  const remove = useChange('aliases.delete');
  const [alias, setAlias] = useState('');
  const releases = data?.items ?? [];
  const now = releases.find(({ current }) => current);
  if (now === undefined) return null;
  const named = releases
    .flatMap(({ aliases, release }) => aliases.map((name) => ({ name, release })))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const move = (name: string, release: number, onDone?: () => void) =>
    set.mutate({ params: { ...params, alias: name }, body: { release } }, { onSuccess: () => onDone?.() });
  const error = set.error ?? remove.error;
  return (
    <Part title="Aliases">
      <div className="stack">
        <p className="muted wrap">
          A call may name a release, <code>{showUnseen(`${type.name}@${now.release}`)}</code>, or an alias that you move
          from one to another. Without one, what is published last decides.
        </p>
        {named.map(({ name, release }) => (
          <div key={name} className="row between">
            <code className="wrap">{showUnseen(`${type.name}@${name}`)}</code>
            <span className="row">
              <NativeSelect
                aria-label={`Release of ${name}`}
                value={release}
                data={releases.map(toChoice)}
                disabled={set.isPending}
                onChange={(event) => move(name, Number(event.currentTarget.value))}
              />
              <ActionIcon
                variant="subtle"
                aria-label={`Remove the alias ${name}`}
                disabled={remove.isPending}
                onClick={() => remove.mutate({ params: { ...params, alias: name } })}
              >
                <X size={14} aria-hidden="true" />
              </ActionIcon>
            </span>
          </div>
        ))}
        <Form className="row" onSubmit={() => move(alias.trim(), now.release, () => setAlias(''))}>
          <TextInput
            aria-label="New alias"
            placeholder="production"
            maxLength={40}
            value={alias}
            onChange={(event) => setAlias(event.currentTarget.value)}
          />
          <Button type="submit" disabled={alias.trim() === ''} loading={set.isPending}>
            Name release {now.release}
          </Button>
        </Form>
        {error && <ErrorNote error={error} />}
      </div>
    </Part>
  );
}

const toChoice = ({ release, current, policy_version }: Release) => ({
  value: `${release}`,
  label: `release ${release}, ${policy_version}${current ? ', decides now' : ''}`,
});
