import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

const rule = (name: string, condition: string, priority: number) => ({
  name,
  condition,
  ...{ then: 'no', reason_code: null, priority },
});

async function openPlace(place: string, rules: readonly object[], definition: object = {}) {
  const { call } = await openForTest();
  const id = await makeType(call, { rules, ...definition });
  const url = `/api/v1/decision-types/${id}`;
  const examples = [50, 150, 250].map((amount) => ({ input: { amount }, decision: amount > 100 ? 'no' : 'yes' }));
  await call('POST', `${url}/examples`, { examples });
  showWindow(call, `#/types/${id}/${place}`);
  return { call, url };
}
const storedRules = async ({ call, url }: Awaited<ReturnType<typeof openPlace>>) =>
  (await call('GET', url)).body.active_version.hard_rules;

describe('Rules', () => {
  it('tries the rules on an input while they are changed', async () => {
    await openPlace('rules', [rule('large', 'ctx.amount > 100', 1)]);
    fireEvent.click(await screen.findByRole('button', { name: 'Test…' }));
    const test = await screen.findByRole('region', { name: 'Test' });
    const input = await within(test).findByRole('textbox');
    fireEvent.change(input, { target: { value: '{"amount": 120}' } });
    await waitFor(() => expect(test.textContent).toContain('ctx.amount = 120'));
    fireEvent.change(input, { target: { value: '{"amount": ' } });
    await waitFor(() => expect(test.textContent).not.toContain('ctx.amount = 120'));
  });

  it('says what the rules would do with the examples', async () => {
    await openPlace('rules', [rule('large', 'ctx.amount > 100', 1)]);
    const effect = await screen.findByRole('table', { name: 'Effect of each rule' });
    expect([...effect.querySelectorAll('td')].map((cell) => cell.textContent).slice(0, 3)).toEqual([
      'large',
      '2',
      '2 (100.0%)',
    ]);
  });

  it('moves a rule, takes one out, and saves what is left', async () => {
    const place = await openPlace('rules', [rule('large', 'ctx.amount > 100', 1), rule('huge', 'ctx.amount > 200', 2)]);
    await screen.findByRole('grid', { name: 'Rules' });
    fireEvent.keyDown(document.body, { key: 'ArrowDown', altKey: true });
    fireEvent.click(await screen.findByText('Save changes'));
    await waitFor(async () => {
      const priorities = Object.fromEntries(
        (await storedRules(place)).map(({ name, priority }: { name: string; priority: number }) => [name, priority]),
      );
      expect(priorities.huge).toBeLessThan(priorities.large);
    });
  });
});

describe('what is added', () => {
  it('has the focus in its first field: an option under Define, a rule in the sheet', async () => {
    await openPlace('define', [rule('large', 'ctx.amount > 100', 1)]);
    fireEvent.click(await screen.findByRole('button', { name: 'Add option' }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Option 3')));
    fireEvent.click(screen.getByRole('link', { name: /^Rules/ }));
    fireEvent.click(await screen.findByRole('button', { name: 'New rule' }));
    const name = await screen.findByRole('combobox', { name: 'Rule of a new rule' });
    await waitFor(() => expect(document.activeElement).toBe(name));
  });
});

describe('the colours of options', () => {
  it('are the same in every place, also of one that is not saved yet', async () => {
    await openPlace('define', [{ ...rule('large', 'ctx.amount > 100', 1), then: 'yes' }]);
    const item = async (place: number) =>
      (await screen.findByLabelText(`Option ${place}`)).parentElement?.querySelector('svg')?.getAttribute('fill');
    await screen.findByLabelText('Option 1');
    const [yes, no] = [await item(1), await item(2)];
    fireEvent.click(screen.getByRole('button', { name: 'Add option' }));
    fireEvent.change(await screen.findByLabelText('Option 3'), { target: { value: 'later' } });
    const later = await item(3);
    expect(new Set([yes, no, later]).size).toBe(3);
    fireEvent.click(screen.getByRole('link', { name: /^Rules/ }));
    const grid = await screen.findByRole('grid', { name: 'Rules' });
    fireEvent.doubleClick(within(grid).getByText('yes'));
    const then = await screen.findByRole('combobox', { name: 'Then of large' });
    fireEvent.change(then, { target: { value: 'later' } });
    fireEvent.keyDown(then, { key: 'Enter' });
    await waitFor(() => expect(grid.querySelector('.option svg')?.getAttribute('fill')).toBe(later));
    fireEvent.click(screen.getByText('Save changes'));
    fireEvent.click(screen.getByRole('link', { name: /^Examples/ }));
    await waitFor(() => {
      const queue = screen.getByTitle('later');
      expect(queue.querySelector('svg')?.getAttribute('fill')).toBe(later);
      expect(queue.parentElement?.querySelector<HTMLElement>('.meter > span')?.style.background).toBe(later);
    });
  });
});

describe('a policy of rules alone', () => {
  const large = rule('large', 'ctx.amount > 100', 1);
  const make = () => screen.findByRole('button', { name: 'Make a policy of rules alone' });

  it('waits until the rest has somewhere to go', async () => {
    await openPlace('train', [large]);
    await screen.findByText(/Choose a fallback option under Define first/);
    expect(await make()).toHaveProperty('disabled', true);
  });

  it('is made and deployed without a training', async () => {
    const { call, url } = await openPlace('train', [large], { fallback_option: 'yes' });
    await screen.findByText(/What no rule decides goes to “yes”/);
    fireEvent.click(await make());
    await screen.findByText('This policy decides by rules alone.');
    fireEvent.click(await screen.findByRole('button', { name: 'Deploy it' }));
    const deploy = within(await screen.findByRole('region', { name: 'Deploy' }));
    fireEvent.click(await deploy.findByRole('button', { name: 'Deploy v1' }));
    await waitFor(async () => expect((await call('GET', `${url}/policies`)).body[0].status).toBe('deployed'));
  });
});

describe('versions', () => {
  it('show what each changed, and are taken up again as a draft', async () => {
    const { call, url } = await openPlace('define', []);
    await call('PUT', url, { reason_codes: ['LATE'] });
    fireEvent.click(await screen.findByRole('radio', { name: 'Versions' }));
    fireEvent.click(await screen.findByRole('button', { name: 'What it changed' }));
    await screen.findByText('Reason codes', { selector: 'dt' });
    screen.getByText(/LATE/, { selector: 'ins' });
  });
});
