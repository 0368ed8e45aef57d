import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionsCard } from '../../src/renderer/pages/connections-card.tsx';
import { createWorkbench, WorkbenchContext } from '../../src/renderer/workbench.tsx';
import { says, startStub } from '../server/teacher-stub.ts';
import { type Call, openForTest } from '../server/workbench.ts';

afterEach(cleanup);

/** Shows the card over a real server, called without a socket. */
function showCard(call: Call) {
  const workbench = createWorkbench({
    baseUrl: '',
    storage: window.sessionStorage,
    fetch: async (url, init) => {
      const body = typeof init.body === 'string' ? init.body : undefined;
      const answer = await call(init.method as 'GET', url, body);
      return new Response(answer.status === 204 ? null : answer.text, { status: answer.status });
    },
  });
  render(
    <QueryClientProvider client={workbench.queries}>
      <WorkbenchContext.Provider value={workbench}>
        <ConnectionsCard />
      </WorkbenchContext.Provider>
    </QueryClientProvider>,
  );
}
const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

describe('the teacher model of an organisation', () => {
  it('is connected, tried out and removed on one card, which never shows its key', async () => {
    const { call } = await openForTest();
    const stub = await startStub(says('{"answer": 5}'));
    showCard(call);
    enter('Name of the connection', 'here');
    enter('Address', stub.url);
    enter('Model', 'small-1');
    enter('API key, where the model asks for one', 'sk-canary');
    fireEvent.click(screen.getByText('Connect'));
    fireEvent.click(await screen.findByLabelText('Test here'));
    await screen.findByText(/The model answers/);
    expect(stub.asked[0]?.headers.authorization).toBe('Bearer sk-canary');
    expect(document.body.innerHTML).not.toContain('sk-canary');
    fireEvent.click(screen.getByLabelText('Remove here'));
    await waitFor(() => expect(screen.queryByLabelText('Test here')).toBeNull());
    expect((await call('GET', '/api/v1/connections')).body).toEqual([]);
  });

  it('says what is wrong with an address', async () => {
    const { call } = await openForTest();
    showCard(call);
    enter('Name of the connection', 'far');
    enter('Address', 'http://example.org/v1');
    enter('Model', 'm');
    fireEvent.click(screen.getByText('Connect'));
    await screen.findByText(/must begin with https/);
  });
});
