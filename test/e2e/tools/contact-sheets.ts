/**
 * Draws every place on contact sheets for a look: kind and hostile data, three widths, two themes, each picture also
 * by itself, under `test-results/sheets`. `npm run build && node test/e2e/tools/contact-sheets.ts [WORD …]` draws those
 * whose name holds one of the words (`hostile 1024`).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { goToAddress, openWindow, waitForQuiet } from './browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

const sizes = [
  { width: 1024, height: 700 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];
const themes = ['light', 'dark'] as const;
const places = [
  ...['define', 'rules', 'examples?view=card&queue=all', 'examples?view=table&queue=all', 'import', 'train'],
  ...['evaluate', 'try', 'deploy', 'monitor'],
];
const folder = resolve(import.meta.dirname, '../../../test-results/sheets');

const hostileRow = {
  text: `<b>markup</b> ${'unbroken'.repeat(60)} \u202Etxet that turns. ${'A long sentence to read. '.repeat(30)}`,
  'a field with a name that is longer than its place': 'v'.repeat(300),
  שדה: 'ערך',
  nothing: null,
  amount: 12_345_678.9,
};

/** A file of many kinds of columns: dates, texts, a running number, the answer. */
const file = {
  name: 'tickets.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'Ticket;Opened;Description;Hours;On site;Channel;Team',
      ...Array.from(
        { length: 120 },
        (_, at) =>
          `T-${20_841 + at};${1 + (at % 28)}.06.2017;The lamp over desk ${at} flickers and nobody has come to see to it;${at % 7},5;${at % 3 ? 'ja' : 'nein'};${at % 2 ? 'mail' : 'phone'};${['Light team', 'Flight team', 'Building and grounds', 'Badges'][at % 4]}`,
      ),
    ].join('\n'),
  ),
};

/** Makes, trains and deploys a type of twelve long names whose rows hold texts that strain a page; gives its id. */
async function makeHostile({ call }: RunningWorkbench): Promise<string> {
  const options = Array.from({ length: 12 }, (_, at) => `Department ${at} for requests that take a while to name`);
  const { id } = (
    await call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: `<b>strained</b> ${'n'.repeat(60)}`,
      description: `**Read** all of it. ${'unbroken'.repeat(20)}`,
      options,
      hard_rules: [{ name: 'r'.repeat(80), condition: 'ctx.x > 11.9', then: options[11] }],
    })
  ).body;
  const examples = options.flatMap((decision, at) =>
    Array.from({ length: 40 }, (_, row) => ({ input: { ...hostileRow, x: at + row / 25 }, decision })),
  );
  await call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
  return id;
}

/** Trains, deploys, and sends some of the examples to the service. */
async function deploy({ call }: RunningWorkbench, type: string): Promise<void> {
  const path = `/api/v1/decision-types/${type}`;
  const { name } = (await call<{ name: string }>('GET', path)).body;
  const started = await call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
  const policy = `${path}/policies/${started.body.policy_id}`;
  while ((await call<{ status: string }>('GET', `${policy}/progress`)).body.status === 'training') await wait(300);
  await call('POST', `${policy}/deploy`);
  const { items } = (await call<{ items: { input_payload: object }[] }>('GET', `${path}/examples?page_size=90`)).body;
  for (const { input_payload: input } of items) await call('POST', '/api/v1/decide', { decision_type: name, input });
}

const workbench = await startWorkbenchProcess();
try {
  const kind = (await workbench.call<{ id: string }>('POST', '/api/v1/samples/refund-requests')).body.id;
  const types = { kind, hostile: await makeHostile(workbench) };
  for (const type of Object.values(types)) await deploy(workbench, type);
  mkdirSync(folder, { recursive: true });
  const words = process.argv.slice(2);
  for (const [data, type] of Object.entries(types))
    for (const viewport of sizes)
      for (const colorScheme of themes) {
        const sheet = `${data}-${viewport.width}-${colorScheme}`;
        if (!words.every((word) => sheet.includes(word))) continue;
        const { page, close, faults } = await openWindow(workbench, '#/', { viewport, colorScheme });
        const shots: string[] = [];
        for (const place of ['#/', ...places]) {
          await goToAddress(page, place === '#/' ? place : `#/types/${type}/${place}`);
          await page.getByRole('heading', { level: 1 }).first().waitFor();
          if (place === 'import') await page.getByLabel('File', { exact: true }).setInputFiles(file);
          await waitForQuiet(page);
          const shot = await page.screenshot();
          const name = place.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
          writeFileSync(join(folder, `${sheet}-${name}.png`), shot);
          shots.push(`<img src="data:image/png;base64,${shot.toString('base64')}">`);
        }
        await page.setViewportSize({ width: 2560, height: 1440 });
        await page.setContent(
          `<style>body{margin:8px;display:grid;grid-template-columns:repeat(4,1fr);gap:8px;align-content:start}img{width:100%}</style>${shots.join('')}`,
        );
        writeFileSync(join(folder, `${sheet}.png`), await page.screenshot({ fullPage: true }));
        process.stdout.write(`${sheet}${faults.length > 0 ? `: ${faults.join('; ')}` : ''}\n`);
        await close();
      }
} finally {
  await workbench.stop();
}
process.exit(0);
