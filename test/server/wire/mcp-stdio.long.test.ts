import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tools as toolTable } from '../../../src/server/mcp/tools.ts';
import { exitCodes } from '../../../src/server/process/start-error.ts';
import { readCommandLine } from '../../../src/server/serve.ts';
import { startWorkbench } from '../../../src/server/start.ts';
import { deployForAll, loanExamples, loanType, temporaryFolder } from '../workbench.ts';

const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');

const trained = deployForAll(loanType, loanExamples(40));

/** A running workbench on `dataDir`, and a call of its REST API with the key. */
async function running(dataDir: string) {
  const bench = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel: 'silent' });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= bench.close();
    return closed;
  };
  onTestFinished(close);
  const rest = async (method: string, address: string, token: string, body: unknown) => {
    const answer = await fetch(`${bench.url}/api/v1${address}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  return { ...bench, close, rest };
}

/** The official client with `workbench mcp` as its server, as an agent's settings name it. */
async function agentOn(dataDir: string, env: Record<string, string> = {}, versions: 'legacy' | 'auto' = 'auto') {
  const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: versions } });
  onTestFinished(() => client.close());
  const args = [entry, 'mcp', '--data-dir', dataDir];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

/** The command itself; `say` writes lines to it, `ended` is all it said. */
function command(dataDir: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [entry, 'mcp', '--data-dir', dataDir], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => {
    output += String(data);
  });
  child.stderr.on('data', (data) => {
    errors += String(data);
  });
  return {
    child,
    say: (...lines: string[]) => child.stdin.write(lines.map((line) => `${line}\n`).join('')),
    ended: once(child, 'close').then(([code]) => ({
      code: code as number | null,
      errors,
      answers: output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { id: unknown; result?: unknown; error?: { code: number } }),
    })),
  };
}

const listTools = (id: string | number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });

describe('an agent that starts `workbench mcp`', () => {
  for (const versions of ['legacy', 'auto'] as const) {
    it(`has the tools of the running workbench, with its answers (negotiation: ${versions}) [MCP-3]`, async () => {
      const dataDir = trained.copy();
      const bench = await running(dataDir);
      const overHttp = new Client({ name: 'agent', version: '1.0.0' });
      onTestFinished(() => overHttp.close());
      await overHttp.connect(
        new StreamableHTTPClientTransport(new URL(bench.mcpUrl), {
          requestInit: { headers: { authorization: `Bearer ${trained.key}` } },
        }),
      );
      const { tools } = await overHttp.listTools();
      // beyond the size of a pipe's chunk, with line separators that JSON leaves as they are
      const input = {
        applicant: { score: 700 },
        amount: 2_000,
        purpose: 'car',
        employed: true,
        note: 'é\u2028'.repeat(50_000),
      };
      const body = { decision_type: 'loan', input };
      const { request_id, latency_ms, ...decided } = await bench.rest('POST', '/decide', trained.key, body);
      expect([typeof request_id, typeof latency_ms]).toEqual(['string', 'number']);
      for (const env of [{}, { WORKBENCH_API_KEY: trained.key }]) {
        const client = await agentOn(dataDir, env, versions);
        const offered = await client.listTools();
        expect(offered.tools).toEqual(tools);
        expect(offered.tools).toHaveLength(toolTable.length);
        const { structuredContent } = await client.callTool({ name: 'make_decision', arguments: body });
        expect(structuredContent).toMatchObject(decided);
        const wrong = await client.callTool({ name: 'make_decision', arguments: { decision_type: 'nobody', input } });
        expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([true, expect.stringContaining('not_found')]);
      }
    });
  }

  it('acts with its key and no further: a wrong one and too many calls are told as what they are [MCP-3]', async () => {
    const dataDir = trained.copy();
    const bench = await running(dataDir);
    await expect(agentOn(dataDir, { WORKBENCH_API_KEY: '0'.repeat(64) })).rejects.toThrow(/WORKBENCH_API_KEY/);
    const fields = { name: 'slow', rate_limit_per_minute: 1 };
    const { key } = await bench.rest('POST', '/api-keys', await bench.issueSession(), fields);
    const calls = command(dataDir, { WORKBENCH_API_KEY: String(key) });
    calls.say(listTools(1), listTools(2));
    calls.child.stdin.end();
    const { answers } = await calls.ended;
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1);
    expect(answers.find(({ error }) => error !== undefined)?.error).toMatchObject({
      code: -32_000,
      data: { code: 'rate_limited' },
    });
    // an empty key is a mistake in the settings, not the wish to be the owner
    for (const text of ['', 'a b']) {
      expect(() => readCommandLine(['mcp'], { WORKBENCH_API_KEY: text })).toThrow(/WORKBENCH_API_KEY/);
    }
  });

  it('is told on stderr, with exit 96, that no workbench runs and how to start one [MCP-4]', async () => {
    const neverUsed = path.join(temporaryFolder(), 'never-used');
    const afterKill = temporaryFolder();
    const serve = spawn(process.execPath, [entry, 'serve', '--data-dir', afterKill, '--port', '0']);
    onTestFinished(() => void serve.kill('SIGKILL'));
    await once(serve.stdout, 'data');
    serve.kill('SIGKILL');
    await once(serve, 'close');
    expect(existsSync(path.join(afterKill, 'runtime.json'))).toBe(true);
    for (const dataDir of [neverUsed, afterKill]) {
      const { code, answers, errors } = await command(dataDir).ended;
      expect([code, answers, errors]).toEqual([exitCodes.absent, [], expect.stringMatching(/workbench -- serve/)]);
      expect(errors).toContain(dataDir);
    }
    expect(existsSync(neverUsed)).toBe(false);
  });

  it('is told when the workbench stops, and goes on when it is back elsewhere [MCP-4]', async () => {
    const dataDir = trained.copy();
    const first = await running(dataDir);
    const client = await agentOn(dataDir);
    const decide = () =>
      client.callTool({ name: 'make_decision', arguments: { decision_type: 'loan', input: { amount: 60_000 } } });
    expect((await decide()).structuredContent).toMatchObject({ decision: 'decline' });
    await first.close();
    // its old address is another program's by now, which must not be sent a session
    const stranger = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    let connections = 0;
    stranger.on('connection', () => {
      connections += 1;
    });
    await expect(decide()).rejects.toThrow(/No workbench runs/);
    // also with other secrets: the session of before is worth nothing any more
    rmSync(path.join(dataDir, 'secrets', 'issuer-key.json'));
    await running(dataDir);
    expect((await decide()).structuredContent).toMatchObject({ decision: 'decline' });
    expect(connections).toBe(0);
  });

  it('is told when the workbench dies with a call in its hands [MCP-4]', async () => {
    const dataDir = trained.copy();
    const serve = spawn(process.execPath, [entry, 'serve', '--data-dir', dataDir, '--port', '0']);
    onTestFinished(() => void serve.kill('SIGKILL'));
    await once(serve.stdout, 'data');
    const client = await agentOn(dataDir);
    const ask = () => client.callTool({ name: 'get_credits', arguments: {} });
    expect((await ask()).structuredContent).toMatchObject({ plan: 'local' });
    // stopped, it takes the call from the network and says nothing
    serve.kill('SIGSTOP');
    const call = ask();
    serve.kill('SIGKILL');
    await expect(call).rejects.toThrow(/gave no answer|No workbench runs/);
  });
});

describe('the messages of `workbench mcp`', () => {
  it('are answered one by one: garbage with an error of the protocol, a cancelled one not at all [MCP-3]', async () => {
    const dataDir = trained.copy();
    await running(dataDir);
    const { say, child, ended } = command(dataDir);
    say('garbage', '', '[]', '{"id":"half","method":7}', listTools('first'), listTools('left'));
    say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"left"}}');
    say('{"jsonrpc":"2.0","id":0,"method":"no/such"}');
    // the last line without its end
    child.stdin.end(listTools('last'));
    const { code, answers } = await ended;
    expect(code).toBe(0);
    expect(answers.map(({ id, error }) => [id, error?.code ?? 'answered'])).toEqual(
      expect.arrayContaining([
        [null, -32_700],
        [null, -32_600],
        ['half', -32_600],
        [0, -32_601],
        ['first', 'answered'],
        ['last', 'answered'],
      ]),
    );
    expect(answers).toHaveLength(6);
  });

  it('end with SIGTERM, too, while the agent still holds the line [MCP-3]', async () => {
    const dataDir = trained.copy();
    await running(dataDir);
    const { say, child, ended } = command(dataDir);
    say(listTools(1));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const { code, answers, errors } = await ended;
    expect([code, answers.length, errors]).toEqual([0, 1, '']);
  });
});
