/** What would change a decision, asked over REST of one deployed policy for numbers and one for texts. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Explanation } from '../../../src/server/contract/deciding/decisions.ts';
import {
  complaintExamples,
  complaintType,
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  pollUntil,
  terminal,
} from '../workbench.ts';

const bench = openForAll();
let loans: string;
let complaints: string;

async function deploy(type: object, examples: object[]): Promise<string> {
  const path = await createTrainable(bench, type, examples);
  const { policy_id } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
  await pollUntil(() => bench.call('GET', `${path}/policies/${policy_id}/progress`), terminal);
  return path;
}
const decide = async (decision_type: string, input: object, query = '') =>
  (await bench.call('POST', `/decide${query}`, { decision_type, input })).body;

beforeAll(async () => {
  loans = await deploy({ ...loanType, pii_fields: ['purpose'] }, loanExamples(60));
  complaints = await deploy(complaintType, complaintExamples(45));
});

const applicant = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };

describe('what would change a decision', () => {
  it('is told with it, and each change leads to what it says [XPL-1] [XPL-2] [XPL-4]', async () => {
    const before = (await bench.call('GET', `${loans}/logs`)).body.total;
    // The search has 150 ms; on a busy machine they may be over before it finds anything.
    let asked = 0;
    const answer = await pollUntil(
      () => {
        asked += 1;
        return decide('loan', applicant, '?explain=true');
      },
      ({ explain: { flips } }) => flips.length > 0,
    );
    const explain: Explanation = answer.explain;
    expect(explain.decision).toBe(answer.decision);
    expect(explain.flips.flatMap(({ changes }) => changes.map(({ field }) => field))).not.toContain('purpose');
    expect((await bench.call('GET', `${loans}/logs`)).body.total).toBe(before + asked);
    for (const { changes, decision, confidence } of explain.flips) {
      const input = structuredClone(applicant) as Record<string, unknown>;
      for (const { field, to } of changes) {
        if (field === 'applicant.score') input['applicant'] = { score: to };
        else input[field] = to;
      }
      expect(await decide('loan', input)).toMatchObject({ decision, confidence });
    }
    expect((await decide('loan', applicant)).explain).toBeUndefined();
  });

  it('is told of a log record and of an example, with the labelled examples most like it [XPL-1]', async () => {
    const [record] = (await bench.call('GET', `${loans}/logs?page_size=1`)).body.items;
    const ofRecord = await bench.call('POST', `${loans}/logs/${record.id}/explain`);
    expect([ofRecord.status, ofRecord.body.note]).toEqual([200, expect.stringContaining('redacted')]);
    const [example] = (await bench.call('GET', `${loans}/examples?page_size=1`)).body.items;
    const nearest = await vi.waitFor(
      async () => {
        const { body } = await bench.call('POST', `${loans}/examples/${example.id}/explain`);
        expect(body.nearest.length).toBeGreaterThanOrEqual(5);
        return body.nearest;
      },
      { timeout: 600_000, interval: 200 },
    );
    expect(nearest.map(({ example_id }: { example_id: string }) => example_id)).not.toContain(example.id);
    expect(nearest[0].similarity).toBeGreaterThan(0.8);
    const unknown = '018f0000-0000-7000-8000-000000000000';
    expect((await bench.call('POST', `${loans}/logs/${unknown}/explain`)).status).toBe(404);
    expect((await bench.call('POST', `${loans}/examples/${unknown}/explain`)).status).toBe(404);
  });

  it('is told of the words of a text [XPL-3]', async () => {
    const [example] = (await bench.call('GET', `${complaints}/examples?page_size=1`)).body.items;
    // Weighing has two seconds; on a busy machine the first run of the text model may take them all.
    const { words, flips } = await vi.waitFor(
      async () => {
        const { body } = await bench.call('POST', `${complaints}/examples/${example.id}/explain`);
        expect(body.words.length).toBeGreaterThan(2);
        return body as Explanation;
      },
      { timeout: 600_000, interval: 200 },
    );
    expect(words.map(({ weight }) => weight)).toEqual(words.map(({ weight }) => weight).sort((a, b) => b - a));
    for (const { field, start, end } of words) {
      expect(example.input_payload[field].slice(start, end)).toMatch(/^[\p{L}\p{N}].*[\p{L}\p{N}'’-]?$/u);
    }
    for (const { changes, decision } of flips) {
      const input = { ...example.input_payload };
      for (const { field, to } of changes) input[field] = to;
      expect((await decide('complaint', input)).decision).toBe(decision);
    }
  });

  it('waits its turn behind the caller’s own, is refused uncharged where too many wait, and lets others go first [XPL-5]', async () => {
    const countLogs = async () => (await bench.call('GET', `${loans}/logs`)).body.total;
    const before = await countLogs();
    const { key } = (await bench.call('POST', '/api-keys', { name: 'other', rate_limit_per_minute: 100 })).body;
    const payload = { decision_type: 'loan', input: applicant };
    const ended: number[] = [];
    const own = Array.from({ length: 40 }, async () => {
      const { status, body } = await bench.call('POST', '/decide?explain=true', payload);
      ended.push(status);
      return { status, body };
    });
    const headers = { authorization: `Bearer ${key}`, host: '127.0.0.1' };
    const other = await bench.app.inject({ method: 'POST', url: '/api/v1/decide?explain=true', headers, payload });
    expect(other.statusCode).toBe(200);
    expect(ended.filter((status) => status === 200).length).toBeLessThan(20);
    const answers = await Promise.all(own);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(Array(7).fill([429, 'rate_limited']));
    expect(await countLogs()).toBe(before + 34);
  });

  it('needs a deployed policy [XPL-1]', async () => {
    const path = await createTrainable(bench, { name: 'bare', options: ['a', 'b'] }, [{ input: { x: 1 } }]);
    const [example] = (await bench.call('GET', `${path}/examples`)).body.items;
    const refused = await bench.call('POST', `${path}/examples/${example.id}/explain`);
    expect([refused.status, refused.body.error.code]).toEqual([428, 'model_not_deployed']);
  });
});
