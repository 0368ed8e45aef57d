import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notify } from '../state/notices.tsx';
import { useWorkbench } from '../state/workbench.ts';
import { saveFile } from './save-file.ts';

/** Saves the report of a policy, a page to print, in the browser's downloads. */
export function ReportButton({ typeId, policyId }: { typeId: string; policyId: string }) {
  const { client } = useWorkbench();
  const report = useMutation({
    mutationFn: () => client.download('policies.report', { params: { decision_type_id: typeId, policy_id: policyId } }),
    onSuccess: ({ blob, fileName }) => saveFile(blob, fileName ?? 'report.html'),
    onError: ({ message }) => notify({ kind: 'error', text: message }),
  });
  return (
    <Button loading={report.isPending} onClick={() => report.mutate()}>
      Save report
    </Button>
  );
}
