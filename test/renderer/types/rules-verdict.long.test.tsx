/** What a rule that is being changed would do to the whole decision, said in the sheet. */
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { prepareClaims } from '../claims.ts';

const { openPlace } = prepareClaims();

describe('the sheet of rules', () => {
  it('says in one line whether the whole decision gets better or worse, before anything is saved [RSH-7]', async () => {
    const { call, url, policyUrl } = await openPlace('rules');
    const grid = await screen.findByRole('grid', { name: 'Rules' });
    await screen.findByRole('columnheader', { name: 'amount' });
    fireEvent.doubleClick(within(grid).getByText('> 9000'));
    const cell = await within(grid).findByLabelText('amount of too much');
    fireEvent.change(cell, { target: { value: '> 0' } });
    fireEvent.keyDown(cell, { key: 'Enter' });
    const saved = (await call('GET', url)).body.active_version.hard_rules;
    const rules = [{ ...saved[0], condition: 'ctx.amount > 0' }];
    const effect = (await call('POST', `${policyUrl}/rules-effect`, { rules })).body;
    expect(effect.verdict).not.toBe('unchanged');
    await screen.findByText(effect.sentence);
    expect((await call('GET', url)).body.active_version.hard_rules).toEqual(saved);
  });
});
