/** The claims behind a page, trained once for the stories of a file. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Clock } from '../../src/server/process/clock.ts';
import { openForTest } from '../server/workbench.ts';
import { claims, makeClaims } from './deployed.ts';
import { closePage, showWindow } from './page.tsx';

type Before = {
  /** What the type is changed by. */
  settings?: object;
  /** What programs have asked to be decided. */
  inputs?: readonly object[];
  clock?: Clock;
};

/** Gives each story a server over a copy of the claims, and the window at one of their places. */
export function prepareClaims() {
  let folder: Awaited<ReturnType<typeof makeClaims>>;
  beforeAll(async () => {
    folder = await makeClaims();
  });
  afterAll(() => folder.remove());
  afterEach(closePage);

  const serve = async ({ settings, inputs = [], clock }: Before = {}) => {
    const { call, deps } = await openForTest({ dataDir: folder.copy() }, clock);
    const { url, policyId } = folder;
    if (settings) await call('PUT', url, settings);
    for (const input of inputs) await call('POST', '/api/v1/decide', { decision_type: claims.name, input });
    const show = (place: string) => showWindow(call, `#/types/${url.split('/').at(-1)}/${place}`);
    return { call, deps, url, policyId, policyUrl: `${url}/policies/${policyId}`, show };
  };
  const openPlace = async (place: string, before?: Before) => {
    const served = await serve(before);
    return { ...served, ...served.show(place) };
  };
  return { serve, openPlace };
}
