/** API keys that may do some things only. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Scope, scopes } from '../../../src/server/contract/operation.ts';
import { listOperations } from '../../../src/server/contract/operations.ts';
import { callerOf, deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const trained = deployForAll(loanType, loanExamples(40));

/** A workbench with a deployed policy that listens, and what makes keys of it. */
async function open() {
  const bench = await openForTest({ dataDir: trained.copy() });
  const makeKey = async (settings: { scopes?: Scope[]; allow_destructive?: boolean }): Promise<string> => {
    const made = await bench.call('POST', '/api/v1/api-keys', { name: 'program', ...settings });
    expect([made.status, made.body.scopes]).toEqual([201, settings.scopes ?? null]);
    return made.body.key;
  };
  const as = (key: string) => callerOf(bench.app, { authorization: `Bearer ${key}` });
  return { ...bench, makeKey, as };
}

describe('a key with scopes', () => {
  it('reaches the operations of its scopes and is refused by the others, with the one that is needed [AGT-5]', async () => {
    const { makeKey, as } = await open();
    const rows = listOperations().flatMap(({ name, row }) =>
      // The stream stays open.
      row.access === 'key' && name !== 'events.stream' ? [{ name, ...row }] : [],
    );
    for (const scope of scopes) {
      const call = as(await makeKey({ scopes: [scope] }));
      for (const row of rows) {
        // Of things that do not exist, so that nothing but the scope makes a difference.
        const url = row.path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000');
        const sent = row.name === 'training.start' ? { auto_deploy: false } : {};
        const { status, body } = await call(row.method, url, row.method === 'GET' ? undefined : sent);
        expect([scope, row.name, status === 403]).toEqual([scope, row.name, row.scope !== scope]);
        if (status === 403)
          expect((body.error ?? body.detail).message).toContain(`needs the scope ${row.scope}; it has ${scope}.`);
      }
    }
  });

  it('trains without a deployment where it may not deploy [AGT-5]', async () => {
    const { makeKey, as } = await open();
    const train = as(await makeKey({ scopes: ['train'] }));
    const refused = await train('POST', `${trained.url}/train`, {});
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('the scope deploy')]);
    const { status, body } = await train('POST', `${trained.url}/train`, { auto_deploy: false });
    expect(status).toBe(202);
    expect((await train('POST', `${trained.url}/policies/${body.policy_id}/cancel`)).status).toBe(200);
  });

  it('is made only with scopes that exist, and at least one [AGT-5]', async () => {
    const { call } = await open();
    for (const wrong of [[], ['everything'], 'read']) {
      const answer = await call('POST', '/api/v1/api-keys', { name: 'program', scopes: wrong });
      expect([answer.status, answer.body.error.details[0].loc.slice(0, 2)]).toEqual([422, ['body', 'scopes']]);
    }
  });
});

describe('an agent with a key', () => {
  const destructive = ['cancel_training', 'deploy_policy', 'train_model', 'update_decision_type'];

  it('is offered the tools that the key may use, destructive ones only where that was said [AGT-6]', async () => {
    const { app, makeKey } = await open();
    const keys = {
      all: await makeKey({ allow_destructive: true }),
      plain: await makeKey({}),
      decides: await makeKey({ scopes: ['decide'] }),
      deploys: await makeKey({ scopes: ['deploy', 'train'] }),
    };
    const url = new URL(`${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`);
    const agent = async (key: string) => {
      const client = new Client({ name: 'agent', version: '1.0.0' });
      onTestFinished(() => client.close());
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      const names = (await client.listTools()).tools.map(({ name }) => name);
      return { client, names, note: client.getInstructions() ?? '' };
    };
    const all = (await agent(keys.all)).names;
    expect(all).toEqual(expect.arrayContaining(destructive));

    const plain = await agent(keys.plain);
    expect(plain.names).toEqual(all.filter((name) => !destructive.includes(name)));
    for (const name of destructive) expect(plain.note).toContain(name);
    await expect(plain.client.callTool({ name: 'deploy_policy', arguments: {} })).rejects.toThrow(/deploy_policy/);

    const decides = await agent(keys.decides);
    expect(decides.names.toSorted()).toEqual(['batch_decisions', 'make_decision']);
    const card = `workbench://decision-types/${trained.url.split('/').at(-1)}/model-card`;
    await expect(decides.client.readResource({ uri: card })).rejects.toThrow(/needs the scope read/);

    const deploys = await agent(keys.deploys);
    expect(deploys.names).toEqual(expect.arrayContaining(destructive));
  });
});
