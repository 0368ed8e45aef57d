import { Button, NumberInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChange, useOperation } from '../../api/queries.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { CopyButton, Snippet } from '../../parts/snippet.tsx';

const defaultRate = 600;

/** API keys: made, listed and revoked, and how agents use them. A new key is shown once. */
export function ApiKeys() {
  const [name, setName] = useState('');
  const [rate, setRate] = useState<number | string>(defaultRate);
  const keys = useOperation('api_keys.list', {});
  const create = useChange('api_keys.create');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const rate_limit_per_minute = Number(rate) || defaultRate;
    create.mutate({ body: { name: name.trim(), rate_limit_per_minute } }, { onSuccess: () => setName('') });
  };
  return (
    <div className="stack">
      <form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
        <TextInput
          label="Name of a new key"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NumberInput label="Calls a minute" min={1} max={1_000_000} value={rate} onChange={setRate} w={120} />
        <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
          Create key
        </Button>
      </form>
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
      {keys.isPending && <Busy>Loading keys…</Busy>}
      {keys.isError && <ErrorNote error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data?.length === 0 && <p className="muted">Programs sign in with a key. There is none yet.</p>}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} />}
      <Agents />
    </div>
  );
}

type Key = { id: string; name: string; prefix: string; rate_limit_per_minute: number; last_used_at: string | null };

function KeyTable({ keys }: { keys: readonly Key[] }) {
  const revoke = useChange('api_keys.delete');
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <>
      {revoke.isError && <ErrorNote error={revoke.error} />}
      <div className="scroll">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Begins with</th>
              <FigureHead says="How many calls a minute this key may make.">Calls a minute</FigureHead>
              <th scope="col">Last used</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.id}>
                <td className="wrap">{showUnseen(key.name)}</td>
                <td>
                  <code>{key.prefix}…</code>
                </td>
                <td className="number">{key.rate_limit_per_minute.toLocaleString()}</td>
                <td>{key.last_used_at ? <Moment iso={key.last_used_at} /> : 'never'}</td>
                <td className="number">
                  <Button
                    size="compact-xs"
                    variant="default"
                    loading={revoke.isPending && asked === key.id}
                    aria-label={asked === key.id ? `Revoke ${isolate(key.name)} now` : `Revoke ${isolate(key.name)}`}
                    onClick={() =>
                      asked === key.id ? revoke.mutate({ params: { key_id: key.id } }) : setAsked(key.id)
                    }
                    onBlur={() => setAsked(null)}
                  >
                    {asked === key.id ? 'Revoke now: its programs lose access for good' : 'Revoke'}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** How the clients of the agent tools are told of this workbench. */
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
