/** Rows that came without a label, of which the hard ones were labelled first: the figure is that of the drawn ones. */
import { expect, it } from 'vitest';
import { toRowContent, toRowNumber } from '../../../src/engine/drawn-rows.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { openForAll, train } from '../workbench.ts';

const options = ['no', 'yes'];

/** Rows whose answer follows from their amount, but near the border from chance. */
function makeRows() {
  const random = createRandom(3);
  return Array.from({ length: 700 }, () => {
    const amount = Math.round(random() * 1_000_000) / 1_000;
    const doubt = Math.min(1, Math.max(0, (amount - 300) / 400));
    const input = { amount, channel: random() < 0.5 ? 'web' : 'shop' };
    return { input, answer: random() < doubt ? 'yes' : 'no', doubt, number: toRowNumber(toRowContent(input, [])) };
  });
}

const bench = openForAll();

/** The share of rows on which the deployed policy of a type decides as it should. */
async function measureTruth(type: string, rows: ReturnType<typeof makeRows>): Promise<number> {
  let right = 0;
  for (let from = 0; from < rows.length; from += 50) {
    const part = rows.slice(from, from + 50);
    const decisions = part.map(({ input }) => ({ decision_type: type, input }));
    const { body } = await bench.call('POST', '/decide/batch?dry_run=true', { decisions });
    right += part.filter(({ answer }, i) => body.results[i].decision === answer).length;
  }
  return right / rows.length;
}

it('says how many drawn rows are missing, then a figure that holds the truth, and promises nothing below sixty [DRW-1] [DRW-2] [DRW-3] [DRW-6]', async () => {
  const { call } = bench;
  const type = { name: 'amounts', options, confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 } };
  const path = `/decision-types/${(await call('POST', '/decision-types', type)).body.id}`;
  const rows = makeRows();
  const pool = rows.slice(0, 400);
  const added = await call('POST', `${path}/examples`, { examples: pool.map(({ input }) => ({ input })) });
  const known = pool.map((row, i) => ({ ...row, id: added.body[i].id as string }));
  const label = async (some: typeof known) => {
    for (const { id, answer } of some) await call('PATCH', `${path}/examples/${id}`, { expected_decision: answer });
  };
  const drawn = known.filter(({ number }) => number < 0.2).sort((a, b) => a.number - b.number);
  const hard = known
    .filter(({ number }) => number >= 0.2)
    .sort((a, b) => Math.abs(a.doubt - 0.5) - Math.abs(b.doubt - 0.5));
  const measure = async () => {
    const id = await train(call, path, { tune_hyperparams: false, tune_encoder: false, min_per_option: 8 });
    const { metrics } = (await call('GET', `${path}/policies/${id}`)).body;
    const whole = (await call('GET', `${path}/policies/${id}/whole-decision`)).body;
    const promise = (await call('GET', `${path}/policies/${id}/promise?target_error=0.1`)).body;
    const report = (await call('GET', `${path}/policies/${id}/report`)).text;
    return { metrics, whole, promise, report };
  };

  await label(hard.slice(0, 60));
  const none = await measure();
  const says = 'Accuracy not known yet: 0 of 20 random rows have a label. Label random rows only to get there sooner.';
  expect([none.metrics.test_size, none.whole.headline]).toEqual([0, says]);
  const [listed] = (await call('GET', `${path}/policies`)).body;
  expect(listed.whole).toMatchObject({ headline: says, accuracy: { share: null } });

  await label(drawn.slice(0, 12));
  const first = await measure();
  expect(first.metrics).toMatchObject({ test_size: 12, split: { rule: 'drawn' } });
  expect(first.whole).toMatchObject({ accuracy: { share: null, of: 12 }, error_automatic: { share: null } });
  expect(first.whole.headline).toBe(
    'Accuracy not known yet: 12 of 20 random rows have a label. Label random rows only to get there sooner.',
  );
  expect(first.metrics.whole.headline).toBe(first.whole.headline);
  expect(first.report).toContain('<p class="headline">Accuracy not known yet');
  expect(first.report).toContain(first.whole.headline);

  await label(drawn.slice(12, 45));
  const { metrics, whole, promise } = await measure();
  const truth = await measureTruth('amounts', rows.slice(400));
  expect(metrics.split).toMatchObject({ rule: 'drawn', refitted: true });
  expect(metrics.test_size).toBe(45);
  expect(whole.headline).toMatch(
    /^Correct on [\d.]+ to [\d.]+% \(95% confidence interval; [\d.]+% of 45 unseen examples drawn at random\)\./,
  );
  expect(whole.accuracy.low).toBeLessThan(truth);
  expect(whole.accuracy.high).toBeGreaterThan(truth);
  expect(promise).toMatchObject({ possible: false, rows_needed: 60 });
  expect(promise.sentence).toBe(
    'No promise yet: 45 of 60 random rows have a label. Label random rows only to get there sooner.',
  );
  // Of 60 labels that were learned beside the drawn rows.
  const { forecast } = metrics.learning_curve;
  expect(forecast.sentence).toMatch(/^About [+−]\d+\.\d points for 100 more labels \([+−].* to [+−].*\)\.$/);
  const next = (await call('GET', `${path}/examples/next?count=1`)).body;
  expect(next.stop_hint).toBe(forecast.sentence);
});

it('counts hard rows that were skipped or deleted when they were offered, so that the truth lies within what is said and no promise leaves them out [DRW-8]', async () => {
  const { call } = bench;
  const path = `/decision-types/${(await call('POST', '/decision-types', { name: 'hard', options })).body.id}`;
  const rows = makeRows();
  const pool = rows.slice(0, 400);
  const added = await call('POST', `${path}/examples`, { examples: pool.map(({ input }) => ({ input })) });
  const isHard = ({ doubt }: (typeof pool)[number]) => doubt > 0.25 && doubt < 0.75;
  for (let offered = 0; offered < pool.length; offered += 100)
    expect((await call('GET', `${path}/examples/next?count=100&session=desk`)).body.items).toHaveLength(100);
  const erase = async (id: string) =>
    (await call('POST', `${path}/examples/bulk`, { ids: [id], action: 'delete' })).body.undo_token;
  for (const [i, row] of pool.entries()) {
    if (row.number >= 0.5) continue;
    const { id } = added.body[i];
    const body = isHard(row) ? { status: 'skipped' } : { expected_decision: row.answer };
    // What is deleted and comes back counts for what it is then.
    if (i % 3 === 0) await call('POST', `${path}/examples/undo`, { undo_token: await erase(id) });
    if (isHard(row) && i % 2 === 0) await erase(id);
    else await call('PATCH', `${path}/examples/${id}`, body);
  }
  const skipped = pool.filter((row) => row.number < 0.2 && isHard(row)).length;
  const id = await train(call, path, { tune_hyperparams: false, tune_encoder: false, min_per_option: 8 });
  const { metrics } = (await call('GET', `${path}/policies/${id}`)).body;
  const whole = (await call('GET', `${path}/policies/${id}/whole-decision`)).body;
  const { count, of, low, high } = whole.accuracy;
  expect([metrics.split.put_aside, of]).toEqual([skipped, metrics.test_size + skipped]);
  const truth = await measureTruth('hard', rows.slice(400));
  expect(count / metrics.test_size).toBeGreaterThan(truth + 0.05);
  expect([low < truth, truth < high]).toEqual([true, true]);
  expect(whole.headline).toMatch(
    new RegExp(
      `^Of ${of} unseen examples ${skipped} were put aside without a label: [\\d.]+ to [\\d.]+% correct \\(95% confidence interval [\\d.]+ to [\\d.]+%\\)\\.`,
    ),
  );
  expect(whole.remarks[0]).toContain(`${skipped} were put aside`);
  const promise = (await call('GET', `${path}/policies/${id}/promise?target_error=0.2`)).body;
  expect(promise).toMatchObject({ possible: false, threshold: null });
  expect(promise.sentence).toContain(`The ${skipped} rows that were put aside count as wrong`);
  expect((await call('GET', `${path}/policies/${id}/report`)).text).toContain(`${skipped} were put aside`);
});

it('says that labelled rows differ from the open ones of their file, and nothing where chance chose them [DRW-7]', async () => {
  const { call } = bench;
  const cautionsOf = async (
    name: string,
    isLabelled: (row: ReturnType<typeof makeRows>[number], at: number) => boolean,
  ) => {
    const path = `/decision-types/${(await call('POST', '/decision-types', { name, options })).body.id}`;
    const examples = makeRows().map((row, at) => ({
      input: row.input,
      ...(isLabelled(row, at) ? { expected_decision: row.answer } : {}),
    }));
    await call('POST', `${path}/examples`, { examples });
    const id = await train(call, path, { tune_hyperparams: false, tune_encoder: false, min_per_option: 8 });
    const { metrics } = (await call('GET', `${path}/policies/${id}`)).body;
    return { cautions: metrics.cautions, headline: metrics.whole.headline };
  };
  const chosen = await cautionsOf('easy', ({ doubt }) => doubt < 0.2 || doubt > 0.8);
  expect(chosen.cautions).toContainEqual(expect.objectContaining({ kind: 'labelled_differ' }));
  expect(chosen.headline).toMatch(/Examples that came with their label differ from those that came without \(.*\)/);
  expect((await cautionsOf('even', (_, at) => at % 2 === 0)).cautions).toEqual([]);
});
