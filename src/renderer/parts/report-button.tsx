import { Button } from '@mantine/core';
import { notifyFailure } from '../state/notices.tsx';
import { useDownload } from './save-file.ts';

/** Saves the report of a policy, a page to print, in the browser's downloads. */
export function ReportButton({ typeId, policyId }: { typeId: string; policyId: string }) {
  const params = { decision_type_id: typeId, policy_id: policyId };
  const report = useDownload(
    'report.html',
    (client, signal) => client.download('policies.report', { params }, signal),
    notifyFailure,
  );
  return (
    <Button loading={report.isPending} onClick={() => report.run()}>
      Save report
    </Button>
  );
}
