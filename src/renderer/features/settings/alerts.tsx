import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorNote, Moment } from '../../parts/notes.tsx';
import { CopyButton } from '../../parts/text/snippet.tsx';
import { useChange, useOperation } from '../../state/queries.ts';

/** Where alerts are sent, and how the last one went. */
export function AlertSettings() {
  const alerts = useOperation('alerts.get', {});
  const set = useChange('alerts.set');
  const test = useChange('alerts.test');
  const [url, setUrl] = useState('');
  const { receiver, firing, last } = alerts.data ?? { receiver: null, firing: [], last: null };
  const error = set.error ?? test.error ?? alerts.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate({ body: { url } }, { onSuccess: () => setUrl('') });
  };
  return (
    <div className="stack tight">
      <p className="muted">
        A broken promise, drift, a stopped policy, a full disk and a failed backup are sent to{' '}
        {receiver ? <code className="wrap">{receiver.to}</code> : 'nobody'}.
      </p>
      {firing.map((alert) => (
        <p key={`${alert.kind} ${alert.decision_type}`} className="note warn">
          {alert.message}
        </p>
      ))}
      {last && (
        <p>
          Last alert <Moment iso={last.at} />: {last.alert.message} {last.error ?? 'It arrived.'}
        </p>
      )}
      {!receiver?.set_at_start && (
        <form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
          <TextInput
            label="Address of a webhook"
            value={url}
            maxLength={2_000}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Button type="submit" disabled={url === ''} loading={set.isPending}>
            Send there
          </Button>
          {receiver && <Button onClick={() => set.mutate({ body: { url: null } })}>Send nowhere</Button>}
        </form>
      )}
      {set.data?.secret && (
        <p className="note good" role="status">
          It is signed with <code className="wrap">{set.data.secret}</code>{' '}
          <CopyButton what="the secret" text={set.data.secret} /> which is never shown again.
        </p>
      )}
      {receiver && (
        <Button size="compact-xs" loading={test.isPending} onClick={() => test.mutate({})}>
          Send a test
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}
