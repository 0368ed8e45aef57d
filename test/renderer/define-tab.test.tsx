import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { DefineTab } from '../../src/renderer/pages/define-tab.tsx';
import { SaveBar } from '../../src/renderer/pages/save-bar.tsx';
import { createWorkbench, WorkbenchContext } from '../../src/renderer/workbench.tsx';
import { type Call, makeType, openForTest } from '../server/workbench.ts';

afterEach(cleanup);

/** Shows the tab of a type over a real server, called without a socket. */
async function showTab(call: Call, url: string) {
  const type = (await call('GET', url)).body;
  const workbench = createWorkbench({
    baseUrl: '',
    storage: window.sessionStorage,
    fetch: async (address, init) => {
      const body = typeof init.body === 'string' ? init.body : undefined;
      const answer = await call(init.method as 'GET', address, body);
      return new Response(answer.text, { status: answer.status });
    },
  });
  render(
    <QueryClientProvider client={workbench.queries}>
      <WorkbenchContext.Provider value={workbench}>
        <DefineTab type={type} />
        <SaveBar type={type} />
      </WorkbenchContext.Provider>
    </QueryClientProvider>,
  );
}

describe('the Define tab', () => {
  it('sets which connected model is asked, and renames no option beside unsaved changes', async () => {
    const { call } = await openForTest();
    await call('POST', '/api/v1/connections', { name: 'judge', url: 'http://127.0.0.1:1/v1', model: 'm' });
    const url = `/api/v1/decision-types/${await makeType(call)}`;
    await showTab(call, url);
    const rename = screen.getByText('Rename an option everywhere…');
    expect(rename).toHaveProperty('disabled', false);
    await screen.findByRole('option', { name: 'judge' });
    fireEvent.change(screen.getByLabelText('Connected model'), { target: { value: 'judge' } });
    expect(rename).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByText('Save changes'));
    await waitFor(async () =>
      expect((await call('GET', url)).body.active_version).toMatchObject({
        version_number: 2,
        escalation_policy: { enabled: true, connection: 'judge' },
      }),
    );
  });
});
