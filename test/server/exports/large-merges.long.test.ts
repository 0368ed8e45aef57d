/** An export that is larger than one call takes, on its way back. */
import { expect, it, onTestFinished } from 'vitest';
import { limits } from '../../../src/engine/limits.ts';
import { ApiError, createClient } from '../../../src/server/contract/client.ts';
import { startWorkbench } from '../../../src/server/start.ts';
import { temporaryFolder } from '../workbench.ts';

async function open() {
  const bench = await startWorkbench({
    dataDir: temporaryFolder(),
    port: 0,
    rendererDir: null,
    logLevel: 'silent',
  });
  onTestFinished(() => bench.close());
  const token = await bench.issueSession();
  const client = createClient({
    baseUrl: bench.url,
    fetch,
    token: () => token,
    newRequestId: () => crypto.randomUUID(),
    onUnauthorized: () => undefined,
  });
  const body = { name: 'letters', options: ['no', 'yes'] };
  const { id } = await client.call('decision_types.create', { body });
  const params = { decision_type_id: id };
  const read = async () => {
    const query = { format: 'jsonl', personal: true } as const;
    const { blob } = await client.download('examples.export', { params, query });
    return (await blob.text()).trim().split('\n');
  };
  return { client, id, params, read };
}

it('comes back whole, with no example lost, doubled or changed [XPT-15]', async () => {
  const from = await open();
  const letter = 'The sockets are dead since the move. '.repeat(100);
  // The first input comes again in the last part, with the other label.
  const examples = Array.from({ length: 4_500 }, (_, n) => ({
    input: { text: `${n % 4_499} ${letter}` },
    decision: n < 4_499 ? 'yes' : 'no',
  }));
  for (const half of [examples.slice(0, 2_250), examples.slice(2_250)])
    await from.client.call('examples.create', { params: from.params, body: { examples: half } });
  const lines = await from.read();
  const file = (rows: readonly string[]) => new File([rows.join('\n')], 'letters.jsonl');
  expect(file(lines).size).toBeGreaterThan(limits.maxExamplesBytes);

  const to = await open();
  const begin = (rows: readonly string[]) => {
    const form = new FormData();
    form.set('decision_type_id', to.id);
    form.set('file', file(rows));
    return to.client.upload('imports.begin', {}, form);
  };
  const merge = async (rows: readonly string[]) =>
    to.client.call('imports.commit', { params: { import_id: (await begin(rows)).id }, body: {} });
  const listRefusals = async (rows: readonly string[]) => {
    const refusal = await merge(rows).catch((error: unknown) => error);
    return refusal instanceof ApiError ? JSON.stringify(refusal.details) : null;
  };
  const none = { added: 0, changed: 0, unchanged: 0, read_again: 0, gone: 0, conflicts: 0 };
  expect((await merge(lines)).merge).toEqual({ ...none, added: 4_500, items: [], unknown_decisions: [] });
  const back = await to.read();
  expect(back.toSorted()).toEqual(lines.toSorted());

  // A refused row in the middle keeps all others from counting.
  const edit = (changes: object) =>
    lines.map((line, place) => (place === 4_000 ? JSON.stringify({ ...JSON.parse(line), ...changes }) : line));
  const first = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), note: 'seen' });
  const known = edit({ input_payload: { text: 'another' }, updated_at: '2020-01-01T00:00:00.000Z' });
  const found = await begin([first, ...known.slice(1)]);
  expect(found.plan?.merge).toMatchObject({ changed: 1, conflicts: 1, unchanged: 4_498, items: [{ line: 4_001 }] });
  expect(await listRefusals([first, ...known.slice(1)])).toContain('one example was changed here');
  expect(await listRefusals([first, ...edit({ expected_decision: 'maybe' }).slice(1)])).toContain('line 4001: ');
  expect(await to.read()).toEqual(back);
});
