/** The decision types that the page is measured with. */
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningWorkbench } from '../../e2e/tools/workbench-process.ts';

const optionCount = 150;
const numberFields = 24;
const unlabelledRows = 1_000;
const rowsPerImport = 50_000;
const sampleDecisions = 30;

/** Makes the sample project, trains it and decides its first inputs; gives the id of the type. */
export async function makeTrainedSample(workbench: RunningWorkbench): Promise<string> {
  const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/samples/refund-requests');
  const path = `/api/v1/decision-types/${body.id}`;
  const started = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
  const progress = `${path}/policies/${started.body.policy_id}/progress`;
  while ((await workbench.call<{ status: string }>('GET', progress)).body.status === 'training') await wait(300);
  const examples = await workbench.call<{ items: { input_payload: object }[] }>(
    'GET',
    `${path}/examples?page_size=${sampleDecisions}`,
  );
  for (const { input_payload } of examples.body.items) {
    await workbench.call('POST', '/api/v1/decide', {
      decision_type: 'refund-requests',
      input: input_payload,
    });
  }
  return body.id;
}

/** Makes a type of 150 options and imports `rows` examples of 25 fields, the newest 1,000 of them without a label. */
export async function makeLargeType(workbench: RunningWorkbench, rows: number): Promise<string> {
  const options = Array.from({ length: optionCount }, (_, index) => `option ${index}`);
  const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name: 'large', options });
  const names = Array.from({ length: numberFields }, (_, index) => `field ${index}`);
  const toLine = (row: number) => {
    const label = row < rows - unlabelledRows ? `option ${row % optionCount}` : '';
    return `row ${row} of a long list of things to decide,${names.map((_, at) => row + at).join(',')},${label}`;
  };
  for (let from = 0; from < rows; from += rowsPerImport) {
    const lines = Array.from({ length: Math.min(rowsPerImport, rows - from) }, (_, index) => toLine(from + index));
    const imported = await workbench.call('POST', `/api/v1/decision-types/${made.body.id}/examples/import`, {
      format: 'csv',
      content: ['text', ...names, 'decision'].join(',').concat('\n', lines.join('\n')),
      commit: true,
    });
    if (imported.status !== 200) throw new Error(`the import answered ${JSON.stringify(imported.body)}`);
  }
  return made.body.id;
}
