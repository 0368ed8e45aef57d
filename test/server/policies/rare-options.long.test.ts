/** A type with answers that hardly ever occur: they are learned and never decided alone, or left to a person. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { createTrainable, openForAll, train } from '../workbench.ts';

const parcels = { letter: 60, parcel: 60, piano: 14, boat: 12 };
const weights = { letter: 0, parcel: 100, piano: 200, boat: 300 };
const type = {
  options: Object.keys(parcels),
  hard_rules: [{ name: 'ships', condition: 'ctx.kind == "ship"', then: 'boat', priority: 1 }],
  confidence_thresholds: { auto_decide: 0.8, escalation: 0.6 },
  escalation_policy: { enabled: false, between: 'flag', unfamiliar: 'ignore' },
};
const examples = Object.entries(parcels).flatMap(([decision, count]) =>
  Array.from({ length: count }, (_, i) => ({
    input: { weight: weights[decision as keyof typeof weights] + i + i / 7, kind: i % 3 === 0 ? 'fragile' : 'usual' },
    decision,
  })),
);

describe('a type with two rare answers', () => {
  const bench = openForAll();
  let path: string;

  beforeAll(async () => {
    path = await createTrainable(bench, { ...type, name: 'post' }, examples);
  });

  const readPolicy = async (config: object) => {
    const policyId = await train(bench.call, path, { tune_hyperparams: false, ...config });
    return (await bench.call('GET', `${path}/policies/${policyId}`)).body;
  };
  const decide = async (input: object) => (await bench.call('POST', '/decide', { decision_type: 'post', input })).body;

  it('is refused where that is asked for, with the options that need more [TRN-20] [TRN-4]', async () => {
    const refused = await bench.call('POST', `${path}/train`, { rare_options: 'refuse' });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.map(({ msg }: { msg: string }) => msg)).toEqual([
      'Option "piano" has 14 labelled examples; at least 38 are needed.',
      'Option "boat" has 12 labelled examples; at least 38 are needed.',
    ]);
  });

  it('is trained as it stands: rare answers are suggested and never decided alone [TRN-20] [RDY-2]', async () => {
    const { body: readiness } = await bench.call('GET', `${path}/training-readiness?rare_options=learn`);
    const sentence =
      '2 answers still go to a person: they have fewer than 38 examples, so the policy suggests and never decides alone.';
    expect(readiness).toMatchObject({
      ready: true,
      set_aside: { options: [] },
      never_alone: { options: ['piano', 'boat'], examples: 26, sentence },
    });
    await bench.call('PUT', path, { confidence_thresholds: { auto_decide: 0.02, escalation: 0.01 } });
    const { metrics, id } = await readPolicy({ rare_options: 'learn' });
    expect(metrics.rare_options).toMatchObject({ mode: 'learn', minima: [], options: [], few: ['piano', 'boat'] });
    expect(metrics.rare_options.sentence.startsWith(sentence)).toBe(true);
    expect(metrics.per_class.piano.recall).toBeGreaterThan(0);
    expect(await decide({ weight: 207, kind: 'usual' })).toMatchObject({
      decision: 'piano',
      escalate: true,
      stage: 'classifier',
      explanation: expect.stringContaining('which it learned from few examples and never decides alone'),
    });
    expect(await decide({ weight: 20, kind: 'usual' })).toMatchObject({ decision: 'letter', escalate: false });
    const whole = (await bench.call('GET', `${path}/policies/${id}/whole-decision`)).body;
    const matrix: number[][] = metrics.confusion_matrix;
    const few = matrix.reduce((sum, row) => sum + (row[2] ?? 0) + (row[3] ?? 0), 0);
    expect(few).toBeGreaterThan(0);
    expect(whole.escalated.count).toBe(few);
    const exported = await bench.app.inject({
      url: `/api/v1${path}/export`,
      headers: { authorization: `Bearer ${bench.token}` },
    });
    const { manifest, modelCard } = unpackBundle(exported.rawPayload, sha256);
    expect(manifest.never_alone).toEqual(['piano', 'boat']);
    expect(modelCard).toContain('Never decided alone: piano, boat.');
    await bench.call('PUT', path, { confidence_thresholds: type.confidence_thresholds });
  });

  it('takes 2 examples of an option as the least to decide it alone, and not 1 [TRN-20]', async () => {
    const tooFew = await bench.call('POST', `${path}/train`, { min_per_option: 1 });
    expect([tooFew.status, tooFew.body.error.details[0].loc]).toEqual([422, ['body', 'min_per_option']]);
    const asked = (count: number) => bench.call('GET', `${path}/training-readiness?min_per_option=${count}`);
    expect((await asked(1)).status).toBe(422);
    expect((await asked(13)).body).toMatchObject({ ready: true, never_alone: { options: ['boat'], examples: 12 } });
    const { metrics, training_config } = await readPolicy({ min_per_option: 8 });
    expect(training_config).toMatchObject({ min_per_option: 8, rare_options: 'measure' });
    expect(metrics).toMatchObject({ rare_options: null, accuracy: expect.any(Number) });
    expect(await decide({ weight: 207, kind: 'usual' })).toMatchObject({ decision: 'piano' });
  });

  it('is ready with them as one, and says which they are; set_aside is read as learn [RDY-3] [TRN-21]', async () => {
    const ask = async (query: string) => (await bench.call('GET', `${path}/training-readiness?${query}`)).body;
    expect(await ask('rare_options=fallback')).toMatchObject({
      ready: true,
      issues: [],
      set_aside: { options: ['piano', 'boat'], examples: 26 },
    });
    const { ready, set_aside, issues } = await ask('rare_options=fallback&min_per_option=61');
    expect([ready, set_aside]).toEqual([false, { options: type.options, examples: 146 }]);
    expect(issues).toEqual(['2 more labels and you can train, among them 1 of "letter" and 1 of "parcel".']);
    expect(await ask('rare_options=set_aside')).toEqual(await ask('rare_options=learn'));
    expect((await ask('')).never_alone.sentence).toBe(
      '2 answers have fewer than 38 examples: the policy suggests them, and decides them alone only where the training shows that it may.',
    );
    const { metrics } = await readPolicy({ rare_options: 'set_aside' });
    expect(metrics.rare_options).toMatchObject({ mode: 'learn', options: [], few: ['piano', 'boat'] });
  });

  it('learns them as one, so that inputs like theirs are handed on [TRN-22]', async () => {
    const { metrics, id } = await readPolicy({ rare_options: 'fallback' });
    const { held_out, sentence } = metrics.rare_options;
    expect(sentence).toMatch(/^2 rare answers, 26 of 146 rows, go to a person/);
    expect(metrics.notes[0]).toBe(sentence);
    const report = await bench.call('GET', `${path}/policies/${id}/report`);
    expect(report.text).toContain(sentence);
    expect(report.text).toMatch(/Not learned: .*piano.*boat/);
    expect(held_out).toMatchObject({ right_by_rule: 0, wrong_alone: 0 });
    expect(held_out.handed_on).toBe(held_out.rows);
    for (const weight of [203, 207, 304, 309]) {
      const answer = await decide({ weight, kind: 'usual' });
      const { escalate, confidence, decision, class_probabilities, explanation, stage } = answer;
      expect([escalate, confidence < 0.6, stage], `${weight}`).toEqual([true, true, 'classifier']);
      expect(class_probabilities.piano / class_probabilities.boat).toBeCloseTo(1.01, 4);
      // Neither of the two is the answer: the likeliest learned one is, with the probability that it has.
      expect(['letter', 'parcel'], `${weight}`).toContain(decision);
      expect(confidence).toBe(Math.max(class_probabilities.letter, class_probabilities.parcel));
      expect(explanation).toMatch(/^Something else is likelier, an answer that was set aside in training; «/);
    }
    expect(await decide({ weight: 20, kind: 'usual' })).toMatchObject({ decision: 'letter', escalate: false });
    expect(await decide({ weight: 130, kind: 'usual' })).toMatchObject({ decision: 'parcel', escalate: false });
    const exported = await bench.app.inject({
      url: `/api/v1${path}/export`,
      headers: { authorization: `Bearer ${bench.token}` },
    });
    const { modelCard } = unpackBundle(exported.rawPayload, sha256);
    expect(modelCard).toContain('Not learned: piano, boat.');
    expect(modelCard).toContain('2 rare answers, 26 of 146 rows, go to a person');
  });

  it('are decided as one by no threshold, in the measured figures as in the answers [TRN-22]', async () => {
    // Everything is automatic, but for what goes to a person whatever its confidence.
    const thresholds = { auto_decide: 0.02, escalation: 0.01 };
    await bench.call('PUT', path, { confidence_thresholds: thresholds });
    const [{ id }] = (await bench.call('GET', `${path}/policies`)).body;
    const piano = { weight: 207, kind: 'usual' };
    expect(await decide(piano)).toMatchObject({ escalate: true });
    expect((await decide(piano)).decision).not.toMatch(/piano|boat/);
    const whole = (await bench.call('GET', `${path}/policies/${id}/whole-decision`)).body;
    const { metrics } = (await bench.call('GET', `${path}/policies/${id}`)).body;
    expect(whole.automatic.count).toBe(metrics.test_size - metrics.rare_options.held_out.rows);
    expect(whole.error_automatic.count).toBe(0);
    await bench.call('PUT', path, { confidence_thresholds: type.confidence_thresholds });
  });

  it('are no suggestion to who labels: the labelling model is asked [TRN-22]', async () => {
    const added = await bench.call('POST', `${path}/examples`, {
      examples: [{ input: { weight: 207, kind: 'usual' } }],
    });
    const ids = [added.body[0].id];
    const { suggestion } = (await bench.call('POST', `${path}/examples/suggestions`, { ids })).body.items[0];
    expect(suggestion?.source).not.toBe('policy');
    await bench.call('DELETE', `${path}/examples/${ids[0]}`);
  });

  it('with a fallback option, they get that answer [TRN-22]', async () => {
    await bench.call('PUT', path, { fallback_option: 'parcel' });
    await readPolicy({ rare_options: 'fallback' });
    expect(await decide({ weight: 305, kind: 'usual' })).toMatchObject({
      decision: 'parcel',
      stage: 'fallback',
      fallback_used: true,
    });
  });
});
