/** Rules as a start: hints teach the rows without a label, and neither decide nor measure nor travel. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { toRowContent, toRowNumber } from '../../../src/engine/drawn-rows.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { findEdgePython } from '../../edge-python.ts';
import { openForAll, pollUntil, temporaryFolder, train } from '../workbench.ts';

const random = createRandom(7);
/** A parcel weighs 100 or more, whatever it is called. */
const rows = Array.from({ length: 320 }, () => ({
  weight: Math.round(200 * random()),
  size: Math.round(9 * random()),
}));
const answer = ({ weight }: { weight: number }) => (weight >= 100 ? 'parcel' : 'letter');
const rule = (name: string, condition: string, then: string, hint?: boolean) => ({
  name,
  condition,
  then,
  reason_code: null,
  priority: 100,
  ...(hint === undefined ? {} : { hint }),
});
const type = {
  name: 'post',
  options: ['letter', 'parcel'],
  hard_rules: [
    rule('light', 'ctx.weight < 80.0', 'letter', true),
    rule('heavy', 'ctx.weight > 120.0', 'parcel', true),
    rule('flat', 'ctx.size == 0.0', 'letter', true),
    rule('anvil', 'ctx.weight > 198.0', 'parcel', false),
  ],
  escalation_policy: { enabled: false, between: 'flag', unfamiliar: 'ignore' },
};
const hinted = rows.filter(({ weight, size }) => (weight > 120 ? size > 0 : weight < 80 || size === 0)).length;

describe('a type with hints and rows without a label [RUL-17]', () => {
  const bench = openForAll();
  let path: string;

  beforeAll(async () => {
    path = `/decision-types/${(await bench.call('POST', '/decision-types', type)).body.id}`;
    await bench.call('POST', `${path}/examples`, { examples: rows.map((input) => ({ input })) });
  });

  const decide = async (input: object) => (await bench.call('POST', '/decide', { decision_type: 'post', input })).body;
  const readBundle = async () => {
    const headers = { authorization: `Bearer ${bench.token}` };
    return (await bench.app.inject({ url: `/api/v1${path}/export`, headers })).rawPayload;
  };

  it('says what each hint reaches, and takes none of them for a rule that decides', async () => {
    const { body } = await bench.call('POST', `${path}/rules/analyse`, { rules: type.hard_rules });
    const { impact } = body;
    const reach = Object.fromEntries(
      impact.rules.map(({ name, examples }: { name: string; examples: { matched: number } }) => [
        name,
        examples.matched,
      ]),
    );
    const count = (holds: (row: (typeof rows)[number]) => boolean) => rows.filter(holds).length;
    expect(reach).toEqual({
      light: count(({ weight }) => weight < 80),
      heavy: count(({ weight }) => weight > 120),
      flat: count(({ size }) => size === 0),
      anvil: count(({ weight }) => weight > 198),
    });
    expect(impact.examples.undecided).toBe(rows.length - reach['anvil']);
    expect(body.findings.filter(({ kind }: { kind: string }) => kind !== 'field')).toEqual([]);
  });

  it('is trained without any label, and every answer goes to a person', async () => {
    const { body: readiness } = await bench.call('GET', `${path}/training-readiness`);
    expect(readiness).toMatchObject({
      ready: true,
      labelled_examples: 0,
      hinted,
      never_alone: { options: type.options },
    });
    const id = await train(bench.call, path, { tune_hyperparams: false });
    const { metrics } = (await bench.call('GET', `${path}/policies/${id}`)).body;
    expect(metrics).toMatchObject({ train_size: 0, test_size: 0, whole: null, hints: { rows: hinted, measured: 0 } });
    expect(metrics.notes).toContain('No example has a label: hints alone were learned from, and nothing was measured.');
    for (const weight of [20, 60, 140, 180]) {
      const input = { weight, size: 4 };
      expect(await decide(input)).toMatchObject({ decision: answer(input), stage: 'classifier', escalate: true });
    }
    expect(await decide({ weight: 200, size: 4 })).toMatchObject({ stage: 'rules', decision: 'parcel' });
  });

  it('learns labels beside the hints, says what these brought, and measures on labels alone', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => bench.call('GET', `${path}/examples?page_size=100&page=${page}`)),
    );
    const numberOf = ({ input_payload }: { input_payload: JsonObject }) => toRowNumber(toRowContent(input_payload, []));
    const drawnFirst = pages.flatMap(({ body }) => body.items).sort((a, b) => numberOf(a) - numberOf(b));
    for (const { id, input_payload: input } of drawnFirst.slice(0, 90)) {
      await bench.call('PATCH', `${path}/examples/${id}`, { expected_decision: answer(input) });
    }
    const id = await train(bench.call, path, { tune_hyperparams: false });
    const metrics = await pollUntil(
      async () => (await bench.call('GET', `${path}/policies/${id}`)).body.metrics,
      ({ follow_up }) => follow_up.state !== 'pending',
    );
    expect(metrics.train_size + metrics.test_size).toBe(90);
    expect(metrics.hints).toMatchObject({
      measured: metrics.test_size,
      sentence: expect.stringContaining('with them'),
    });
    expect(metrics.hints.rows).toBeLessThan(hinted);
    const open = drawnFirst.slice(90).map(({ input_payload: input }) => input);
    const right_without = expect.any(Number);
    expect(metrics.hints.each).toEqual([
      { name: 'light', rows: open.filter(({ weight, size }) => weight < 80 && size > 0).length, right_without },
      { name: 'heavy', rows: expect.any(Number), right_without },
      {
        name: 'flat',
        rows: open.filter(({ weight, size }) => weight >= 80 && weight <= 120 && size === 0).length,
        right_without,
      },
    ]);
    expect(metrics.hints.sentence).toMatch(/ \d+ without “light”, \d+ without “heavy”, \d+ without “flat”\.$/);
  });

  it('travels without its hints: an earlier reader finds the rules it knows, and Python verifies', async () => {
    const bytes = await readBundle();
    const { rules } = unpackBundle(bytes, sha256);
    expect(rules.rules.map(({ ast: _, ...saved }) => saved)).toEqual([rule('anvil', 'ctx.weight > 198.0', 'parcel')]);
    const python = await findEdgePython();
    if (python === null) return;
    const file = join(temporaryFolder(), 'post.zip');
    writeFileSync(file, bytes);
    const checked = spawnSync(python, ['-m', 'decision_edge', 'verify', file], { encoding: 'utf8' });
    expect(checked.status, checked.stderr).toBe(0);
  });
});
