import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { readMoment } from '../../src/renderer/parts/text/figures.ts';
import { prepareClaims } from './claims.ts';

const plain = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };

const { openPlace } = prepareClaims();
const region = (name: string) => screen.findByRole('region', { name });

describe('Try', () => {
  it('decides what the form holds, and again when a field changes', async () => {
    const { call, url } = await openPlace('try');
    const amount = await screen.findByLabelText('amount');
    const answer = await screen.findByTestId('decision');
    screen.getByLabelText('shop.country');
    fireEvent.change(amount, { target: { value: '9500' } });
    await waitFor(() => expect(answer.textContent).toBe('refuse'));
    await screen.findByText('Rule “too much” matched.');
    fireEvent.change(screen.getByLabelText('proof'), { target: { value: '95' } });
    fireEvent.change(amount, { target: { value: '500' } });
    await waitFor(() => expect(screen.getByTestId('decision').textContent).toBe('pay'));
    await screen.findByText(
      (_, element) =>
        element?.tagName === 'P' &&
        /^[\d.]+% sure, by the classifier: automated, as it is from [\d.]+% on\.$/.test(element.textContent ?? ''),
    );
    expect((await call('GET', `${url}/logs`)).body.total).toBe(0);
  });

  it('takes the cells of a file as they are where the type reads them, and says so where it does not [TRY-2]', async () => {
    await openPlace('try', { settings: { readings: { amount: { kind: 'number', decimal: ',' } } } });
    const amount = await screen.findByLabelText('amount');
    const answer = await screen.findByTestId('decision');
    fireEvent.change(amount, { target: { value: '9500,75' } });
    await waitFor(() => expect(answer.textContent).toBe('refuse'));
    fireEvent.change(amount, { target: { value: 'much' } });
    await screen.findByText(/Not read: .*decimal comma/);
    const proof = screen.getByLabelText('proof');
    fireEvent.change(proof, { target: { value: '9,5' } });
    await screen.findByText(/No number, such as 1234.5/);
    fireEvent.change(proof, { target: { value: '95' } });
    fireEvent.keyDown(proof, { key: 'ArrowUp' });
    expect(proof).toHaveProperty('value', '96');
    expect(screen.queryByText(/No number/)).toBeNull();
  });

  it('offers the values that a field repeats, most frequent first, and takes any other [TRY-1]', async () => {
    await openPlace('try');
    const country = await screen.findByRole('combobox', { name: 'shop.country' });
    fireEvent.change(country, { target: { value: '' } });
    fireEvent.focus(country);
    const names = async () => (await screen.findAllByRole('option', { hidden: true })).map((each) => each.textContent);
    expect((await names()).toSorted()).toEqual(['AT', 'CH', 'DE']);
    fireEvent.change(country, { target: { value: 'FR' } });
    expect(country).toHaveProperty('value', 'FR');
    await screen.findByText(/^[\d.]+% sure$/);
  });

  it('writes dates as the page does, takes them as programs send them, and takes what was asked for last [TRY-2]', async () => {
    await openPlace('try', { inputs: [{ ...plain, amount: 4_711, bought: '2026-03-09' }] });
    fireEvent.click(await screen.findByRole('button', { name: 'Take the last logged' }));
    const bought = await screen.findByLabelText('bought');
    expect(bought).toHaveProperty('value', readMoment('2026-03-09'));
    fireEvent.focus(bought);
    expect(bought).toHaveProperty('value', '2026-03-09');
    fireEvent.change(bought, { target: { value: '2026-03' } });
    screen.getByText(/^No date, such as 2026-03-31/);
    fireEvent.change(bought, { target: { value: '2026-03-10' } });
    fireEvent.blur(bought);
    expect(bought).toHaveProperty('value', readMoment('2026-03-10'));
    expect(screen.getByLabelText('amount')).toHaveProperty('value', '4711');
  });

  it('says where JSON is wrong, and keeps what was typed', async () => {
    await openPlace('try');
    fireEvent.click(await screen.findByRole('button', { name: 'Edit as JSON' }));
    const text = await screen.findByLabelText('Input (JSON)');
    fireEvent.change(text, { target: { value: '{"proof": 95,' } });
    expect(text.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(text, { target: { value: JSON.stringify(plain) } });
    expect(text.getAttribute('aria-invalid')).not.toBe('true');
    fireEvent.click(screen.getByRole('button', { name: 'Edit as form' }));
    expect(await screen.findByLabelText('proof')).toHaveProperty('value', '95');
    fireEvent.click(screen.getByRole('button', { name: 'Take another example' }));
    await waitFor(() => expect(screen.getByLabelText('proof')).not.toHaveProperty('value', '95'));
  });

  it('explains the decision from the start', async () => {
    await openPlace('try');
    await region('What would change it');
    fireEvent.click(screen.getByRole('button', { name: 'Hide' }));
    await screen.findByText(/the examples most like it/);
  });

  const save = async (name: string) => {
    await screen.findByTestId('decision');
    fireEvent.click(screen.getByRole('button', { name: 'Save…' }));
    fireEvent.click(await screen.findByRole('menuitem', { name }));
  };

  it('saves the input as an example, and takes it back', async () => {
    const { call, url } = await openPlace('try');
    const total = async () => (await call('GET', `${url}/examples`)).body.total;
    const before = await total();
    await save('Save as an example to label');
    await screen.findByText('Saved as an example without a label.');
    expect(await total()).toBe(before + 1);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await total()).toBe(before));
  });

  it('decides the input as for a program, which leaves a record', async () => {
    const { call, url } = await openPlace('try');
    await save('Decide and record it, as for a program');
    await screen.findByText('Decided and recorded; Monitor shows it.');
    expect((await call('GET', `${url}/logs`)).body.total).toBe(1);
  });
});
