import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { prepareClaims } from '../claims.ts';

const { openPlace } = prepareClaims();

async function openCosts(settings: object) {
  const { call, url } = await openPlace('evaluate', { settings });
  const read = async () => (await call('GET', url)).body;
  return { read, panel: within(await screen.findByRole('region', { name: 'How much to automate' })) };
}

describe('Costs under Evaluate', () => {
  it('are nothing until they are set, and then weigh errors against looks [CST-5]', async () => {
    const { panel, read } = await openCosts({ costs: null });
    expect(panel.queryByText(/all by hand/)).toBeNull();
    fireEvent.click(panel.getByRole('button', { name: 'Set costs…' }));
    fireEvent.change(panel.getByLabelText('Manual review'), { target: { value: '3' } });
    fireEvent.change(panel.getByLabelText('Cost where refuse is right and pay is decided'), { target: { value: '6' } });
    fireEvent.click(panel.getByRole('button', { name: 'Save costs' }));
    await panel.findByText(/3,000 all by hand$/);
    const pairs = [{ right: 'refuse', decided: 'pay', cost: 6 }];
    expect((await read()).costs).toEqual({ currency: null, look: 3, wrong: null, pairs });
  });

  it('are saved over nothing that somebody else has changed: theirs are taken, or mine are kept [DRA-7]', async () => {
    const { call, url } = await openPlace('evaluate', { settings: { costs: { look: 1, wrong: 2 } } });
    const panel = within(await screen.findByRole('region', { name: 'How much to automate' }));
    const look = async () => (await call('GET', url)).body.costs.look;
    const save = async (value: string, theirs: object) => {
      fireEvent.click(await panel.findByRole('button', { name: 'Change costs…' }));
      fireEvent.change(panel.getByLabelText('Manual review'), { target: { value } });
      await call('PUT', url, theirs);
      fireEvent.click(panel.getByRole('button', { name: 'Save costs' }));
    };
    await save('3', { costs: { look: 9, wrong: 2 } });
    await panel.findByText(
      /^Somebody has changed the decision type since you read it, at \d{4}-.* Nothing was changed:/,
    );
    expect(await look()).toBe(9);
    fireEvent.click(panel.getByRole('button', { name: 'Take theirs' }));
    await waitFor(() => expect(panel.queryByText(/Nothing was changed/)).toBeNull());
    await panel.findByText(/9,000 all by hand$/);

    await save('3', { fallback_option: 'refuse', draft: true });
    await panel.findByText(/^Owner has changed the decision type since you read it/);
    expect(await look()).toBe(9);
    fireEvent.click(panel.getByRole('button', { name: 'Keep mine' }));
    await panel.findByText(/3,000 all by hand$/);
    const now = (await call('GET', url)).body;
    expect([now.costs.look, now.draft.settings]).toEqual([3, { fallback_option: 'refuse' }]);
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await look()).toBe(9));
  });

  it('are saved between two steps of the thresholds, by one person: nobody else has changed anything [DRA-7]', async () => {
    const { panel, read } = await openCosts({ costs: { look: 1, wrong: 2 } });
    const handle = await screen.findByRole('slider', { name: 'Decide directly from' });
    fireEvent.keyDown(handle, { key: 'ArrowRight' });
    const keep = await screen.findByRole('button', { name: 'Keep as draft' });
    for (const value of ['3', '4']) {
      fireEvent.click(await panel.findByRole('button', { name: 'Change costs…' }));
      fireEvent.change(panel.getByLabelText('Manual review'), { target: { value } });
      fireEvent.click(panel.getByRole('button', { name: 'Save costs' }));
      await panel.findByText(new RegExp(`${value},000 all by hand$`));
    }
    // Its notice is the last thing that this window says; it stands for seconds alone.
    const said = screen.findByText(/^In the draft: The classifier decides alone/);
    // A busy button takes no press.
    await waitFor(() => expect(keep.hasAttribute('data-loading')).toBe(false));
    fireEvent.click(keep);
    await said;
    await waitFor(async () => expect((await read()).draft?.settings).toHaveProperty('confidence_thresholds'));
    expect(screen.queryByRole('button', { name: 'Keep mine' })).toBeNull();
  });

  it('lead to the thresholds of least cost by one button, and back by Undo [CST-5]', async () => {
    const strict = { auto_decide: 1, escalation: 0.5, by_option: { pay: 1 } };
    const { panel, read } = await openCosts({ costs: { look: 3, wrong: 4 }, confidence_thresholds: strict });
    fireEvent.click(await panel.findByRole('button', { name: 'Take the cheapest' }));
    await panel.findByText('In the draft');
    expect((await read()).draft.settings.confidence_thresholds.auto_decide).toBeLessThan(1);
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await read()).draft).toBe(null));
    expect((await read()).active_version.confidence_thresholds).toEqual(strict);
  });
});
