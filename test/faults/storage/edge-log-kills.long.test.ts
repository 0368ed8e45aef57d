/**
 * Kills `decision-edge serve --log` at random moments under load, and brings its log home by `workbench import-log`:
 * every decision that was answered is in the workbench's log, and none is there twice.
 * EDGE_DECISIONS sets how many are answered, EDGE_KILLS how often it is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { requireEdgePython } from '../../edge-python.ts';
import { runCommand } from '../../server/wire/command-process.ts';
import { pollUntil, startWorkbench, temporaryFolder } from '../../server/workbench.ts';

const decisions = Number(process.env['EDGE_DECISIONS'] ?? 1_500);
const kills = Number(process.env['EDGE_KILLS'] ?? 3);
const clients = 8;
const random = createRandom(7);

const type = {
  name: 'refunds',
  options: ['pay', 'refuse'],
  rules: [{ name: 'small', condition: 'ctx.amount < 20', then: 'pay', priority: 1 }],
  fallback_option: 'refuse',
  pii_fields: ['name'],
};

type Service = { url: string; child: ChildProcess };

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

/** Starts the service in a group of processes of its own, which is killed as one. */
async function serve(python: string, bundle: string, log: string): Promise<Service> {
  const options = ['--log', log, '--log-size', '1', '--log-files', '50', '--workers', '2', '--port', '0'];
  const child = spawn(python, ['-m', 'decision_edge', 'serve', bundle, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  onTestFinished(() => void (isAlive(child) && kill({ url: '', child })));
  const said: string[] = [];
  const port = await new Promise<string>((ready, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const found = /running on http:\/\/[\d.]+:(\d+)/.exec(line);
      if (found?.[1] !== undefined) ready(found[1]);
    });
    child.once('exit', (code) => fail(new Error(`the service ended with ${code}: ${said.join('\n')}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  // The port is there before the workers are.
  const isServed = async () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await pollUntil(isServed, (served) => served);
  return { url, child };
}

async function kill({ child }: Service): Promise<void> {
  const ended = once(child, 'exit');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await ended;
}

async function makeBundle(folder: string): Promise<{ dataDir: string; bundle: string }> {
  const dataDir = path.join(folder, 'data');
  const { app, call, token, stop } = await startWorkbench(dataDir);
  const url = `/decision-types/${(await call('POST', '/decision-types', type)).body.id}`;
  const policy = (await call('POST', `${url}/policies`, { kind: 'rules_only' })).body.id;
  await call('POST', `${url}/policies/${policy}/deploy`);
  const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
  const { rawPayload } = await app.inject({ url: `/api/v1${url}/export`, headers });
  const bundle = path.join(folder, 'refunds.zip');
  writeFileSync(bundle, rawPayload);
  await stop();
  return { dataDir, bundle };
}

/** Lets every client ask without a pause, and kills the service when so many answers have come. */
async function loadAndKill(service: Service, round: number, answered: Map<string, string>): Promise<void> {
  let left = decisions / kills;
  let killed: Promise<void> | null = null;
  const decide = async (requestId: string) => {
    const input = { amount: Math.floor(random() * 40), name: `Ada ${requestId}`, note: 'x'.repeat(random() * 900) };
    const body = JSON.stringify({ decision_type: type.name, input });
    const headers = { 'content-type': 'application/json', 'x-request-id': requestId };
    const answer = await fetch(`${service.url}/decide`, { method: 'POST', headers, body });
    const { decision } = (await answer.json()) as { decision: string };
    answered.set(requestId, decision);
  };
  const ask = async (_: unknown, client: number) => {
    for (let at = 0; killed === null; at += 1) {
      try {
        await decide(`${round}-${client}-${at}`);
        left -= 1;
      } catch (error) {
        // What the kill cut off was not answered: it may or may not be in the log.
        if (killed === null) throw error;
      }
      if (left <= 0) killed ??= kill(service);
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  await killed;
}

describe('a service at the edge', () => {
  it('P2: that is killed loses no decision that it answered, and none comes home twice [HOM-5] [SRV-14]', {
    timeout: kills * 600_000,
  }, async () => {
    const python = await requireEdgePython();
    const folder = temporaryFolder();
    const { dataDir, bundle } = await makeBundle(folder);
    const log = path.join(folder, 'decisions.jsonl');
    const listFiles = () =>
      readdirSync(folder).flatMap((name) => (name.startsWith('decisions') ? [path.join(folder, name)] : []));
    const answered = new Map<string, string>();
    const bring = () => runCommand(['import-log', ...listFiles(), '--data-dir', dataDir], { scratch: folder });
    let brought = 0;
    for (let round = 0; round < kills; round += 1) {
      const service = await serve(python, bundle, log);
      await loadAndKill(service, round, answered);
      // Half-way, and at the end: what has come before is in the files again.
      if (round !== Math.floor(kills / 2) && round !== kills - 1) continue;
      const { code, lines, told } = await bring();
      expect([code, lines[0]], told).toMatchObject([0, { known: brought, expired: 0, unknown: 0, refused: 0 }]);
      brought += Number(lines[0]?.['added']);
    }
    expect(answered.size).toBeGreaterThanOrEqual(decisions);
    expect(listFiles().length).toBeGreaterThan(1);
    expect((await bring()).lines).toMatchObject([{ added: 0, known: brought }]);
    const { call, stop } = await startWorkbench(dataDir);
    onTestFinished(() => stop());
    const { id } = (await call('GET', '/decision-types')).body.items[0];
    const { text } = await call('GET', `/decision-types/${id}/logs/export`);
    const records = JSON.parse(text) as { request_id: string; decision: string; origin: string }[];
    const logged = new Map(records.map((record) => [record.request_id, record]));
    expect([records.length, logged.size]).toEqual([brought, brought]);
    expect([...answered].filter(([requestId, decision]) => logged.get(requestId)?.decision !== decision)).toEqual([]);
    // Beside what was answered stands at most what was under way when a kill came.
    expect(brought - answered.size).toBeLessThanOrEqual(kills * clients);
    expect(text).not.toContain('Ada');
  });
});
