import { type FormEvent, useState } from 'react';
import { useChange, useOperation } from '../api/queries.ts';
import { TextField } from '../parts/fields.tsx';
import { Busy, Card, ErrorNote, moment } from '../parts/layout.tsx';

/** API keys: made, listed and revoked. A new key is shown once. */
export function ApiKeysCard() {
  const [name, setName] = useState('');
  const keys = useOperation('api_keys.list', {});
  const create = useChange('api_keys.create');
  const revoke = useChange('api_keys.delete');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ body: { name: name.trim() } }, { onSuccess: () => setName('') });
  };
  return (
    <Card title="API keys">
      {keys.isPending && <Busy>Loading keys…</Busy>}
      {keys.isError && <ErrorNote error={keys.error} retry={() => void keys.refetch()} />}
      {create.data && (
        <div className="note good" role="status">
          <p>The key “{create.data.name}”. Copy it now: it is never shown again.</p>
          <code style={{ overflowWrap: 'anywhere' }}>{create.data.key}</code>
        </div>
      )}
      {keys.data?.length === 0 && <p className="muted">Programs sign in with a key. There is none yet.</p>}
      {keys.data && keys.data.length > 0 && (
        <table>
          <tbody>
            {keys.data.map((key) => (
              <tr key={key.id}>
                <td>
                  {key.name}
                  <div className="muted small">
                    <code>{key.prefix}…</code> · {key.rate_limit_per_minute} a minute ·{' '}
                    {key.last_used_at ? `used ${moment(key.last_used_at)}` : 'not used yet'}
                  </div>
                </td>
                <td className="num">
                  <button
                    type="button"
                    className="small danger"
                    disabled={revoke.isPending}
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => {
                      if (window.confirm(`Revoke “${key.name}”? Programs that use it are refused at once.`)) {
                        revoke.mutate({ params: { key_id: key.id } });
                      }
                    }}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(create.isError || revoke.isError) && <ErrorNote error={create.error ?? revoke.error} />}
      <form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
        <div className="grow">
          <TextField label="Name of a new key" value={name} onValue={setName} maxLength={100} />
        </div>
        <button type="submit" disabled={name.trim() === '' || create.isPending}>
          Create key
        </button>
      </form>
    </Card>
  );
}
