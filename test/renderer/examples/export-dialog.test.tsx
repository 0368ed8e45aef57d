/** Examples exported from the page: those that are shown, all or those of a policy, in the format that is chosen. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { deployForAll, loanExamples, loanType, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

const trained = deployForAll(loanType, loanExamples(40));

describe('the export of examples', () => {
  it('saves what a policy was trained and tested on, and says what was changed since [XPT-14]', async () => {
    const bench = await openForTest({ dataDir: trained.copy() });
    const { body } = await bench.call('GET', '/api/v1/decision-types');
    const id: string = body.items[0].id;
    const url = `/api/v1/decision-types/${id}/examples`;
    const example = (await bench.call('GET', `${url}?decision=approve&page_size=1`)).body.items[0];
    await bench.call('PATCH', `${url}/${example.id}`, { expected_decision: 'decline' });
    const saved: Blob[] = [];
    const made = { createObjectURL: (blob: Blob) => `blob:${saved.push(blob)}`, revokeObjectURL: () => undefined };
    Object.assign(URL, made);
    showWindow(bench.call, `#/types/${id}/examples`);
    fireEvent.click(await screen.findByRole('button', { name: 'Export…' }));
    fireEvent.click(await screen.findByLabelText('What a policy was trained and tested on'));
    await screen.findByText(/Policy v1 was trained from 80 examples. Changed since: 1,/);
    expect((await screen.findByLabelText('Policy')).textContent).toBe('v1 (decides)');
    fireEvent.click(await screen.findByRole('button', { name: 'Export 80 examples' }));
    await screen.findByText(/80 examples are in loan-examples/);
    const row = (await saved.at(-1)?.text())?.split('\n').find((line) => line.startsWith(example.id));
    expect(row).toContain(',approve,');
  });

  it('saves what is shown or all, with personal values only when they are asked for [XPT-7]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, { pii_fields: ['name'] });
    const examples = Array.from({ length: 5 }, (_, n) => ({
      input: { n, name: 'Ada' },
      decision: n < 1 ? 'yes' : null,
    }));
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    const saved: Blob[] = [];
    const made = { createObjectURL: (blob: Blob) => `blob:${saved.push(blob)}`, revokeObjectURL: () => undefined };
    Object.assign(URL, made);
    showWindow(call, `#/types/${id}/examples?view=table&queue=option:yes`);
    const save = async (button: string, said: string) => {
      fireEvent.click(await screen.findByRole('button', { name: button }));
      await screen.findByText(new RegExp(`^${said} in triage-examples`));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      return (await saved.at(-1)?.text())?.trim().split('\n') ?? [];
    };

    fireEvent.click(await screen.findByRole('button', { name: 'Export…' }));
    await screen.findByLabelText('Those that are shown (1)');
    const shown = await save('Export 1 example', '1 example is');
    expect([shown.length, shown[1]?.includes('Ada')]).toEqual([2, false]);

    fireEvent.click(await screen.findByRole('button', { name: 'Export…' }));
    fireEvent.click(await screen.findByLabelText('All examples (5)'));
    fireEvent.click(await screen.findByLabelText('With the values of personal fields'));
    fireEvent.change(await screen.findByLabelText('Format'), { target: { value: 'jsonl' } });
    const all = await save('Export 5 examples', '5 examples are');
    expect(all.map((line) => JSON.parse(line).input_payload.name)).toEqual(Array.from({ length: 5 }, () => 'Ada'));
  });
});
