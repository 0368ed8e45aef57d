import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { App } from '../../src/renderer/app.tsx';
import { type Call, makeType, openForTest } from '../server/workbench.ts';
import { closePage, openPage, showWindow } from './page.tsx';

afterEach(() => {
  closePage();
  vi.restoreAllMocks();
});

const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });

describe('the first page', () => {
  it('opens the sample project, which waits for its labels', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/');
    await screen.findByRole('heading', { name: 'Welcome' });
    screen.getByRole('heading', { name: 'Drop a spreadsheet here' });
    await screen.findByText(/examples with rules, ready to be trained in a few seconds/);
    fireEvent.click(screen.getByRole('button', { name: 'Open sample project' }));
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/types\/[^/]+\/examples/));
    await screen.findByLabelText('The example to label');
    const [type] = (await call('GET', '/api/v1/decision-types')).body.items;
    await waitFor(() => expect(document.title).toBe(`Examples · ${type.name} · Decision Workbench`));
  });

  it('makes a decision type from a question and its answers', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/');
    fireEvent.click(await screen.findByRole('button', { name: 'New decision type' }));
    const dialog = await screen.findByRole('dialog', { name: 'New decision type' });
    const enter = (label: string, value: string) =>
      fireEvent.change(within(dialog).getByLabelText(label), { target: { value } });
    const create = within(dialog).getByRole('button', { name: 'Create' });
    enter('Name', 'refund');
    expect(create).toHaveProperty('disabled', true);
    enter('Option 1', 'pay');
    enter('Option 2', 'refuse');
    fireEvent.click(create);
    await waitFor(() => expect(window.location.hash).toMatch(/\/import$/));
    expect((await call('GET', '/api/v1/decision-types')).body.items).toMatchObject([
      { name: 'refund', active_version: { options: ['pay', 'refuse'] } },
    ]);
  });
});

describe('the frame', () => {
  it('says at the name of a new type that another looks the same', async () => {
    const { call } = await openForTest();
    await makeType(call, { name: 'refund' });
    showWindow(call, '#/');
    fireEvent.click(await screen.findByRole('button', { name: 'New decision type' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'New decision type' }));
    // The “e” is Cyrillic.
    fireEvent.change(dialog.getByLabelText('Name'), { target: { value: 'r\u0435fund' } });
    await dialog.findByText(/looks the same: take another name$/);
  });

  it('tells types apart by a few letters where it is narrow, also names that begin and end alike', async () => {
    const { call } = await openForTest();
    for (const name of ['kredit-2023', 'kredit-2024', 'Kunden 2', 'kündigung 2', 'refunds'])
      await makeType(call, { name });
    showWindow(call, '#/');
    const rail = await screen.findByRole('navigation', { name: 'Workbench' });
    await within(rail).findByRole('link', { name: /refunds/ });
    const shown = Array.from(rail.querySelectorAll('.only-narrow'), ({ textContent }) => textContent);
    expect(shown.toSorted()).toEqual(['k23', 'k24', 'ku2', 'kü2', 're']);
  });

  it('leads from the rows to each place by two keys, and names where one is', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: [{ input: { amount: 2 } }] });
    showWindow(call, `#/types/${id}/examples`);
    const card = await screen.findByLabelText('The example to label');
    await waitFor(() => expect(document.activeElement).toBe(card));
    press('g');
    press('h');
    await screen.findByRole('heading', { name: 'Decision types', level: 1 });
    within(screen.getByRole('main')).getByText('not trained');
    fireEvent.click(within(screen.getByRole('main')).getByRole('link', { name: 'triage' }));
    await screen.findByLabelText('The example to label');
    press('g');
    press('t');
    await screen.findByText('Nothing has been trained yet');
    within(screen.getByRole('navigation', { name: 'Where I am' })).getByText('Train');
  });

  it('says what was done in the status line, with what takes the act back [FST-4]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: [{ input: { amount: 2 } }] });
    showWindow(call, `#/types/${id}/examples?view=card`);
    const card = await screen.findByLabelText('The example to label');
    await waitFor(() => expect(document.activeElement).toBe(card));
    press('Delete');
    const notice = await screen.findByText('The example was deleted.');
    expect(notice.closest('footer')?.className).toBe('status');
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await call('GET', `/api/v1/decision-types/${id}/examples`)).body.total).toBe(1));
  });

  it('lists the keys of the place', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: [{ input: { amount: 2 } }] });
    showWindow(call, `#/types/${id}/examples`);
    const card = await screen.findByLabelText('The example to label');
    await waitFor(() => expect(document.activeElement).toBe(card));
    press('?', { shiftKey: true });
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    within(dialog).getByText('Search commands');
  });

  it('gives a command of a place other keys, which work at once', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, {
      rules: [{ name: 'large', condition: 'ctx.amount > 1', then: 'no', priority: 1 }],
      fallback_option: 'yes',
    });
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: [{ input: { amount: 2 } }] });
    const { workbench } = showWindow(call, `#/types/${id}/examples`);
    await screen.findByText(/in this queue/);
    press('?', { shiftKey: true });
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    const [first] = within(dialog).getAllByRole('row');
    expect(first?.textContent).toBe('Label');
    expect(within(dialog).queryByText('none')).toBeNull();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Change keys' }));
    const change = within(dialog).getByRole('button', { name: /^Change the keys of Flag/ });
    fireEvent.click(change);
    fireEvent.keyDown(change, { key: 'w', altKey: true });
    expect(Object.values(workbench.settings.store.getState().keys)).toEqual(['Alt+w']);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    press('w', { altKey: true });
    await waitFor(async () =>
      expect((await call('GET', `/api/v1/decision-types/${id}/examples?status=flagged`)).body.total).toBe(1),
    );
  });

  it('finds one of many types by a part of its name', async () => {
    const { call } = await openForTest();
    for (let number = 1; number <= 8; number++) await makeType(call, { name: `type-${number}` });
    showWindow(call, '#/');
    const rail = await screen.findByRole('navigation', { name: 'Workbench' });
    const box = await within(rail).findByLabelText('Search decision types');
    fireEvent.change(box, { target: { value: '-7' } });
    within(rail).getByText('type-7');
    expect(within(rail).queryByText('type-1')).toBeNull();
  });

  it('deletes a type when asked twice, which it leaves before, and brings it back', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const shownAtDeletion: (HTMLElement | null)[] = [];
    const watched: Call = (method, ...rest) => {
      if (method === 'DELETE') shownAtDeletion.push(screen.queryByLabelText('Name'));
      return call(method, ...rest);
    };
    const { workbench } = showWindow(watched, `#/types/${id}/define`);
    await screen.findByLabelText('Name');
    const ask = vi.spyOn(window, 'confirm').mockReturnValue(false);
    const run = () =>
      [...workbench.commands.getState().byOwner.values()]
        .flat()
        .find((command) => command.id === 'delete-type')
        ?.run();
    run();
    expect((await call('GET', '/api/v1/decision-types')).body.total).toBe(1);
    ask.mockReturnValue(true);
    run();
    await screen.findByText('triage is deleted. For two days it can be brought back.');
    expect((await call('GET', '/api/v1/decision-types')).body.total).toBe(0);
    expect(shownAtDeletion).toEqual([null]);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await call('GET', '/api/v1/decision-types')).body.total).toBe(1));
  });

  it('says what an address means that names nothing, and what a type is that is gone', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/nowhere');
    fireEvent.click(await screen.findByRole('button', { name: 'Go to the start' }));
    await screen.findByRole('heading', { name: 'Welcome' });
    window.location.hash = '#/types/018f0000-0000-7000-8000-000000000001/define';
    await screen.findByText(/There is no decision type|was not found|does not exist/);
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const { call } = await openForTest();
    let isAway = false;
    const id = await makeType(call);
    const { workbench } = showWindow(
      (...input) => (isAway ? Promise.reject(new Error('away')) : call(...input)),
      `#/types/${id}/examples`,
    );
    await screen.findByText('No examples yet');
    isAway = true;
    void workbench.queries.invalidateQueries();
    await screen.findByText(/The workbench is not answering. Nothing is lost/);
    isAway = false;
    await waitFor(() => expect(screen.queryByText(/The workbench is not answering/)).toBeNull());
  });

  it('takes a file that is dropped anywhere to the import', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/');
    await screen.findByRole('heading', { name: 'Welcome' });
    const dataTransfer = { types: ['Files'], files: [new File(['text;label\nbroken;yes\nlate;no\n'], 'cups.csv')] };
    fireEvent.dragOver(document.body, { dataTransfer });
    screen.getByText('Let go to import this file.');
    fireEvent.drop(document.body, { dataTransfer });
    await screen.findByText(/cups\.csv · 2 rows/);
    expect(window.location.hash).toBe('#/new');
  });
});

describe('the door', () => {
  it('asks for a token, opens with it, and closes when the server refuses it', async () => {
    const { app, token } = await openForTest();
    const workbench = openPage(async (url, init) => {
      // Its stream of events would go on for ever.
      if (url.includes('/events')) throw new Error('no stream');
      const headers = { host: '127.0.0.1', ...(init.headers as Record<string, string>) };
      const answer = await app.inject({ method: 'GET', url, headers });
      return new Response(answer.body, { status: answer.statusCode });
    });
    workbench.session.close(null);
    render(<App workbench={workbench} />);
    const open = (text: string) => {
      fireEvent.change(screen.getByLabelText('Session token'), { target: { value: text } });
      fireEvent.click(screen.getByRole('button', { name: 'Open the workbench' }));
    };
    open('wrong');
    await screen.findByText('The session has ended or the token is not valid here.');
    open(` ${token} `);
    await screen.findByRole('heading', { name: 'Welcome' });
  });
});
