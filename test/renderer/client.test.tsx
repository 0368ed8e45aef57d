import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { WorkbenchBridge } from '../../src/preload/bridge.ts';
import { createSession, signInByLinks, startSession } from '../../src/renderer/api/session.ts';
import { Login } from '../../src/renderer/features/start/login.tsx';
import { ApiError, createClient, describeDetail } from '../../src/server/contract/client.ts';

type Sent = { url: string; init: RequestInit };

function clientThatGets(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = [];
  let refusals = 0;
  const client = createClient({
    baseUrl: 'http://workbench',
    fetch: async (url, init) => {
      sent.push({ url, init });
      return answer();
    },
    token: () => 'abc',
    newRequestId: () => 'window-1 7',
    onUnauthorized: () => refusals++,
  });
  return { client, sent, refusals: () => refusals };
}

import { openForTest } from '../server/workbench.ts';
import { closePage, fetchFrom, openPage, show } from './page.tsx';

describe('the typed client', () => {
  it('fills path, query and body from the operation table and signs the call', async () => {
    const { client, sent } = clientThatGets(() =>
      Response.json({ items: [], total: 0, page: 2, page_size: 20, pages: 0 }),
    );
    const params = { decision_type_id: '0e9b2ce5-4a55-4ec4-9a5f-6b2a1ad2f6cb' };
    const page = await client.call('examples.list', { params, query: { page: 2, reviewed: false } });
    expect(page.page).toBe(2);
    expect(sent[0]?.url).toBe(
      `http://workbench/api/v1/decision-types/${params.decision_type_id}/examples?page=2&reviewed=false`,
    );
    expect(sent[0]?.init).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer abc', 'x-request-id': 'window-1 7' },
    });
  });

  it('turns a refusal into an error with code, message and places', async () => {
    const details = [{ type: 'missing', loc: ['body', 'options', 0], msg: 'is empty' }];
    const { client } = clientThatGets(() =>
      Response.json({ error: { code: 'validation_error', message: 'Not valid', details } }, { status: 422 }),
    );
    const refusal = await client.call('decision_types.list', { query: {} }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ code: 'validation_error', status: 422, message: 'Not valid' });
    expect(describeDetail(details[0])).toBe('options › 0: is empty');
  });

  it('tells the session when it has ended, and says so when no server answers', async () => {
    const ended = clientThatGets(() =>
      Response.json({ error: { code: 'unauthorized', message: 'No' } }, { status: 401 }),
    );
    await expect(ended.client.call('samples.list', {})).rejects.toMatchObject({ code: 'unauthorized' });
    expect(ended.refusals()).toBe(1);
    const gone = clientThatGets(() => Promise.reject(new TypeError('failed')));
    await expect(gone.client.call('samples.list', {})).rejects.toMatchObject({ code: 'unreachable', status: 0 });
  });
});

describe('opening the workbench', () => {
  const place = (hash: string) => ({ bridge: undefined, hash, clearHash: () => undefined });

  it('exchanges the one-time code of the address and keeps the token for all tabs of the browser', async () => {
    window.localStorage.clear();
    const session = createSession(window.localStorage);
    await startSession(session, place('#login=C0DE'), async (code) => `token for ${code}`);
    expect(session.token()).toBe('token for C0DE');
    const again = createSession(window.localStorage);
    await startSession(again, place('#/'), () => Promise.reject(new Error('not asked')));
    expect(again.token()).toBe('token for C0DE');
  });

  it('signs in by a login link that is opened in the tab that asks for one, without a reload', async () => {
    window.localStorage.clear();
    window.location.hash = '';
    const session = createSession(window.localStorage);
    await signInByLinks(() => startSession(session, place(window.location.hash), async (code) => `token for ${code}`));
    expect(session.store.getState().status).toBe('closed');
    window.location.hash = '#login=C0DE';
    await vi.waitFor(() => expect(session.token()).toBe('token for C0DE'));
    window.location.hash = '';
  });

  it('takes a login link in place of a token, too', async () => {
    const { call } = await openForTest();
    const workbench = openPage(fetchFrom(call));
    workbench.session.close(null);
    show(<Login />, workbench);
    fireEvent.change(await screen.findByLabelText('Session token'), {
      target: { value: 'http://127.0.0.1:8737/app/#login=C0DE' },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Open the workbench' }));
    expect(window.location.hash).toBe('#login=C0DE');
    expect(workbench.session.token()).toBeNull();
    closePage();
  });

  it('goes on with the login of another tab when its own session ends, and ends with it', () => {
    window.localStorage.clear();
    const [first, second] = [createSession(window.localStorage), createSession(window.localStorage)];
    first.open('old');
    second.follow('old');
    second.close('The session has ended.');
    second.open('new');
    // The answer to what the first tab had sent with the old token comes late.
    first.close('The session has ended.');
    expect(first.store.getState()).toMatchObject({ token: 'new', status: 'open' });
    second.close('The session has ended.');
    first.follow(null);
    expect(first.store.getState().status).toBe('closed');
  });

  it('takes the token of the desktop window before anything else', async () => {
    window.localStorage.clear();
    const session = createSession(window.localStorage);
    const bridge: WorkbenchBridge = {
      sessionToken: () => Promise.resolve('token of the window'),
      setUnsavedDrafts: () => undefined,
      onCommand: () => () => undefined,
    };
    await startSession(session, { ...place('#login=C0DE'), bridge }, () => Promise.reject(new Error('not asked')));
    expect(session.token()).toBe('token of the window');
  });

  it('explains a code that was used already', async () => {
    window.localStorage.clear();
    const session = createSession(window.localStorage);
    await startSession(session, place('#login=OLD'), () => Promise.reject(new Error('The code was used.')));
    expect(session.store.getState()).toEqual({ token: null, status: 'closed', problem: 'The code was used.' });
  });
});
