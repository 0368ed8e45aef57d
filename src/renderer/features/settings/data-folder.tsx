import { Button } from '@mantine/core';
import { useChange, useOperation } from '../../api/queries.ts';
import { DamageNote } from '../../parts/damage-note.tsx';
import { moment } from '../../parts/figures.ts';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';

const bytesPerMegabyte = 1_000_000;

function toMegabytes(bytes: number): string {
  const megabytes = (bytes / bytesPerMegabyte).toLocaleString(undefined, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return `${megabytes} MB`;
}

/** Whether the data are sound, backups of the data folder, and the clock that retention follows. */
export function DataFolder() {
  const backups = useOperation('backups.list', {});
  const create = useChange('backups.create');
  const last = backups.data?.[0];
  return (
    <div className="stack">
      <DamageNote />
      <p className="muted">
        Everything lies in the data folder of this machine. A backup is a checked copy below its folder “backups”; write
        one to another disk with <code>npm run -s workbench -- backup</code>.
      </p>
      <div>
        <Button loading={create.isPending} onClick={() => create.mutate({ body: {} })}>
          Back up now
        </Button>
      </div>
      {create.isPending && <Busy>Writing and checking the backup. Everything else goes on meanwhile…</Busy>}
      {last && !create.isPending && (
        <p>
          The last backup was made <Moment iso={last.created_at} /> and takes {toMegabytes(last.size_bytes)}.
        </p>
      )}
      {(create.isError || backups.isError) && <ErrorNote error={create.error ?? backups.error} />}
      {backups.isPending && <Busy>Looking for backups…</Busy>}
      {backups.data?.length === 0 && (
        <p className="muted">There is no backup yet. A damaged disk would take everything with it.</p>
      )}
      {backups.data && backups.data.length > 0 && (
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Backup</th>
              <th scope="col">Made</th>
              <th scope="col" className="number">
                Files
              </th>
              <th scope="col" className="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {backups.data.map((backup) => (
              <tr key={backup.name}>
                <td>{backup.name}</td>
                <td>{moment(backup.created_at)}</td>
                <td className="number">{backup.files}</td>
                <td className="number">{toMegabytes(backup.size_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Clock />
    </div>
  );
}

function Clock() {
  const clock = useOperation('clock.get', {});
  const confirm = useChange('clock.confirm');
  if (!clock.data) return null;
  const inDoubt = clock.data.state === 'in doubt';
  return (
    <Part title="Clock">
      <div className="stack tight">
        <p className={inDoubt ? 'note warn' : 'muted'}>
          {inDoubt
            ? `The clock of this machine leapt by more than two days and shows ${moment(clock.data.now)} now. No record is removed for its age until you confirm the time or set it right.`
            : 'Records past their retention are removed by a clock that is believed.'}
        </p>
        {confirm.isError && <ErrorNote error={confirm.error} />}
        {inDoubt && (
          <div>
            <Button variant="default" loading={confirm.isPending} onClick={() => confirm.mutate({})}>
              The time is right
            </Button>
          </div>
        )}
      </div>
    </Part>
  );
}
