/** An export that is larger than one call takes, on its way back. */
import { expect, it, onTestFinished } from 'vitest';
import { limits } from '../../../src/engine/limits.ts';
import { createClient } from '../../../src/server/contract/client.ts';
import { mergeExport } from '../../../src/server/contract/merge-export.ts';
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

it('comes back part by part, with no example lost, doubled or changed [XPT-15]', async () => {
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
  const merge = (rows: readonly string[], commit = true) => mergeExport(to.client, to.id, file(rows), 'refuse', commit);
  const none = { added: 0, changed: 0, unchanged: 0, conflicts: 0, items: [] };
  expect((await merge(lines)).merge).toEqual({ ...none, added: 4_500 });
  const back = await to.read();
  expect(back.toSorted()).toEqual(lines.toSorted());

  // What a part in the middle refuses is found before the first one counts.
  const edit = (changes: object) =>
    lines.map((line, place) => (place === 4_000 ? JSON.stringify({ ...JSON.parse(line), ...changes }) : line));
  const first = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), note: 'seen' });
  const known = edit({ input_payload: { text: 'another' }, updated_at: '2020-01-01T00:00:00.000Z' });
  const found = await merge([first, ...known.slice(1)], false);
  expect(found.merge).toMatchObject({ changed: 1, conflicts: 1, unchanged: 4_498, items: [{ line: 4_001 }] });
  await expect(merge([first, ...known.slice(1)])).rejects.toThrow('1 examples were changed here');
  await expect(merge([first, ...edit({ expected_decision: 'maybe' }).slice(1)])).rejects.toThrow(
    '“maybe” in line 4001',
  );
  expect(await to.read()).toEqual(back);
});
