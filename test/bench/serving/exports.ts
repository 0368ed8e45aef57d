/**
 * 100,000 examples of 20 fields, exported by REST in each format: seconds, the most memory of the program, and the
 * longest that another call waits meanwhile.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { exampleFormats } from '../../../src/engine/export/file-kinds.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { importByRest, makeFiles, watchUse } from './imports.ts';

const callEveryMs = 20;
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Reads an export to its end, keeping nothing, and gives its bytes. */
async function readExport(workbench: RunningWorkbench, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${workbench.token}` };
  const [answer] = (await once(get(workbench.url + path, { headers }), 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`the export answered ${answer.statusCode}`);
  let bytes = 0;
  for await (const part of answer) bytes += (part as Uint8Array).length;
  return bytes;
}

/** The longest of calls that are made one after another until `done` says so. */
async function measureWaits(workbench: RunningWorkbench, done: () => boolean): Promise<number> {
  let longestMs = 0;
  while (!done()) {
    const from = performance.now();
    await workbench.call('GET', '/health');
    longestMs = Math.max(longestMs, performance.now() - from);
    await wait(callEveryMs);
  }
  return longestMs;
}

/** Prints the table of one large type, exported in each format. */
export async function measureExports(): Promise<void> {
  const workbench = await startWorkbenchProcess();
  try {
    const id = await importByRest(workbench, 'CSV', makeFiles().CSV);
    print('| 100,000 rows × 20 fields | seconds | program: processor, memory | longest call beside |');
    print('|---|---|---|---|');
    for (const format of exampleFormats) {
      let isDone = false;
      const waits = measureWaits(workbench, () => isDone);
      const path = `/api/v1/decision-types/${id}/examples/export?format=${format}`;
      const { value, seconds, program } = await watchUse(workbench, () => readExport(workbench, path));
      isDone = true;
      const size = `${(value / 1e6).toFixed(1)} MB`;
      print(`| ${format} of ${size} | ${seconds.toFixed(1)} | ${program} | ${(await waits).toFixed(0)} ms |`);
    }
  } finally {
    await workbench.stop();
  }
}
