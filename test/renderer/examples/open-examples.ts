/** A window at four examples, and what stories of cards and tables do with it. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { showWindow } from '../page.tsx';

const messages = ['the cup is broken', 'the plate is late', 'the bowl is lost', 'the jug is chipped'];

/** A window at the examples of a type; the first message is the newest, so it comes first. */
export async function openExamples(
  query: string,
  decisions: readonly (string | null)[] = [null, null, null, null],
  onCall: (path: string) => void = () => undefined,
) {
  const { call } = await openForTest();
  const id = await makeType(call, { reason_codes: ['DAMAGE', 'DELAY'], description: 'Pay for what broke.' });
  const url = `/api/v1/decision-types/${id}`;
  for (const [place, message] of [...messages.entries()].reverse()) {
    await call('POST', `${url}/examples`, {
      examples: [{ input: { message, amount: place + 1 }, decision: decisions[place] ?? null }],
    });
  }
  const noted: Call = (method, path, ...rest) => {
    onCall(path);
    return call(method, path, ...rest);
  };
  showWindow(noted, `#/types/${id}/examples?${query}`);
  return { call, url };
}

export const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
export const card = () => screen.findByLabelText('The example to label');
export const shows = (text: string) => waitFor(async () => expect((await card()).textContent).toContain(text));

/** Each message with its stored label. */
export async function readLabels(call: Call, url: string) {
  const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
  return Object.fromEntries(
    items.map((item: { input_payload: { message: string }; expected_decision: string | null }) => [
      item.input_payload.message,
      item.expected_decision,
    ]),
  );
}
