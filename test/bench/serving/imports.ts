/**
 * A file of 100,000 rows and 20 columns, as XLSX and as CSV, imported by REST and in the page: seconds, and the most
 * memory that the program, and the browser, have meanwhile. A quarter of the columns are texts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWindow } from '../../e2e/tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { measureProcessorMs, measureResidentMb } from '../../faults/tools/beside-calls.ts';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';

const rowCount = 100_000;
const sampleMs = 200;
const maxSeconds = 60;
const maxProgramMb = 1_000;
const print = (line: string) => process.stdout.write(`${line}\n`);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');

const header = [...Array.from({ length: 19 }, (_, column) => `column ${column + 1}`), 'decision'];
const makeRow = (row: number) => [
  ...Array.from({ length: 19 }, (_, column) =>
    column % 4 === 0 ? `value ${(row * (column + 7)) % 97}` : (row * (column + 3)) % (50 + 400 * column),
  ),
  row % 3 === 0 ? 'reject' : 'approve',
];

export function makeFiles(): Record<'XLSX' | 'CSV', Uint8Array<ArrayBuffer>> {
  const rows = [header, ...Array.from({ length: rowCount }, (_, row) => makeRow(row))];
  const csv = rows.map((cells) => cells.join(',')).join('\n');
  return { XLSX: makeWorkbook({ Data: rows }), CSV: new Uint8Array(Buffer.from(csv)) };
}

/** Processor seconds and resident megabytes of the program, and of what else this process started: the browser. */
function measure(workbench: RunningWorkbench) {
  const { user, system } = process.cpuUsage();
  const own = { seconds: (user + system) / 1e6, mb: process.memoryUsage().rss / 2 ** 20 };
  const toUse = (pid: number) => ({ seconds: measureProcessorMs(pid) / 1_000, mb: measureResidentMb(pid) });
  const [program, all] = [toUse(workbench.pid), toUse(process.pid)];
  const browser = { seconds: all.seconds - program.seconds - own.seconds, mb: all.mb - program.mb - own.mb };
  return { program, browser };
}

/** Does some work: its seconds, and of program and browser the seconds of the processor and the most memory. */
export async function watchUse<Value>(workbench: RunningWorkbench, work: () => Promise<Value>) {
  const before = measure(workbench);
  const mostMb = { program: 0, browser: 0 };
  const look = () => {
    const { program, browser } = measure(workbench);
    mostMb.program = Math.max(mostMb.program, program.mb);
    mostMb.browser = Math.max(mostMb.browser, browser.mb);
  };
  const timer = setInterval(look, sampleMs);
  const from = performance.now();
  const value = await work();
  const seconds = (performance.now() - from) / 1_000;
  clearInterval(timer);
  const after = measure(workbench);
  const toText = (part: 'program' | 'browser') =>
    `${(after[part].seconds - before[part].seconds).toFixed(1)} s, ${mostMb[part].toFixed(0)} MB`;
  return { value, seconds, programMb: mostMb.program, program: toText('program'), browser: toText('browser') };
}
type Use = Omit<Awaited<ReturnType<typeof watchUse>>, 'value'>;

function report(name: string, { seconds, programMb, program, browser }: Use): void {
  const aim = `≤ ${maxSeconds} s and ${maxProgramMb} MB: ${met(seconds <= maxSeconds && programMb <= maxProgramMb)}`;
  print(`| ${name} | ${seconds.toFixed(1)} s | ${program} | ${browser} | ${aim} |`);
}

/** Imports a file by REST into a type of its own and gives the type's id. */
export async function importByRest(workbench: RunningWorkbench, kind: string, bytes: Uint8Array<ArrayBuffer>) {
  const type = { name: `rest ${kind}`, options: ['approve', 'reject'] };
  const { id } = (await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', type)).body;
  const form = new FormData();
  form.set('file', new Blob([bytes]), `data.${kind.toLowerCase()}`);
  form.set('mapping', JSON.stringify({ decision: 'decision', input: header.slice(0, -1) }));
  form.set('commit', 'true');
  const { value, ...use } = await watchUse(workbench, async () => {
    const headers = { authorization: `Bearer ${workbench.token}` };
    const url = `${workbench.url}/api/v1/decision-types/${id}/examples/import`;
    const answer = await fetch(url, { method: 'POST', headers, body: form });
    return { status: answer.status, text: await answer.text() };
  });
  if (value.status !== 200) throw new Error(`the import answered ${value.status}: ${value.text.slice(0, 500)}`);
  report(`REST, ${kind} of ${(bytes.length / 1e6).toFixed(1)} MB`, { ...use, browser: '' });
  return id;
}

async function importInPage(workbench: RunningWorkbench, kind: string, bytes: Uint8Array<ArrayBuffer>) {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-bench-'));
  const path = join(folder, `page-${kind.toLowerCase()}.${kind.toLowerCase()}`);
  writeFileSync(path, bytes);
  const { page, browser } = await openWindow(workbench, '#/new');
  page.setDefaultTimeout(300_000);
  const button = page.getByRole('button', { name: /^Create decision type and import 100,000 rows$/ });
  const chosen = async () => {
    await page.locator('input[type=file]').first().setInputFiles(path);
    await page.getByLabel('Column decision becomes').selectOption('decision');
    await button.waitFor();
  };
  report(`page, ${kind}, reading`, await watchUse(workbench, chosen));
  const imported = async () => {
    await button.click();
    await page
      .getByText(/^100,000 examples imported/)
      .first()
      .waitFor();
  };
  report(`page, ${kind}, importing`, await watchUse(workbench, imported));
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** Prints the table of one large file, imported in each way. */
export async function measureImports(): Promise<void> {
  const workbench = await startWorkbenchProcess();
  try {
    print('| 100,000 rows × 20 columns | seconds | program: processor, memory | browser: processor, memory | aim |');
    print('|---|---|---|---|---|');
    for (const [kind, bytes] of Object.entries(makeFiles())) {
      await importByRest(workbench, kind, bytes);
      await importInPage(workbench, kind, bytes);
    }
  } finally {
    await workbench.stop();
  }
}
