/** The text model of a policy: chosen for a training, served beside policies of another, and in Python. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { requireEdgePython } from '../../edge-python.ts';
import { remarks } from '../../engine/training/tune/tuning-request.ts';
import { createTrainable, openForAll, temporaryFolder, train } from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
const python = await requireEdgePython();
const timeout = 600_000;

const examples = remarks.map(({ input, decision }) => ({ input, decision }));
const said = { remark: 'La soupe était froide et le serveur désagréable.' };

describe('the text model that a training is asked for', { timeout }, () => {
  const bench = openForAll();
  const types: Record<string, string> = {};

  beforeAll(async () => {
    for (const name of ['fast', 'english', 'words']) {
      types[name] = await createTrainable(bench, { name, options: ['praise', 'complaint'] }, examples);
    }
  });

  const trainBy = (text_model: string) =>
    train(bench.call, types[text_model] ?? '', {
      text_model,
      min_per_option: 20,
      tune_hyperparams: false,
      tune_encoder: false,
    });
  const decide = (decision_type: string) => bench.call('POST', '/decide', { decision_type, input: said });
  const download = async (name: string, query = ''): Promise<Buffer> => {
    const { token } = await bench.deps.auth.issuer.issue();
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const answer = await bench.app.inject({ url: `/api/v1${types[name]}/export${query}`, headers });
    expect(answer.statusCode).toBe(200);
    return answer.rawPayload;
  };

  it('reads by it, and policies of all decide beside each other [TRN-6]', async () => {
    for (const name of ['fast', 'english', 'words']) await trainBy(name);
    expect((await decide('fast')).body).toMatchObject({ decision: 'complaint', stage: 'classifier' });
    for (const name of ['english', 'words']) expect((await decide(name)).status).toBe(200);
    const { manifest, plan, modelCard, golden } = unpackBundle(await download('fast', '?slim=true'), sha256);
    expect(plan.text?.encoder).toMatchObject({ dimensions: 512, frame: [1, 2] });
    expect(manifest.text).toMatchObject({ base_model: 'google/universal-sentence-encoder-multilingual-v3' });
    expect(modelCard).toContain('base_model: "google/universal-sentence-encoder-multilingual-v3"');
    for (const { input, output } of golden) {
      const { body } = await bench.call('POST', '/decide', { decision_type: 'fast', input });
      expect(body.decision).toBe(output.decision);
      for (const [option, probability] of Object.entries(output.class_probabilities)) {
        expect(Math.abs(body.class_probabilities[option] - probability)).toBeLessThan(1e-5);
      }
    }
    const english = unpackBundle(await download('english', '?slim=true'), sha256);
    expect(english.manifest.text).not.toHaveProperty('base_model');
    expect(english.plan.text?.encoder ?? {}).not.toHaveProperty('frame');
    expect(unpackBundle(await download('words', '?slim=true'), sha256).plan.text?.encoder).toBeNull();
    expect(bench.deps.runtime.textModels.at(-1)?.host.state()).toBe('ready');
  });

  it('cannot be one that the workbench does not have [ERR-11]', async () => {
    const refused = await bench.call('POST', `${types['fast']}/train`, { text_model: 'klingon' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'validation_error']);
  });

  it('decides alike in Python, from a bundle with the model inside [EDG-5] [BUN-8]', async () => {
    const file = join(temporaryFolder(), 'bundle.zip');
    writeFileSync(file, await download('fast'));
    const { status, stdout, stderr } = spawnSync(python, ['-m', 'decision_edge', 'verify', file], {
      env: { ...process.env, PYTHONPATH: join(root, 'edge/src') },
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toMatch(/(\d+) golden vectors, \1 equal/);
    expect(status).toBe(0);
  });
});
