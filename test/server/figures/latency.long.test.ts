/** Milliseconds that are those of the clock: of a training's estimate, of a batch, and under Monitor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSampleFolder, pollUntil, removeDataDir, startWorkbench, terminal, type Workbench } from '../workbench.ts';

describe('the latency', () => {
  let bench: Workbench;
  let path: string;
  let dataDir: string;

  beforeAll(async () => {
    const sample = await makeSampleFolder();
    ({ dataDir } = sample);
    path = sample.url.replace('/api/v1', '');
    bench = await startWorkbench(dataDir);
  });
  afterAll(async () => {
    await bench.stop();
    removeDataDir(dataDir);
  });

  const readExamples = async () =>
    (await bench.call('GET', `${path}/examples?page_size=40`)).body.items as { input_payload: { message: string } }[];
  const toRequest = (message: string, [example]: Awaited<ReturnType<typeof readExamples>>) => ({
    decision_type: 'refund-requests',
    input: { ...example?.input_payload, message },
  });

  it('of a batch is shared by its items, so that they add up to the time of the clock [LAT-2]', async () => {
    const examples = await readExamples();
    await bench.call('POST', '/decide', toRequest('The first text starts the encoder.', examples));
    const decideBatch = async (name: string) => {
      const texts = Array.from(
        { length: 24 },
        (_, i) => `${name} ${i} ${'was opened, and nobody answers me '.repeat(9)}`,
      );
      const beganAt = performance.now();
      const { body } = await bench.call('POST', '/decide/batch', {
        decisions: texts.map((text) => toRequest(text, examples)),
      });
      const tookMs = performance.now() - beganAt;
      const latenciesMs: number[] = body.results.map((result: { latency_ms: number }) => result.latency_ms);
      return { tookMs, sumMs: latenciesMs.reduce((sum, each) => sum + each) };
    };
    const batches = [await decideBatch('Parcel'), await decideBatch('Letter'), await decideBatch('Crate')];
    for (const { sumMs, tookMs } of batches) expect(sumMs).toBeLessThanOrEqual(tookMs);
    // What is left is reading the request and writing the records, unless the machine did something else meanwhile.
    expect(Math.max(...batches.map(({ sumMs, tookMs }) => sumMs / tookMs))).toBeGreaterThan(0.5);
    const metrics = (await bench.call('GET', `${path}/metrics`)).body;
    const logged = (await bench.call('GET', `${path}/logs?page_size=100`)).body.items;
    const sorted = logged.map((row: { latency_ms: number }) => row.latency_ms).sort((a: number, b: number) => a - b);
    expect(metrics.latency_p50_ms).toBe(sorted[Math.ceil(0.5 * sorted.length) - 1]);
    expect(metrics.latency_p95_ms).toBe(sorted[Math.ceil(0.95 * sorted.length) - 1]);
  });

  it('that a second training estimates is of texts read for the first time, though it knows them all [LAT-1]', async () => {
    const { policy_id } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
    await pollUntil(() => bench.call('GET', `${path}/policies/${policy_id}/progress`), terminal);
    const { metrics } = (await bench.call('GET', `${path}/policies/${policy_id}`)).body;
    const [example] = await readExamples();
    const knownMs: number[] = [];
    for (let call = 0; call < 9; call++) {
      const { body } = await bench.call('POST', '/decide', {
        decision_type: 'refund-requests',
        input: example?.input_payload,
      });
      knownMs.push(body.latency_ms);
    }
    // Looked up, the estimate would stay below what a call takes whose text is looked up, too.
    expect(metrics.latency_estimate_p50_ms).toBeGreaterThan(Math.min(...knownMs));
  });
});
