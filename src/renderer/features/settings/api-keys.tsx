import { Button, Checkbox, MultiSelect, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Scope, scopes } from '../../../server/contract/operation.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { Form } from '../../parts/form.tsx';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { CopyButton, Snippet } from '../../parts/text/snippet.tsx';
import { useChange, useOperation } from '../../state/queries.ts';

const defaultRate = 600;

const scopeLabels: Readonly<Record<Scope, string>> = {
  decide: 'decide',
  read: 'read',
  label: 'label examples',
  train: 'make types and train',
  deploy: 'deploy and change what is decided',
  export: 'export bundles',
  logs: 'bring decisions made elsewhere',
};
const scopeData = scopes.map((value) => ({ value, label: scopeLabels[value] }));

/** API keys: made, listed and revoked, and how agents use them. A new key is shown once. */
export function ApiKeys() {
  const keys = useOperation('api_keys.list', {});
  return (
    <div className="stack">
      <NewKey />
      {keys.isPending && <Busy>Loading keys…</Busy>}
      {keys.isError && <ErrorNote error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data?.length === 0 && <p>Programs sign in with a key. There is none yet.</p>}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} />}
      <Agents />
    </div>
  );
}

function NewKey() {
  const [name, setName] = useState('');
  const [holder, setHolder] = useState('');
  const [rate, setRate] = useState<number | string>(defaultRate);
  const [chosen, setChosen] = useState<Scope[]>([]);
  const [allowsDestructive, setAllowsDestructive] = useState(false);
  const create = useChange('api_keys.create');
  const submit = () => {
    const body = {
      name: name.trim(),
      rate_limit_per_minute: Number(rate) || defaultRate,
      scopes: chosen.length === 0 ? null : chosen,
      allow_destructive: allowsDestructive,
      holder: holder.trim() || null,
    };
    create.mutate({ body }, { onSuccess: () => setName('') });
  };
  return (
    <>
      <Form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
        <TextInput
          label="Name of a new key"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Held by"
          placeholder="you"
          value={holder}
          maxLength={100}
          onChange={(event) => setHolder(event.currentTarget.value)}
        />
        <NumberInput label="Calls a minute" min={1} max={1_000_000} value={rate} onChange={setRate} w={120} />
        <MultiSelect
          label="Allowed"
          placeholder={chosen.length === 0 ? 'everything' : ''}
          data={scopeData}
          value={chosen}
          onChange={(values) => setChosen(scopes.filter((scope) => values.includes(scope)))}
          miw={220}
        />
        <Button variant="filled" type="submit" disabled={name.trim() === ''} loading={create.isPending}>
          Create key
        </Button>
      </Form>
      {chosen.length === 0 && (
        <Checkbox
          label="Agents may also train, deploy and change decision types with it"
          checked={allowsDestructive}
          onChange={(event) => setAllowsDestructive(event.currentTarget.checked)}
        />
      )}
      {create.isError && <ErrorNote error={create.error} />}
      {create.data && (
        <div className="note good stack tight" role="status">
          <p>The key “{isolate(create.data.name)}”. Copy it now: it is never shown again.</p>
          <div className="row">
            <code className="wrap">{create.data.key}</code>
            <CopyButton what="the key" text={create.data.key} />
          </div>
        </div>
      )}
    </>
  );
}

/** Says what a key may do; of one without scopes also what agents may not. */
function describeRights({ scopes: given, allow_destructive }: Key): string {
  if (given !== null) return given.map((scope) => scopeLabels[scope]).join(', ');
  return allow_destructive ? 'everything' : 'everything; agents replace nothing';
}

type Key = OutputOf<'api_keys.list'>[number];

function KeyTable({ keys }: { keys: readonly Key[] }) {
  const revoke = useChange('api_keys.delete');
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <>
      {revoke.isError && <ErrorNote error={revoke.error} />}
      <PlainTable
        heads={[
          'Name',
          'Begins with',
          'May do',
          { name: 'Calls a minute', says: 'How many calls a minute this key may make.' },
          'Last used',
          { name: 'Actions', isHidden: true },
        ]}
      >
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="wrap">
              {showUnseen(key.name)}
              {key.holder !== null && <p className="muted">held by {showUnseen(key.holder)}</p>}
            </td>
            <td>
              <code>{key.prefix}…</code>
            </td>
            <td className="wrap">{describeRights(key)}</td>
            <td className="number">{key.rate_limit_per_minute.toLocaleString()}</td>
            <td>{key.last_used_at ? <Moment iso={key.last_used_at} /> : 'never'}</td>
            <td className="number">
              <Button
                size="compact-xs"
                loading={revoke.isPending && asked === key.id}
                aria-label={asked === key.id ? `Revoke ${isolate(key.name)} now` : `Revoke ${isolate(key.name)}`}
                onClick={() => (asked === key.id ? revoke.mutate({ params: { key_id: key.id } }) : setAsked(key.id))}
                onBlur={() => setAsked(null)}
              >
                {asked === key.id ? 'Revoke now: its programs lose access for good' : 'Revoke'}
              </Button>
            </td>
          </tr>
        ))}
      </PlainTable>
    </>
  );
}

/** How the clients of the agent tools find this workbench. */
function Agents() {
  const address = `${window.location.origin}/mcp`;
  const headers = { Authorization: 'Bearer YOUR_API_KEY' };
  return (
    <Part title="Agents">
      <div className="stack">
        <p className="muted">The workbench is also a tool server for agents (MCP), at {address}.</p>
        <Snippet
          name="Claude Code"
          text={`claude mcp add --transport http decision-workbench ${address} --header "Authorization: Bearer YOUR_API_KEY"`}
        />
        <Snippet
          name="VS Code, Cursor and others (mcp.json)"
          text={JSON.stringify({ servers: { 'decision-workbench': { type: 'http', url: address, headers } } }, null, 2)}
        />
      </div>
    </Part>
  );
}
