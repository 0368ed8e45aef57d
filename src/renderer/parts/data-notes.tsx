import { Button } from '@mantine/core';
import { useChange, useOperation } from '../state/queries.ts';
import { ErrorNote } from './notes.tsx';
import { count, moment } from './text/figures.ts';

const secondsPerDay = 86_400;

/** Says that old records are kept while the clock is in doubt, and asks whether it is right. */
export function ClockNote() {
  const clock = useOperation('clock.get', {});
  const confirm = useChange('clock.confirm');
  const error = confirm.error ?? clock.error;
  if (clock.data?.state !== 'in doubt' && error === null) return null;
  return (
    <div className="note warn stack tight" role="status">
      {clock.data?.leap_seconds && (
        <p>
          The clock of this machine shows {moment(clock.data.now)},{' '}
          {count(Math.round(clock.data.leap_seconds / secondsPerDay), 'day')} on from what the workbench saw last. Set
          it right if that is wrong: records that fell due meanwhile are removed once the workbench has run four hours
          with it.
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
      <Button loading={confirm.isPending} onClick={() => confirm.mutate({})}>
        The time is right
      </Button>
    </div>
  );
}

/** Says that the daily check found the data damaged, and what to do; nothing while they are sound. */
export function DamageNote() {
  const readiness = useOperation('system.ready', {});
  if (readiness.data?.['integrity'] !== 'damaged') return null;
  return (
    <p className="note warn" role="alert">
      The data of this workbench are damaged; its log says what is wrong. Restore the last backup into a new folder with{' '}
      <code>npm run -s workbench -- restore</code>, and look after the disk.
    </p>
  );
}
