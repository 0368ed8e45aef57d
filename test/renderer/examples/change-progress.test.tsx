/** A change of many examples in the page: how far it is, and back again while it goes on. */
import { Readable } from 'node:stream';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { ChangeProgress } from '../../../src/renderer/parts/change-progress.tsx';
import { notifyFailure } from '../../../src/renderer/state/notices.tsx';
import { systemClock } from '../../../src/server/process/clock.ts';
import { rowsPerPart } from '../../../src/server/store/examples/example-changes.ts';
import { ExampleRowWriter } from '../../../src/server/store/examples/examples.ts';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, fetchFrom, openPage, show } from '../page.tsx';

afterEach(closePage);

it('a change of many examples says how far it is, and is taken back whole [LRG-7]', async () => {
  // Half a second passes within a part.
  const hastyClock = { ...systemClock, monotonic: () => performance.now() * 1_000 };
  const { call, deps } = await openForTest({}, hastyClock);
  const id = await makeType(call);
  const rows = new ExampleRowWriter(id, deps.clock.now());
  const count = 30 * rowsPerPart;
  for (let n = 0; n < count; n += 1) rows.add({ id: deps.newId(), input: { n }, decision: 'yes' });
  await deps.exampleAdditions.add(rows.finish(), () => undefined);
  const { organisationId = '' } = deps.store.decisionTypes.find(id) ?? {};
  const fetch = fetchFrom(call);
  const workbench = openPage(async (url, init) => {
    if (!url.endsWith('/events')) return fetch(url, init);
    return new Response(Readable.toWeb(deps.events.open(organisationId, 'this window')) as ReadableStream);
  });
  onTestFinished(workbench.live.start());
  show(<ChangeProgress typeId={id} />, workbench, id);
  await waitFor(() => expect(workbench.live.store.getState().isOpen).toBe(true));
  expect(screen.queryByRole('progressbar')).toBeNull();
  const body = { action: 'delete', filter: {} } as const;
  const changed = workbench.acts.bulk(id, [body], 'All deleted', count).catch(notifyFailure);
  const bar = await screen.findByRole('progressbar', { name: 'Progress of the change of examples' });
  expect(Number(bar.getAttribute('value'))).toBeLessThan(1);
  fireEvent.click(screen.getByRole('button', { name: 'Take it back' }));
  await changed;
  await screen.findByText('The change was cancelled; nothing was changed.');
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
  const { total, labelled } = (await call('GET', `/api/v1/decision-types/${id}/examples/stats`)).body;
  expect([total, labelled]).toEqual([count, count]);
});
