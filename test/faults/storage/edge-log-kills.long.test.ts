/**
 * Kills `decision-edge serve --log` at random moments under load, and brings its log home by `workbench import-log`:
 * every decision that was answered is in the workbench's log, and none is there twice.
 * EDGE_DECISIONS sets how many are answered, EDGE_KILLS how often it is killed.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { Service } from '../../edge/served.ts';
import { runCommand } from '../../server/wire/command-process.ts';
import { startWorkbench, temporaryFolder } from '../../server/workbench.ts';

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

/** Starts the service, whose processes are killed as one. */
async function serve(bundle: string, log: string): Promise<Service> {
  const options = ['--log', log, '--log-size', '1', '--log-files', '50', '--workers', '2'];
  const service = await Service.start([bundle, ...options]);
  onTestFinished(() => service.kill().catch(() => undefined));
  return service;
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
    const answer = await fetch(`${service.address}/decide`, { method: 'POST', headers, body });
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
      if (left <= 0) killed ??= service.kill();
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  await killed;
}

describe('a service at the edge', () => {
  it('P2: that is killed loses no decision that it answered, and none comes home twice [HOM-5] [SRV-14]', {
    timeout: kills * 600_000,
  }, async () => {
    const folder = temporaryFolder();
    const { dataDir, bundle } = await makeBundle(folder);
    const log = path.join(folder, 'decisions.jsonl');
    const listFiles = () =>
      readdirSync(folder).flatMap((name) => (name.startsWith('decisions') ? [path.join(folder, name)] : []));
    const answered = new Map<string, string>();
    const bring = () => runCommand(['import-log', ...listFiles(), '--data-dir', dataDir], { scratch: folder });
    let brought = 0;
    for (let round = 0; round < kills; round += 1) {
      const service = await serve(bundle, log);
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
