/** Every place in both themes: no violation that axe knows, one focus, and a picture for a look. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from './axe.ts';
import { openWindow, pictures, type Window, waitForQuiet } from './browser-page.ts';
import { listUnseenFocus } from './focus.ts';
import { toPalettePng } from './palette-png.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

const places = [
  'define',
  'define?beside=input',
  'define?beside=versions',
  'rules',
  'examples?view=card&queue=all',
  'examples?view=card&queue=useful',
  'examples?view=table&queue=all',
  'examples?queue=findings',
  'import',
  'train',
  'evaluate',
  'evaluate?right=approve&decided=approve',
  'try',
  'deploy',
  'monitor',
];
const others = [
  '#/',
  '#/new',
  '#/settings/keys',
  '#/settings/connections',
  '#/settings/credits',
  '#/settings/data',
  '#/settings/look',
  '#/settings/shortcuts',
];

let workbench: RunningWorkbench;
let type: string;

beforeAll(async () => {
  workbench = await startWorkbenchProcess();
  const made = await workbench.call<{ id: string }>('POST', '/api/v1/samples/refund-requests');
  type = made.body.id;
  const path = `/api/v1/decision-types/${type}`;
  const started = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
  const progress = `${path}/policies/${started.body.policy_id}/progress`;
  while ((await workbench.call<{ status: string }>('GET', progress)).body.status === 'training') await wait(300);
  await workbench.call('PUT', `${path}/policies/${started.body.policy_id}/promise`, {
    target_error: 0.1,
    certainty: 0.9,
  });
  const examples = await workbench.call<{ items: { input_payload: object }[] }>('GET', `${path}/examples?page_size=90`);
  for (const { input_payload } of examples.body.items) {
    await workbench.call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input: input_payload });
  }
});
afterAll(() => workbench?.stop());

describe.each(['light', 'dark'] as const)('every place, %s', (theme) => {
  let opened: Window;

  beforeAll(async () => {
    opened = await openWindow(workbench, '#/', { colorScheme: theme, reducedMotion: 'reduce' });
  });
  afterAll(() => opened?.close());

  test.each([...others, ...places])('%s has no violation, and a focus that is always seen', async (place) => {
    const { page } = opened;
    const hash = place.startsWith('#') ? place : `#/types/${type}/${place}`;
    await page.evaluate((next) => {
      window.location.hash = next;
    }, hash);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await waitForQuiet(page);
    const name = place.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '') || 'start';
    writeFileSync(join(pictures, `${name}-${theme}.png`), toPalettePng(await page.screenshot()));
    expect(await listViolations(page)).toEqual([]);
    expect(await listUnseenFocus(page)).toEqual([]);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
