import { useOperation } from '../state/queries.ts';

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
