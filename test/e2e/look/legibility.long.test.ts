/** Letters are drawn whole and words stand on one line, with names as long as people have them, in every place. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forAll } from '../../server/workbench.ts';
import { goToAddress, openWindow, waitForQuiet } from '../tools/browser-page.ts';
import { findBrokenWords, findCutInk } from '../tools/legibility.ts';
import { startWorkbenchProcess } from '../tools/workbench-process.ts';

/** Names with tails, marks above capitals, and words as long as German has them. */
const options = [
  'Kundenbetreuung Privatgeschäft',
  'Prüfung Großgewerbe',
  'E-mail and calendar',
  'Phones and mobile contracts',
  'Zahlungsverzögerung klären',
  'Zugang gesperrt',
  'bewilligt',
  'abgelehnt',
  'Rückfragen zur Bürgschaft',
  'Gehaltsnachweise nachreichen',
  'Zusammenarbeit und Projektsteuerung',
  'Äußerst gyps-ähnlich',
];
const rowCount = 600;
const highest = 60_000;

const toInput = (row: number) => ({
  Eingang: `2024-0${1 + (row % 9)}-1${row % 10}`,
  Geburtsdatum: `19${50 + (row % 50)}-07-26`,
  Beschäftigungsart: ['selbständig', 'angestellt', 'arbeitslos', 'verrentet'][row % 4],
  Nettoeinkommen: 1_500 + ((row * 37) % 4_000),
  Kreditbetrag: (row * 1_009) % highest,
  'Zweitkonto?': row % 2 === 0,
  prior_tickets_in_the_last_ninety_days: row % 7,
  Begründung: row % 3 === 0 ? 'Überziehungskredit verlängern' : `Gepäckstück fehlt; möchte Rückzahlung ${row}`,
});
const conditions = [
  'ctx.Kreditbetrag > 58000',
  'ctx.Geburtsdatum < "1951-01-01"',
  'ctx.Nettoeinkommen <= 1600 && ctx["Beschäftigungsart"] == "selbständig"',
  'ctx.prior_tickets_in_the_last_ninety_days > 5',
];

const opened = forAll(
  async () => {
    const workbench = await startWorkbenchProcess();
    const names = ['klassifizierung_gepaeckstuecke', 'schadenmeldungen-q1-final2', 'Anträge Großgewerbe'];
    for (const name of names) await workbench.call('POST', '/api/v1/decision-types', { name, options: ['a', 'b'] });
    const hard_rules = options.map((then, place) => ({
      name: `${['Zu jung', 'Hoher Betrag', 'Selbständige prüfen', 'Geringes Einkommen'][place % 4]} ${place + 1}`,
      condition: conditions[place % 4],
      then,
      priority: place + 1,
    }));
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'kreditantraege-eingang',
      options,
    });
    const path = `/api/v1/decision-types/${made.body.id}`;
    const examples = Array.from({ length: rowCount }, (_, row) => {
      const input = toInput(row);
      const decision = row < 60 ? null : options[Math.floor((input.Kreditbetrag / highest) * options.length)];
      return { input, decision };
    });
    expect((await workbench.call('POST', `${path}/examples`, { examples })).status).toBe(201);
    const started = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
    expect(started).toMatchObject({ status: 202 });
    const progress = `${path}/policies/${started.body.policy_id}/progress`;
    while ((await workbench.call<{ status: string }>('GET', progress)).body.status === 'training') await wait(300);
    expect((await workbench.call('PUT', path, { hard_rules })).status).toBe(200);
    for (let row = 0; row < 60; row += 1) {
      const decide = { decision_type: 'kreditantraege-eingang', input: toInput(rowCount + row) };
      expect((await workbench.call('POST', '/api/v1/decide', decide)).status).toBe(200);
    }
    return { workbench, typeId: made.body.id, window: await openWindow(workbench, '#/') };
  },
  async ({ workbench, window }) => {
    await window.close();
    await workbench.stop();
  },
);

const tables = ['examples?view=table&queue=all', 'examples?queue=findings', 'rules', 'evaluate', 'monitor'];
const others = ['define', 'examples?view=card&queue=all', 'import', 'train', 'try', 'deploy', 'settings/data'];

// The widest before the usual one, as the parts of a window keep their shares where it shrinks.
test.each([
  [{ width: 1024, height: 700 }, [...tables, ...others]],
  [{ width: 2560, height: 1440 }, tables],
  [{ width: 1440, height: 900 }, [...tables, ...others]],
])('letters keep their tails, and words stand on one line at %o', async (viewport, places) => {
  const { page } = opened.window;
  await page.setViewportSize(viewport);
  for (const place of places) {
    await goToAddress(page, place.startsWith('settings') ? `#/${place}` : `#/types/${opened.typeId}/${place}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await waitForQuiet(page);
    expect([place, await findCutInk(page)]).toEqual([place, []]);
    expect([place, await findBrokenWords(page)]).toEqual([place, []]);
  }
});

test('outcome and counts of each rule are in sight at 1440 pixels, before the fields are scrolled', async () => {
  const { page } = opened.window;
  await page.setViewportSize({ width: 1440, height: 900 });
  await goToAddress(page, `#/types/${opened.typeId}/rules`);
  const sheet = page.getByRole('grid', { name: 'Rules' });
  const [first] = options;
  await sheet.getByText(first ?? '', { exact: true }).waitFor();
  const right = await page.locator('.sheet').evaluate((element) => element.getBoundingClientRect().right);
  for (const name of ['Then', 'Right']) {
    const box = await sheet.getByRole('columnheader', { name }).boundingBox();
    expect((box?.x ?? Number.NaN) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(right + 1);
  }
  // Not a wall of words: a cell without a condition is empty until the cursor comes.
  const any = sheet.locator('tbody tr').nth(1).getByText('any').first();
  expect(await any.evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
});
