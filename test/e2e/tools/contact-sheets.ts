/**
 * Draws everything that `looks.ts` lists on contact sheets, of the sample, of hostile names and values, of twelve options
 * with 20,000 rows and of 20,000 real complaints, at three sizes and in two themes, each picture also by itself, under
 * `test-results/sheets`, and prints what cannot be read. `npm run build && node test/e2e/tools/contact-sheets.ts
 * [WORD …]` draws those whose name holds each of the words (`hostile-1024`).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openWindow } from './browser-page.ts';
import { makeHostileType } from './hostile-type.ts';
import { ask, decide, makeComplaints, makeLargeType, train } from './large-type.ts';
import { listFaults, looks, show } from './looks.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

const sizes = [
  { width: 1024, height: 700 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];
const themes = ['light', 'dark'] as const;
const folder = resolve(import.meta.dirname, '../../../test-results/sheets');
/** As many as can still be told apart. */
const picturesPerSheet = 12;

/** Makes the sample, trains it and sends some of its examples to the service; gives its id. */
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

/** Leaves a draft, which what is published is compared with. */
async function leaveDraft(workbench: RunningWorkbench, id: string): Promise<void> {
  const path = `/api/v1/decision-types/${id}`;
  const { active_version } = await ask<{ active_version: { options: string[]; hard_rules: object[] } }>(
    workbench,
    'GET',
    path,
  );
  const drafted = { name: 'new', condition: 'true', then: active_version.options[0], priority: 99 };
  await ask(workbench, 'PUT', path, { hard_rules: [...active_version.hard_rules, drafted], draft: true });
}

const makers = { sample: makeSample, hostile: makeHostileType, rows: makeLargeType, complaints: makeComplaints };

/** Keeps a picture of each look in both themes, and sheets of them; prints its faults. */
async function drawSheets(page: Page, name: string, typeId: string): Promise<void> {
  const shots = { light: [] as string[], dark: [] as string[] };
  for (const look of looks) {
    await show(page, typeId, look);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      const shot = await page.screenshot();
      writeFileSync(join(folder, `${name}-${colorScheme}-${look.name}.png`), shot);
      shots[colorScheme].push(`<img src="data:image/png;base64,${shot.toString('base64')}">`);
      for (const fault of await listFaults(page))
        process.stdout.write(`${name}, ${colorScheme}, ${look.name}: ${fault}\n`);
    }
  }
  await page.setViewportSize({ width: 2560, height: 1440 });
  for (const colorScheme of themes) {
    for (let from = 0; from < looks.length; from += picturesPerSheet) {
      const drawn = shots[colorScheme].slice(from, from + picturesPerSheet).join('');
      await page.setContent(
        `<style>body{margin:8px;display:grid;grid-template-columns:repeat(3,1fr);gap:8px;align-content:start}img{width:100%}</style>${drawn}`,
      );
      const sheet = 1 + from / picturesPerSheet;
      writeFileSync(join(folder, `${name}-${colorScheme}-${sheet}.png`), await page.screenshot({ fullPage: true }));
    }
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
    await leaveDraft(workbench, typeId);
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
