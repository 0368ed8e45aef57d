import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Connections } from '../../src/renderer/features/settings/connections.tsx';
import { says, startStub } from '../server/teacher-stub.ts';
import { makeDataDir, openForTest, removeDataDir } from '../server/workbench.ts';
import { fetchFrom, openPage, show } from './page.tsx';

afterEach(cleanup);

const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

describe('the teacher model of an organisation', () => {
  it('is connected, tried out and removed in one place, which never shows its key', async () => {
    const dataDir = makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const { call } = await openForTest({ dataDir });
    const stub = await startStub(says({ decision: 'right', reason_codes: [] }));
    show(<Connections />, openPage(fetchFrom(call)));
    enter('Name of the connection', 'here');
    enter('Address', stub.url);
    enter('Model', 'small-1');
    enter('API key, if the model needs one', 'sk-canary');
    fireEvent.click(screen.getByText('Connect'));
    fireEvent.click(await screen.findByLabelText('Test here'));
    await screen.findByText(/The model answers/);
    expect(stub.asked[0]?.headers.authorization).toBe('Bearer sk-canary');
    expect(document.body.innerHTML).not.toContain('sk-canary');
    const [key = ''] = readdirSync(join(dataDir, 'secrets')).filter((name) => name.startsWith('connection-'));
    rmSync(join(dataDir, 'secrets', key));
    cleanup();
    show(<Connections />, openPage(fetchFrom(call)));
    await screen.findByText('key missing: remove and make again');
    fireEvent.click(screen.getByLabelText('Remove here'));
    fireEvent.click(await screen.findByLabelText('Remove here now'));
    await waitFor(() => expect(screen.queryByLabelText('Test here')).toBeNull());
    expect((await call('GET', '/api/v1/connections')).body).toEqual([]);
  });

  it('says what is wrong with an address', async () => {
    const { call } = await openForTest();
    show(<Connections />, openPage(fetchFrom(call)));
    enter('Name of the connection', 'far');
    enter('Address', 'http://example.org/v1');
    enter('Model', 'm');
    fireEvent.click(screen.getByText('Connect'));
    await screen.findByText(/must begin with https/);
  });
});
