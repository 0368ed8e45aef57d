import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Backup } from '../../../server/contract/upkeep/upkeep.ts';
import { ClockNote, DamageNote } from '../../parts/data-notes.tsx';
import { Form } from '../../parts/form.tsx';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { decimal, moment } from '../../parts/text/figures.ts';
import { CopyButton } from '../../parts/text/snippet.tsx';
import { useChange, useOperation } from '../../state/queries.ts';

/** Where alerts are sent, and how the last one went. */
function AlertSettings() {
  const alerts = useOperation('alerts.get', {});
  const set = useChange('alerts.set');
  const test = useChange('alerts.test');
  const [url, setUrl] = useState('');
  const { receiver, firing, last } = alerts.data ?? { receiver: null, firing: [], last: null };
  const error = set.error ?? test.error ?? alerts.error;
  const submit = () => set.mutate({ body: { url } }, { onSuccess: () => setUrl('') });
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
        <Form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
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
        </Form>
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

const bytesPerMegabyte = 1_000_000;

const toMegabytes = (bytes: number) => `${decimal(bytes / bytesPerMegabyte, 1)} MB`;

/** Whether the data are sound, backups of the data folder, and the clock that retention follows. */
export function DataFolder() {
  const backups = useOperation('backups.list', {});
  const create = useChange('backups.create');
  const folder = useOperation('system.ready', {}).data?.data_dir;
  const clock = useOperation('clock.get', {}).data;
  const last = backups.data?.[0];
  return (
    <div className="stack">
      <DamageNote />
      <p>
        Your data is{' '}
        {folder === undefined ? (
          'in the data folder'
        ) : (
          <>
            in <code className="wrap">{folder}</code>
          </>
        )}
        , on this machine only. A backup is a verified copy in its folder “backups”. While the workbench runs it makes
        one a day and keeps the newest seven of these; one that fails is an alert. To write one to another disk, use{' '}
        <code className="wrap">npm run -s workbench -- backup{folder && ` --data-dir "${folder}"`} --to FOLDER</code>.
      </p>
      <Button variant="filled" loading={create.isPending} onClick={() => create.mutate({ body: {} })}>
        Back up now
      </Button>
      {create.isPending && <Busy>Writing and checking the backup. Everything else goes on meanwhile…</Busy>}
      {last && !create.isPending && (
        <p>
          The last backup was made <Moment iso={last.created_at} /> and takes {toMegabytes(last.size_bytes)}.
        </p>
      )}
      {(create.isError || backups.isError) && <ErrorNote error={create.error ?? backups.error} />}
      {backups.isPending && <Busy>Looking for backups…</Busy>}
      {backups.data?.length === 0 && <p>There is no backup yet. A damaged disk would take everything with it.</p>}
      {backups.data && backups.data.length > 0 && (
        <PlainTable
          heads={[
            'Backup',
            'Made',
            { name: 'Files', says: 'Files in the backup, each with its digest.' },
            { name: 'Size', says: 'How much room the backup takes on the disk.' },
            { name: 'Actions', isHidden: true },
          ]}
        >
          {backups.data.map((backup) => (
            <BackupRow key={backup.name} backup={backup} />
          ))}
        </PlainTable>
      )}
      <Part title="Alerts">
        <AlertSettings />
      </Part>
      <Part title="Clock">
        <div className="stack tight">
          <p className="muted">
            Log records are removed when their retention ends. Those that expired while the workbench was closed go once
            it has run for four hours, which leaves time to correct a wrong clock.
          </p>
          {clock?.state === 'trusted' && <p>Clock: trusted.</p>}
          <ClockNote />
        </div>
      </Part>
    </div>
  );
}

function BackupRow({ backup }: { backup: Backup }) {
  const params = { backup_name: backup.name };
  const verify = useChange('backups.verify');
  const [isRestoring, setIsRestoring] = useState(false);
  const problems = verify.data?.problems;
  return (
    <tr>
      <td>
        {backup.name}
        {verify.error && <ErrorNote error={verify.error} />}
        {problems && (
          <div className={`note ${problems.length === 0 ? 'good' : 'error'}`} role="status">
            {problems.length === 0 ? 'Every file is as it was written.' : problems.slice(0, 3).join(' ')}
          </div>
        )}
      </td>
      <td>{moment(backup.created_at)}</td>
      <td className="number">{backup.files}</td>
      <td className="number">{toMegabytes(backup.size_bytes)}</td>
      <td className="number">
        <Button
          size="compact-xs"
          aria-label={`Verify ${backup.name}`}
          loading={verify.isPending}
          onClick={() => verify.mutate({ params })}
        >
          Verify
        </Button>{' '}
        <Button size="compact-xs" aria-label={`Restore ${backup.name}`} onClick={() => setIsRestoring(true)}>
          Restore…
        </Button>
        {isRestoring && <RestoreDialog name={backup.name} onClose={() => setIsRestoring(false)} />}
      </td>
    </tr>
  );
}

function RestoreDialog({ name, onClose }: { name: string; onClose(): void }) {
  const [folder, setFolder] = useState('');
  const restore = useChange('backups.restore');
  return (
    <Modal opened title={`Restore ${name}`} onClose={onClose}>
      <Form onSubmit={() => restore.mutate({ params: { backup_name: name }, body: { folder } })}>
        <p className="muted">
          The backup becomes a new data folder. This workbench keeps using its own; nothing is overwritten.
        </p>
        <TextInput
          label="New folder"
          description="The full path of a folder that does not exist yet or is empty."
          data-autofocus
          value={folder}
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        {restore.error && <ErrorNote error={restore.error} />}
        {restore.data ? (
          <p className="note good" role="status">
            The data are in {restore.data.folder}. Start a workbench on them with{' '}
            <code>npm run -s workbench -- serve --data-dir {restore.data.folder}</code>.
          </p>
        ) : (
          <Button variant="filled" type="submit" disabled={folder.trim() === ''} loading={restore.isPending}>
            Restore into the new folder
          </Button>
        )}
      </Form>
    </Modal>
  );
}
