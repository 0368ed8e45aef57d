/** The first minute with a file of one's own, counted in clicks and kept as pictures; `browser.long.test.ts` has the sample. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, keepPicture, openWindow, type Window, waitForQuiet } from './tools/browser-page.ts';
import { readActs, startCounting } from './tools/count-acts.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const teams = [
  { name: 'Facilities', says: 'The lamp over my desk flickers', hours: '0,5' },
  { name: 'Travel', says: 'My flight to Oslo was cancelled', hours: '1,25' },
  { name: 'IT support', says: 'The laptop does not start any more', hours: '2,0' },
];
const rows = Array.from({ length: 150 }, (_, at) => {
  const { name, says, hours } = teams[at % teams.length] ?? { name: '', says: '', hours: '' };
  const day = `${1 + (at % 28)}.06.2026`;
  return `T-${20_841 + at};${day};${says}, room ${at % 41};${hours};${at % 2 ? 'mail' : 'phone'};${name}`;
});
const tickets = ['Ticket;Opened;Description;Hours;Channel;Team', ...rows].join('\n');

describe('the first minute', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  const page = () => opened.page;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/new', { reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('leads a stranger from a file by its question, a training and a number to a call in five clicks', async () => {
    await startCounting(page());
    const file = { name: 'Tickets June.csv', mimeType: 'text/csv', buffer: Buffer.from(tickets) };
    await page().locator('input[type=file]').first().setInputFiles(file);
    await page().getByRole('radiogroup', { name: 'Which column is the answer?' }).waitFor();
    await waitForQuiet(page());
    await keepPicture(page(), 'minute-question');
    await page().getByRole('radio').first().click();
    await page()
      .getByRole('button', { name: /^Create decision type and import/ })
      .click();
    await page()
      .getByText(/examples imported from/)
      .first()
      .waitFor();
    await goToPlace(page(), 'Train');
    await page().getByRole('button', { name: 'Start training' }).click();
    await page().getByText('Trained and live').first().waitFor({ timeout: 600_000 });
    await waitForQuiet(page());
    await keepPicture(page(), 'minute-number');
    await goToPlace(page(), 'Deploy');
    await page().locator('pre.snippet').first().waitFor();
    await waitForQuiet(page());
    await keepPicture(page(), 'minute-call');
    expect(await readActs(page())).toEqual({ clicks: 5, keys: 0 });
    const input = { Description: 'The lamp over my desk flickers', Channel: 'mail', Hours: '0,5' };
    const call = { decision_type: 'tickets-june', input };
    const { status, body } = await workbench.call<{ decision: string }>('POST', '/api/v1/decide', call);
    expect([status, body.decision]).toEqual([200, 'Facilities']);
  });

  test('and nothing goes wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
