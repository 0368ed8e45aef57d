/**
 * Draws the places on contact sheets for a look: the sample, twelve long options with hostile values, and 20,000 rows,
 * at three sizes and in two themes, each picture also by itself, under `test-results/sheets`. In five minutes,
 * `npm run build && node test/e2e/tools/contact-sheets.ts [WORD …]` draws those whose name holds one of the words
 * (`hostile-1024`).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { goToAddress, openWindow, waitForQuiet } from './browser-page.ts';
import { ask, decide, makeLargeType, train } from './large-type.ts';
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
const others = ['#/', '#/settings/data'];
const folder = resolve(import.meta.dirname, '../../../test-results/sheets');

const hostileOptions = [
  'Department for requests that take a while to name, with a copy to the people who have asked for one',
  'Kraftfahrzeughaftpflichtversicherung und Zahlungsverzögerung',
  '<img src=x onerror=alert(1)> "quoted" & escaped',
  'مراجعة الطلبات المتأخرة من قبل المشرف',
  'בדיקה ידנית של בקשות חריגות',
  '🧾 Receipts & 👩‍👩‍👧 family plans, 🇦🇹 only',
  'unbroken'.repeat(12),
  '__proto__ and constructor',
  'Jürgen Größchenpflugs gyps-ähnlich jagged type: query ÅÇÉ',
  '退款申请需要主管审核并且等待财务部门确认',
  'ส่งต่อให้หัวหน้าแผนกตรวจสอบ',
  'n'.repeat(180),
];

/** Values that strain a page, with the one number that decides. */
const toHostileInput = (x: number) => ({
  text: `<b>markup</b> ${'unbroken'.repeat(60)} \u202Etxet that turns. ${'A long sentence to read. '.repeat(30)}`,
  'a field with a name that is longer than its place': 'v'.repeat(300),
  שדה: 'ערך',
  nothing: null,
  amount: 12_345_678.9,
  x,
});

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

/** Makes the sample, trains it, and sends some of its examples to the service; gives its id. */
async function makeSample(workbench: RunningWorkbench): Promise<string> {
  const { id } = await ask<{ id: string }>(workbench, 'POST', '/api/v1/samples/refund-requests');
  const path = `/api/v1/decision-types/${id}`;
  await train(workbench, path);
  type Page = { items: { input_payload: object }[] };
  const { items } = await ask<Page>(workbench, 'GET', `${path}/examples?page_size=90`);
  const inputs = items.map(({ input_payload }) => input_payload);
  await decide(workbench, 'refund-requests', inputs);
  return id;
}

/** Makes, trains and uses a type whose names and values strain a page; gives its id. */
async function makeHostile(workbench: RunningWorkbench): Promise<string> {
  const name = `<b>strained</b> ${'n'.repeat(60)}`;
  const { id } = await ask<{ id: string }>(workbench, 'POST', '/api/v1/decision-types', {
    name,
    description: `**Read** all of it. ${'unbroken'.repeat(20)}`,
    options: hostileOptions,
    hard_rules: [{ name: 'r'.repeat(80), condition: 'ctx.x > 11.9', then: hostileOptions[11] }],
  });
  const path = `/api/v1/decision-types/${id}`;
  const examples = hostileOptions.flatMap((decision, at) =>
    Array.from({ length: 50 }, (_, row) => ({
      input: toHostileInput(at + row / 32),
      decision: row % 5 === 4 ? null : decision,
    })),
  );
  await ask(workbench, 'POST', `${path}/examples`, { examples });
  await train(workbench, path);
  const inputs = Array.from({ length: 60 }, (_, at) => toHostileInput(at / 5));
  await decide(workbench, name, inputs);
  return id;
}

const makers = { sample: makeSample, hostile: makeHostile, rows: makeLargeType };

/** Keeps a picture of each place in both themes, and a sheet of them for each. */
async function drawSheets(page: Page, name: string, typeId: string): Promise<void> {
  const shots = { light: '', dark: '' };
  for (const place of [...places, ...others]) {
    const isOther = place.startsWith('#');
    await goToAddress(page, isOther ? place : `#/types/${typeId}/${place}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (place === 'import') await page.getByLabel('File', { exact: true }).setInputFiles(file);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await waitForQuiet(page);
      const shot = await page.screenshot();
      const of = place.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
      writeFileSync(join(folder, `${name}-${colorScheme}-${of}.png`), shot);
      shots[colorScheme] += `<img src="data:image/png;base64,${shot.toString('base64')}">`;
    }
  }
  await page.setViewportSize({ width: 2560, height: 1440 });
  for (const colorScheme of themes) {
    await page.setContent(
      `<style>body{margin:8px;display:grid;grid-template-columns:repeat(3,1fr);gap:8px;align-content:start}img{width:100%}</style>${shots[colorScheme]}`,
    );
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), await page.screenshot({ fullPage: true }));
  }
}

mkdirSync(folder, { recursive: true });
const words = process.argv.slice(2);
for (const [data, make] of Object.entries(makers)) {
  const wanted = sizes.filter(({ width }) => words.every((word) => `${data}-${width}`.includes(word)));
  if (wanted.length === 0) continue;
  const workbench = await startWorkbenchProcess();
  try {
    const typeId = await make(workbench);
    for (const viewport of wanted) {
      const { page, close, faults } = await openWindow(workbench, '#/', { viewport, reducedMotion: 'reduce' });
      const name = `${data}-${viewport.width}`;
      await drawSheets(page, name, typeId);
      process.stdout.write(`${name}${faults.length > 0 ? `: ${faults.join('; ')}` : ''}\n`);
      await close();
    }
  } finally {
    await workbench.stop();
  }
}
process.exit(0);
