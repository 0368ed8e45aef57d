import { type FormEvent, useState } from 'react';
import { useChange, useOperation } from '../api/queries.ts';
import { CheckField, TextField } from '../parts/fields.tsx';
import { Busy, Card, ErrorNote } from '../parts/layout.tsx';

const blank = { name: '', url: 'http://127.0.0.1:11434/v1', model: '', api_key: '', private_network: false };

/** Model connections: created, tested and removed. Nothing leaves this machine unless there is one. */
export function ConnectionsCard() {
  const [draft, setDraft] = useState(blank);
  const [tried, setTried] = useState<string | null>(null);
  const connections = useOperation('connections.list', {});
  const create = useChange('connections.create');
  const remove = useChange('connections.delete');
  const test = useChange('connections.test');
  const set = (part: Partial<typeof blank>) => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { api_key, ...rest } = draft;
    const body = { ...rest, ...(api_key.trim() === '' ? {} : { api_key: api_key.trim() }) };
    create.mutate({ body }, { onSuccess: () => setDraft(blank) });
  };
  return (
    <Card title="Model connections">
      <p className="muted">
        Synthetic examples are made on this machine. A connected chat model (Ollama, llama.cpp, vLLM, LM Studio or
        another OpenAI-compatible one) makes better ones. It is sent examples of the decision type, in which PII fields
        are redacted.
      </p>
      {connections.isPending && <Busy>Loading connections…</Busy>}
      {connections.isError && <ErrorNote error={connections.error} retry={() => void connections.refetch()} />}
      {connections.data?.map((connection) => (
        <div key={connection.id} className="row between">
          <div>
            {connection.name}
            <div className="muted small">
              {connection.model} at {connection.url}
              {connection.has_api_key ? ' · with a key' : ''}
              {connection.generates ? ' · generates examples' : ''}
            </div>
            {tried === connection.id && test.data && (
              <div className={`note ${test.data.ok ? 'good' : 'warn'}`} role="status">
                {test.data.message} ({(test.data.latency_ms / 1_000).toFixed(1)} s)
              </div>
            )}
          </div>
          <div className="row">
            <button
              type="button"
              className="small"
              disabled={test.isPending}
              aria-label={`Test ${connection.name}`}
              onClick={() => {
                setTried(connection.id);
                test.mutate({ params: { connection_id: connection.id } });
              }}
            >
              {test.isPending && tried === connection.id ? 'Asking…' : 'Test'}
            </button>
            <button
              type="button"
              className="small danger"
              disabled={remove.isPending}
              aria-label={`Remove ${connection.name}`}
              onClick={() => remove.mutate({ params: { connection_id: connection.id } })}
            >
              Remove
            </button>
          </div>
        </div>
      ))}
      {(create.isError || remove.isError || test.isError) && (
        <ErrorNote error={create.error ?? remove.error ?? test.error} />
      )}
      <form className="stack tight" onSubmit={submit}>
        <TextField
          label="Name of the connection"
          value={draft.name}
          onValue={(name) => set({ name })}
          maxLength={100}
        />
        <TextField label="Address" value={draft.url} onValue={(url) => set({ url })} maxLength={2_000} />
        <TextField label="Model" value={draft.model} onValue={(model) => set({ model })} maxLength={200} />
        <TextField
          label="API key, where the model asks for one"
          type="password"
          autoComplete="off"
          value={draft.api_key}
          onValue={(api_key) => set({ api_key })}
          maxLength={1_000}
        />
        <CheckField
          label="It runs in my private network"
          checked={draft.private_network}
          onChecked={(private_network) => set({ private_network })}
        />
        <button
          type="submit"
          disabled={draft.name.trim() === '' || draft.model.trim() === '' || draft.url === '' || create.isPending}
        >
          Connect
        </button>
      </form>
    </Card>
  );
}
