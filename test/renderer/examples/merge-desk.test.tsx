/** An export of examples that comes back on the page: what changes is shown, and conflicts are asked about. */
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

it('merges an export with the examples that it came from [XPT-12]', async () => {
  const { call } = await openForTest();
  const id = await makeType(call);
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = [{ input: { n: 1 }, decision: 'yes' }, { input: { n: 2 } }, { input: { n: 3 } }];
  const [first] = (await call('POST', url, { examples })).body;
  const lines = (await call('GET', `${url}/export?format=jsonl`)).text.trim().split('\n');
  const edited = lines.map((line) => ({ ...JSON.parse(line), expected_decision: 'no' })).slice(0, 2);
  const later = { ...edited[0], input_payload: { n: 1 }, updated_at: '2020-01-01T00:00:00.000Z' };
  const file = [
    later,
    edited[1],
    { ...edited[1], id: '00000000-0000-4000-8000-000000000000', input_payload: { n: 4 } },
  ];
  showWindow(call, `#/types/${id}/import`);
  const text = file.map((example) => JSON.stringify(example)).join('\n');
  fireEvent.change(await screen.findByLabelText('File'), { target: { files: [new File([text], 'back.jsonl')] } });
  await screen.findByText(/1 example changed here and in the file otherwise/);
  const button = () => screen.getByRole('button', { name: 'Merge 3 examples' });
  expect(button()).toHaveProperty('disabled', true);
  expect((await call('GET', url)).body.total).toBe(3);
  fireEvent.click(screen.getByLabelText('Take those of the file'));
  fireEvent.click(button());
  await screen.findByText(/1 added, 2 changed/);
  const { items, total } = (await call('GET', url)).body;
  expect(total).toBe(4);
  expect(items.find((example: { id: string }) => example.id === first.id).expected_decision).toBe('no');
});

it('merges an export of more than a call takes as a body [XPT-12]', async () => {
  const { call } = await openForTest();
  const id = await makeType(call);
  const url = `/api/v1/decision-types/${id}/examples`;
  await call('POST', url, { examples: [{ input: { text: 'long' }, decision: 'yes' }] });
  const text = (await call('GET', `${url}/export?format=csv`)).text.replace('long', 'long '.repeat(3_500_000));
  showWindow(call, `#/types/${id}/import`);
  fireEvent.change(await screen.findByLabelText('File'), { target: { files: [new File([text], 'back.csv')] } });
  fireEvent.click(await screen.findByRole('button', { name: 'Merge 1 example' }));
  await screen.findByText(/0 added, 1 changed/);
});
