import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { prepareClaims } from '../claims.ts';

const { openPlace } = prepareClaims();

async function openCosts(settings: object) {
  const { call, url } = await openPlace('evaluate', { settings });
  const read = async () => (await call('GET', url)).body;
  return { read, panel: within(await screen.findByRole('region', { name: 'Costs' })) };
}

describe('Costs under Evaluate', () => {
  it('are nothing until they are set, and then weigh errors against looks [CST-5]', async () => {
    const { panel, read } = await openCosts({ costs: null });
    expect(panel.queryByText(/all by hand/)).toBeNull();
    fireEvent.click(panel.getByRole('button', { name: 'Set costs…' }));
    fireEvent.change(panel.getByLabelText('Manual review'), { target: { value: '3' } });
    fireEvent.change(panel.getByLabelText('Cost where refuse is right and pay is decided'), { target: { value: '6' } });
    fireEvent.click(panel.getByRole('button', { name: 'Save costs' }));
    await panel.findByText('3,000 all by hand');
    const pairs = [{ right: 'refuse', decided: 'pay', cost: 6 }];
    expect((await read()).costs).toEqual({ currency: null, look: 3, wrong: null, pairs });
  });

  it('lead to the thresholds of least cost by one button, and back by Undo [CST-5]', async () => {
    const strict = { auto_decide: 1, escalation: 0.5, by_option: { pay: 1 } };
    const { panel, read } = await openCosts({ costs: { look: 3, wrong: 4 }, confidence_thresholds: strict });
    fireEvent.click(await panel.findByRole('button', { name: 'Take these thresholds' }));
    await panel.findByRole('button', { name: 'In the draft' });
    expect((await read()).draft.settings.confidence_thresholds.auto_decide).toBeLessThan(1);
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await read()).draft).toBe(null));
    expect((await read()).active_version.confidence_thresholds).toEqual(strict);
  });
});
