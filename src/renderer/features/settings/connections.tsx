import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Figure } from '../../parts/figure.tsx';
import { Form } from '../../parts/form.tsx';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { decimal } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';

const blank = { name: '', url: 'http://127.0.0.1:11434/v1', model: '', api_key: '', private_network: false };

/** Model connections: created, tested and removed. Nothing leaves this machine unless there is one. */
export function Connections() {
  const [asked, setAsked] = useState<string | null>(null);
  const [tried, setTried] = useState<string | null>(null);
  const connections = useOperation('connections.list', {});
  const remove = useChange('connections.delete');
  const test = useChange('connections.test');
  return (
    <div className="stack">
      <p>
        Synthetic examples are made on this machine. A connected chat model (Ollama, llama.cpp, vLLM, LM Studio or
        another OpenAI-compatible one) makes better ones. It is sent examples of the decision type, in which PII fields
        are redacted.
      </p>
      {connections.isPending && <Busy>Loading connections…</Busy>}
      {connections.isError && <ErrorNote error={connections.error} retry={() => void connections.refetch()} />}
      {(remove.isError || test.isError) && <ErrorNote error={remove.error ?? test.error} />}
      {connections.data?.map((connection) => (
        <div key={connection.id} className="row between">
          <div>
            <span className="strong wrap">{showUnseen(connection.name)}</span>{' '}
            {connection.key_missing && <span className="tag bad">key missing: remove and make again</span>}
            <div className="muted small wrap">
              {isolate(connection.model)} at {isolate(connection.url)}
              {connection.has_api_key ? ' · with a key' : ''}
              {connection.generates ? ' · generates examples' : ''}
            </div>
            {tried === connection.id && test.data && (
              <div className={`note ${test.data.ok ? 'good' : 'warn'}`} role="status">
                {test.data.message} (
                <Figure says="How long the model took to answer.">{decimal(test.data.latency_ms / 1_000, 1)} s</Figure>)
              </div>
            )}
          </div>
          <div className="row">
            <Button
              size="compact-xs"
              loading={test.isPending && tried === connection.id}
              aria-label={`Test ${isolate(connection.name)}`}
              onClick={() => {
                setTried(connection.id);
                test.mutate({ params: { connection_id: connection.id } });
              }}
            >
              Test
            </Button>
            <Button
              size="compact-xs"
              disabled={remove.isPending}
              aria-label={
                asked === connection.id
                  ? `Remove ${isolate(connection.name)} now`
                  : `Remove ${isolate(connection.name)}`
              }
              onBlur={() => setAsked(null)}
              onClick={() =>
                asked === connection.id
                  ? remove.mutate({ params: { connection_id: connection.id } })
                  : setAsked(connection.id)
              }
            >
              {asked !== connection.id
                ? 'Remove'
                : connection.has_api_key
                  ? 'Remove now: its key is gone for good'
                  : 'Remove now: this cannot be undone'}
            </Button>
          </div>
        </div>
      ))}
      <Part title="Connect a model">
        <ConnectionForm />
      </Part>
    </div>
  );
}

function ConnectionForm() {
  const [draft, setDraft] = useState(blank);
  const create = useChange('connections.create');
  const set = (part: Partial<typeof blank>) => setDraft({ ...draft, ...part });
  const submit = () => {
    const { api_key, ...rest } = draft;
    const body = { ...rest, ...(api_key.trim() === '' ? {} : { api_key: api_key.trim() }) };
    create.mutate({ body }, { onSuccess: () => setDraft(blank) });
  };
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="Name of the connection"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={100}
      />
      <TextInput
        label="Address"
        value={draft.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
        maxLength={2_000}
      />
      <TextInput
        label="Model"
        value={draft.model}
        onChange={(event) => set({ model: event.currentTarget.value })}
        maxLength={200}
      />
      <TextInput
        type="password"
        label="API key, if the model needs one"
        autoComplete="off"
        value={draft.api_key}
        onChange={(event) => set({ api_key: event.currentTarget.value })}
        maxLength={1_000}
      />
      <Checkbox
        label="It runs on my private network"
        checked={draft.private_network}
        onChange={(event) => set({ private_network: event.currentTarget.checked })}
      />
      {create.isError && <ErrorNote error={create.error} />}
      <Button
        variant="filled"
        type="submit"
        disabled={draft.name.trim() === '' || draft.model.trim() === '' || draft.url === ''}
        loading={create.isPending}
      >
        Connect
      </Button>
    </Form>
  );
}
