/** What the report says of the inputs: which there are, of which days, who labelled, and whose name is learned. */
import { expect, it } from 'vitest';
import { deployForAll, startWorkbench } from '../workbench.ts';

const day = (count: number) => new Date(Date.UTC(2023, 0, 1 + count)).toISOString().slice(0, 10);
const people = ['Karl Schäfer', 'Petra Groß', 'Olaf Lindner', 'Ida Kern'];
const claims = Array.from({ length: 160 }, (_, row) => {
  const damage = (row * 197) % 700;
  const days = (row * 31) % 29;
  const holder = people[row % 4] ?? '';
  return {
    input: {
      damage: day(damage),
      reported: day(damage + days),
      holder,
      claimant: people[(row * 7) % 3] ?? '',
      amount: `1.0${10 + (row % 80)},50 €`,
    },
    decision: days > 14 || holder === 'Ida Kern' ? 'late' : 'in time',
  };
});
const readings = { amount: { kind: 'number', decimal: ',', unit: '€' } };
const type = { name: 'claims', options: ['in time', 'late'], pii_fields: ['claimant'], readings };
const trained = deployForAll(type, claims);

it('lists the inputs and their days, names who labelled, and says what a learned name weighs [RPT-4]', async () => {
  const bench = await startWorkbench(trained.copy());
  const { policyId } = trained;
  const url = trained.url.replace('/api/v1', '');
  const { call } = bench;
  const read = async () => (await call('GET', `${url}/policies/${policyId}/report`)).text.replaceAll(/<\/?bdi>/g, '');
  const report = await read();
  expect(report).toMatch(/reported \(2023-01-\d\d to 2024-\d\d-\d\d\)/);
  expect(report).toContain('amount (1.010,50\u00a0€ to 1.089,50\u00a0€)');
  expect(report).toContain('Days between dates: reported − damage, days.');
  expect(report).toMatch(
    /holder tells who somebody is and is learned anyway: without it [1-9]\d* of the newest 60 examples/,
  );
  expect(report).toContain('Personal and not learned: claimant.');
  expect(report).toMatch(/By “reported” they are of 2023-01-\d\d to 2024-/);
  expect(report).toContain('All labels came with their file.');
  await call('PUT', url, { pii_fields: ['claimant', 'holder'] });
  expect(await read()).toContain('holder tells who somebody is and is learned anyway');
  expect(await read()).not.toMatch(/Karl|Petra/);
  await bench.stop();
});

it('explains a decision with the usual number of days between two dates [XPL-1]', async () => {
  const bench = await startWorkbench(trained.copy());
  const url = trained.url.replace('/api/v1', '');
  const [example] = (await bench.call('GET', `${url}/examples?page_size=1`)).body.items;
  const { usual } = (await bench.call('POST', `${url}/examples/${example.id}/explain`)).body;
  const days = claims.map((_, row) => (row * 31) % 29).toSorted((a, b) => a - b);
  expect(usual).toMatchObject({ amount: expect.closeTo(1050, -1), 'reported − damage, days': days[80] });
  await bench.stop();
});
