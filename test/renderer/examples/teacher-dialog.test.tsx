/** Labels from a connected model, asked for on the page: measured and priced first. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { type Behaviour, says, startStub } from '../../server/teacher-stub.ts';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

const labelOf = (message: string) => (message.includes('parcel') ? 'late' : 'paid');

/** Labels each case of a question by its message, for 420 tokens. */
const labelsCases: Behaviour = (asked, response) => {
  const [, json = '{}'] = /<data>(.*)<\/data>/s.exec(asked.body.messages[1]?.content ?? '') ?? [];
  const { cases } = JSON.parse(json) as { cases: { index: number; input: { message: string } }[] };
  says({ labels: cases.map(({ index, input }) => ({ index, decision: labelOf(input.message) })) }, 420)(
    asked,
    response,
  );
};

async function open() {
  const { call } = await openForTest();
  const stub = await startStub(labelsCases);
  const id = await makeType(call, { options: ['late', 'paid'] });
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = Array.from({ length: 60 }, (_, n) => {
    const message = n % 2 === 0 ? `The parcel ${n} is late` : `The card was charged ${n} times`;
    return { input: { message }, decision: n < 40 ? labelOf(message) : null };
  });
  await call('POST', url, { examples });
  const ask = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Add…' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Label 200 with a connected model…' }));
  };
  return { call, stub, url, ask, show: () => showWindow(call, `#/types/${id}/examples?view=table&queue=all`) };
}

describe('labelling with a connected model', () => {
  it('says where a model is connected while there is none [TCH-4]', async () => {
    const { ask, show } = await open();
    show();
    await ask();
    const way = await screen.findByRole('link', { name: 'Settings, Model connections' });
    expect(way.getAttribute('href')).toBe('#/settings/connections');
  });

  it('shows its agreement and the price before it labels, and where its labels are reviewed [TCH-4]', async () => {
    const { call, stub, url, ask, show } = await open();
    await call('POST', '/api/v1/connections', { name: 'my model', url: stub.url, model: 'small-1' });
    show();
    await ask();
    fireEvent.click(await screen.findByRole('button', { name: 'Measure it first' }));
    await screen.findByText(/The teacher agrees with 20 of 20 labels: 83.9 to 100%/);
    // Two questions about ten examples each, of 420 tokens, at a credit per started hundred.
    await screen.findByText(/Measuring took 840 tokens and 10 credits\. 20 examples more would take about 840 tokens/);
    expect((await call('GET', `${url}/stats`)).body.labelled).toBe(40);
    fireEvent.click(screen.getByRole('button', { name: 'Label 20' }));
    await screen.findByText(/It labelled 20 examples; they wait for a review/);
    // It was measured already.
    expect(stub.asked).toHaveLength(4);
    const items = (await call('GET', `${url}?labelled_by=teacher&page_size=100`)).body.items;
    expect(items.map(({ reviewed }: { reviewed: boolean }) => reviewed)).toEqual(Array(20).fill(false));
    fireEvent.click(screen.getByRole('button', { name: 'Review its labels' }));
    await waitFor(() => expect(window.location.hash).toContain('queue=synthetic'));
  });
});
