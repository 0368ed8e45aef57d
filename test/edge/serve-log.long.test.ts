/** A service logs its decisions to a file, from which the workbench takes them. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LineChain } from '../../src/door/line-chain.ts';
import { temporaryFolder } from '../server/workbench.ts';
import { Service, sourceCommand, withManifest, writeBundle } from './served.ts';

type Line = { id: string; request_id: string; input: { amount: number; note?: string } };

const readLines = (...files: string[]): Line[] =>
  files.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => {
      const { chain, after: _after, ...read } = JSON.parse(line);
      expect(chain).toMatch(/^[0-9a-f]{64}$/);
      return read;
    });
  });
const listAmounts = (...files: string[]) => readLines(...files).map(({ input }) => input.amount);

/** What is wrong with the chain of files, oldest first; null where it holds. */
function findFault(...files: string[]): string | null {
  const chain = new LineChain((text) => hash('sha256', text));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  return lines.map((line) => chain.add(line)).find((fault) => fault !== null) ?? null;
}

function makePlaces(change: Parameters<typeof withManifest>[0] = {}) {
  const folder = temporaryFolder();
  return {
    folder,
    bundle: writeBundle(join(folder, 'loan.zip'), withManifest(change)),
    log: join(folder, 'decisions.jsonl'),
  };
}

describe('The log of a service', () => {
  it('has a line for each decision before its answer, however it was asked for, without personal values [SRV-14]', async () => {
    const { bundle, log } = makePlaces({ pii_fields: ['name', 'owner.id'] });
    const service = await Service.startForStory(bundle, '--log', log);
    const input = { amount: 4, name: 'Zoë', owner: { id: 7 }, note: 'naïve\n🙂' };
    const named = { 'x-request-id': 'order 7' };
    const { body: answer } = await service.ask('POST', '/decide', { type: 'loan', input }, named);
    const [line] = readLines(log);
    const { latency_ms, escalate, bundle_digest: _digest, unread: _unread, ...same } = answer;
    const mask = `pii:${'0'.repeat(24)}`;
    expect(line).toEqual({
      ...same,
      latency_ms,
      escalated: escalate,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      decision_type: 'loan',
      decision_type_version: 1,
      input: { ...input, name: mask, owner: { id: mask } },
    });
    const items = [0, 1].map((amount) => ({ type: 'loan', input: { amount } }));
    const keyed = { 'x-request-id': 'b', 'idempotency-key': 'b' };
    for (const _ of [1, 2])
      await service.ask('POST', '/api/v1/decide/batch', [...items, { type: 'loan', input: 1 }], keyed);
    const choice = { type: 'choice', criteria: { approve: '', decline: '' } };
    const asked = { state: { amount: 9 }, questions: { first: choice, second: choice } };
    await service.ask('POST', '/v1/systemone', asked, { 'x-request-id': 's' });
    await service.ask('POST', '/decide?dry_run=true', { type: 'loan', input });
    await service.ask('POST', '/decide', { type: 'loan', input: 7 });
    const rest = readLines(log).slice(1);
    expect(rest.map(({ request_id, input: { amount } }) => [request_id, amount])).toEqual([
      ['b-0', 0],
      ['b-1', 1],
      ['s', 9],
    ]);
    expect((await service.ask('GET', '/metrics')).body).toContain('decision_edge_logged_total{written="true"} 4');
    expect(readFileSync(log, 'utf8')).not.toContain('Zoë');
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it.each(['always', 'second'])(
    'is written by all workers, line by line, synced %s [SRV-14] [SRV-15]',
    async (sync) => {
      const { folder, bundle, log } = makePlaces();
      const service = await Service.startForStory(
        ...[bundle, '--workers', '2', '--log', log, '--log-fsync', sync, '--log-size', '1'],
      );
      const note = 'x'.repeat(15_000);
      await Promise.all(
        Array.from({ length: 40 }, async (_, amount) => {
          const items = Array.from({ length: 3 }, () => ({ type: 'loan', input: { amount, note } }));
          const headers = { 'x-request-id': `r${amount}`, connection: 'close' };
          const { body } = await service.ask('POST', '/decide/batch', items, headers);
          expect(body.succeeded).toBe(3);
        }),
      );
      const files = readdirSync(folder).filter((name) => name.startsWith('decisions'));
      expect(files.length).toBeGreaterThan(1);
      const lines = readLines(...files.map((name) => join(folder, name)));
      const expected = Array.from({ length: 120 }, (_, at) => `r${Math.floor(at / 3)}-${at % 3}`);
      expect(lines.map(({ request_id }) => request_id).sort()).toEqual(expected.sort());
      expect(new Set(lines.map(({ id }) => id)).size).toBe(120);
    },
  );

  it('keeps so many files of such a size, the newest; one that was moved away counts no more [SRV-15] [LOG-10]', async () => {
    const { folder, bundle, log } = makePlaces();
    const service = await Service.startForStory(bundle, '--log', log, '--log-size', '1', '--log-files', '2');
    const note = 'x'.repeat(400_000);
    for (let amount = 0; amount < 7; amount += 1) await service.decide({ amount, note });
    expect(readdirSync(folder).filter((name) => name.startsWith('decisions'))).toEqual([
      'decisions.jsonl',
      'decisions.jsonl.1',
    ]);
    expect(listAmounts(log, `${log}.1`)).toEqual([6, 4, 5]);
    renameSync(log, join(folder, 'taken.jsonl'));
    await service.decide({ amount: 7 });
    expect(listAmounts(log, `${log}.1`)).toEqual([7, 4, 5]);
    expect(findFault(`${log}.1`, join(folder, 'taken.jsonl'), log)).toBeNull();
    expect(findFault(`${log}.1`, log)).toMatch(/lines between are missing/);
  });

  it('loses half a line that a killed process has left, and no whole one [SRV-15] [LOG-10]', async () => {
    const { bundle, log } = makePlaces();
    const first = await Service.startForStory(bundle, '--log', log);
    await first.decide({ amount: 1 });
    await first.kill();
    const whole = readFileSync(log);
    writeFileSync(log, Buffer.concat([whole, whole.subarray(0, 70), Buffer.alloc(100_000, 'x')]));
    const second = await Service.startForStory(bundle, '--log', log);
    await second.decide({ amount: 2 });
    appendFileSync(log, whole.subarray(0, 9));
    await second.decide({ amount: 3 });
    expect(listAmounts(log)).toEqual([1, 2, 3]);
    expect(findFault(log)).toBeNull();
  });

  it('that cannot be written costs lines and no answers, and is said once [SRV-16]', async () => {
    const { bundle, log } = makePlaces();
    const service = await Service.startForStory(bundle, '--log', log);
    rmSync(log);
    mkdirSync(log);
    for (const amount of [1, 2]) expect((await service.decide({ amount })).decision).toBe('decline');
    expect((await service.ask('GET', '/metrics')).body).toContain('decision_edge_logged_total{written="false"} 2');
    rmSync(log, { recursive: true });
    await service.decide({ amount: 3 });
    expect(listAmounts(log)).toEqual([3]);
    await service.stop();
    const said = service.log.filter((line) => line.includes('decisions.jsonl'));
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/ ERROR Decisions cannot be written to the log .*EISDIR.* They are answered all the same/);
    expect(said[1]).toMatch(/ INFO The log .* is written again\.$/);
  });

  it('on a full disk has whole lines alone, and counts the others [SRV-16]', async () => {
    const { bundle, log } = makePlaces();
    const limited = ['sh', '-c', 'ulimit -f 40; exec "$0" "$@"', ...sourceCommand];
    const service = await Service.start([bundle, '--log', log], limited);
    const note = 'x'.repeat(4_000);
    for (let amount = 0; amount < 12; amount += 1)
      expect((await service.decide({ amount, note })).policy_version).toBe('v3');
    const { body } = await service.ask('GET', '/metrics');
    const [written = 0, unwritten = 0] = ['true', 'false'].map((is) =>
      Number(new RegExp(`logged_total\\{written="${is}"\\} (\\d+)`).exec(body)?.[1]),
    );
    await service.stop();
    expect(written + unwritten).toBe(12);
    expect(unwritten).toBeGreaterThan(0);
    expect(listAmounts(log)).toEqual(Array.from({ length: written }, (_, at) => at));
  });

  it('that cannot be written at all is named before the service listens [SRV-16]', () => {
    const { folder, bundle } = makePlaces();
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const [program = '', main = ''] = sourceCommand;
    for (const [place, reason] of [
      [folder, 'EISDIR'],
      [pipe, 'it is no regular file'],
      [join(folder, 'no/log'), 'ENOENT'],
    ] as const) {
      const { status, stderr } = spawnSync(program, [main, 'serve', bundle, '--log', place], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([2, expect.stringContaining(`The log ${place} cannot be written: ${reason}`)]);
    }
  });
});
