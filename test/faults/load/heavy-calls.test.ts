/** Costly calls, and what others notice of them. */
import { expect, it } from 'vitest';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { runBeside, send } from '../tools/beside-calls.ts';
import { startServerProcess } from '../tools/server-process.ts';

const folder = deployForAll(loanType, loanExamples(40));
const server = forAll(
  () => startServerProcess(folder.dataDir),
  ({ end }) => end(),
);

const toBody = (value: unknown) => Buffer.from(JSON.stringify(value));

it('a batch of costly decisions lets others have their turn between them [LRG-2]', async () => {
  const caller = { port: server.port, key: folder.key };
  const pairs = (n: number) => `ctx.list.exists(a, ctx.list.exists(b, a + b == ${-n}))`;
  const costly = Array.from({ length: 8 }, (_, n) => ({ name: `r${n}`, condition: pairs(n + 1), then: 'approve' }));
  const changed = await send(caller, 'PUT', folder.url, toBody({ rules: costly }));
  expect(changed.status, changed.text).toBe(200);
  const list = Array.from({ length: 100 }, (_, n) => n);
  const decisions = Array.from({ length: 50 }, () => ({ decision_type: loanType.name, input: { amount: 1, list } }));
  const batch = send(caller, 'POST', '/api/v1/decide/batch', toBody({ decisions }));
  const { value, smallCallMs } = await runBeside(batch, () => send(caller, 'GET', '/health'), server.child.pid ?? 0);
  expect(JSON.parse(value.text).results).toHaveLength(decisions.length);
  // One or two where all decisions are made in one turn: before the batch has arrived, and after it.
  expect(smallCallMs.length).toBeGreaterThan(5);
});
