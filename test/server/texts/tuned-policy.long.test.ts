/** A text model that is tuned: trained in the worker, served by the one encoder, and decided alike in Python. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import type { Explanation } from '../../../src/server/contract/deciding/decisions.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { requireEdgePython } from '../../edge-python.ts';
import { remarks } from '../../engine/training/tune/tuning-request.ts';
import { createTrainable, openForAll, pollUntil, terminal } from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Another one, with another ONNX Runtime, by WORKBENCH_PYTHON. */
const python = await requireEdgePython();
const tolerance = 1e-5;
/** Two trainings take some 20 s of a core in a process that gives way to all others. */
const timeout = 600_000;

describe('a decision type whose text model is tuned', { timeout }, () => {
  const bench = openForAll({ heartbeatTimeoutMs: timeout });
  let path: string;

  beforeAll(async () => {
    const examples = remarks.map(({ input, decision }) => ({ input, decision }));
    path = await createTrainable(bench, { name: 'remarks', options: ['praise', 'complaint'] }, examples);
  });

  const train = async (config: object) => {
    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false, ...config });
    const messages = new Set<string>();
    const done = await pollUntil(async () => {
      const answer = await bench.call('GET', `${path}/policies/${started.body.policy_id}/progress`);
      messages.add(answer.body.message);
      return answer;
    }, terminal);
    expect(done.body).toMatchObject({ status: 'deployed', error: null });
    const { metrics } = (await bench.call('GET', `${path}/policies/${started.body.policy_id}`)).body;
    return { metrics, messages: [...messages] };
  };
  const download = async (query = ''): Promise<Buffer> => {
    const { token } = await bench.deps.auth.issuer.issue();
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const answer = await bench.app.inject({ url: `/api/v1${path}/export${query}`, headers });
    expect(answer.statusCode).toBe(200);
    return answer.rawPayload;
  };
  /** The largest difference of a probability between the golden lines, made by the trainer, and the service. */
  const compareWithService = async ({ golden }: Bundle): Promise<number> => {
    let largest = 0;
    for (const { input, output } of golden) {
      const { body } = await bench.call('POST', '/decide', { decision_type: 'remarks', input });
      expect(body.decision).toBe(output.decision);
      for (const [option, probability] of Object.entries(output.class_probabilities)) {
        largest = Math.max(largest, Math.abs(body.class_probabilities[option] - probability));
      }
    }
    return largest;
  };
  const verifyInPython = (bundle: Buffer) => {
    const file = join(mkdtempSync(join(tmpdir(), 'tuned-')), 'bundle.zip');
    writeFileSync(file, bundle);
    const { status, stdout, stderr } = spawnSync(python, ['-m', 'decision_edge', 'verify', file], {
      env: { ...process.env, PYTHONPATH: join(root, 'edge/src') },
      encoding: 'utf8',
    });
    return { status, said: `${stdout}${stderr}` };
  };

  it('is tuned where that is better on rows it has not seen, within its budget [TRN-18] [TRN-19] [BUN-8]', async () => {
    const { metrics, messages } = await train({ tune_encoder: true, tuning_tokens: 10_000 });
    expect(messages.some((message) => message.startsWith('Tuning the text model, '))).toBe(true);
    const { text_tuning: tuning } = metrics;
    expect(tuning).toMatchObject({ chosen: 'tuned' });
    // Tried on a fold, and taken from a last tuning that held nothing back.
    expect(tuning.rows).toBe(metrics.train_size);
    expect(tuning.held_rows).toBeGreaterThan(metrics.train_size / 6);
    expect(tuning.frozen.log_loss - tuning.tuned.log_loss).toBeGreaterThan(0.02);
    for (const { accuracy, accuracy_interval, log_loss, log_loss_interval } of [tuning.frozen, tuning.tuned]) {
      expect(accuracy_interval.low).toBeLessThanOrEqual(accuracy);
      expect(accuracy_interval.high).toBeGreaterThanOrEqual(accuracy);
      expect(log_loss_interval.low).toBeLessThan(log_loss);
      expect(log_loss_interval.high).toBeGreaterThan(log_loss);
    }
    // The last tuning is as long as that of the fold, over more rows.
    expect(tuning.steps).toBeGreaterThanOrEqual(2 * tuning.loss_curve.at(-1).step);
    expect(metrics.learning_curve).toBeNull();

    const slim = unpackBundle(await download('?slim=true'), sha256);
    expect(slim.plan.text?.encoder?.adapters).toEqual({ rank: 8 });
    expect(slim.manifest.files['text/adapters.bin']?.size_bytes).toBe(294_912);
    expect(slim.modelCard).toContain('a sentence encoder that was tuned on the examples');
    expect(slim.modelCard).toContain('The text model was tuned on the examples: on ');
    expect(slim.golden.length).toBeGreaterThan(20);
    expect(await compareWithService(slim)).toBeLessThan(tolerance);
  });

  it('explains a long text by its words: all estimated in one run, the heaviest left out [XPL-3]', async () => {
    const remark = `We came on a ${'Tuesday in May, walked along the harbour to the museum and '.repeat(3)}found the soup ghastly.`;
    const decide = async (text: string, query = '?dry_run=true') =>
      (await bench.call('POST', `/decide${query}`, { decision_type: 'remarks', input: { remark: text } })).body;
    const whole = await decide(remark);
    const wordCount = remark.match(/\w+/g)?.length ?? 0;
    // The first explanation also loads the graph, which may leave no time to leave words out.
    const leftOut = await vi.waitFor(
      async () => {
        const { words } = (await decide(remark, '?dry_run=true&explain=true')).explain as Explanation;
        expect(words).toHaveLength(wordCount);
        const found = words.filter(({ estimated }) => !estimated);
        expect(found.map(({ start, end }) => remark.slice(start, end))).toContain('ghastly');
        return found;
      },
      { timeout: 600_000, interval: 200 },
    );
    expect(leftOut.length).toBeGreaterThan(3);
    expect(leftOut.length).toBeLessThan(wordCount / 2);
    for (const { start, end, weight } of leftOut) {
      const without = await decide(remark.slice(0, start) + remark.slice(remark[end] === ' ' ? end + 1 : end));
      expect(weight).toBeCloseTo(whole.confidence - without.class_probabilities[whole.decision], 4);
    }
  });

  it('decides alike in Python, on the full bundle [EDG-5] [BUN-8]', async () => {
    const { status, said } = verifyInPython(await download());
    expect(said).toMatch(/(\d+) golden vectors, \1 equal/);
    expect(status).toBe(0);
  });

  it('stays as it is where tuning is switched off, and decides beside the one before [TRN-18]', async () => {
    const { metrics } = await train({ tune_encoder: false });
    expect(metrics.text_tuning).toBeNull();
    const slim = unpackBundle(await download('?slim=true'), sha256);
    expect(slim.adapters).toBeNull();
    expect(await compareWithService(slim)).toBeLessThan(tolerance);
  });
});
