/** Bundles for the bench of the Python package: trained by the engine itself, on rows that are the same everywhere. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackBundle, withTextModel } from '../../../src/engine/bundle/bundle.ts';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest, ignoring } from '../../engine/training-request.ts';

export type Row = { input: JsonObject; decision: string };

/**
 * Bookings of a hotel: 16 fields in nested objects, numbers, categories of 2 to 40 values, a date; the company is
 * missing in every second row. Whether they are cancelled hangs on products and groups of these.
 */
export function makeBookings(count: number, seed: number): Row[] {
  const random = createRandom(seed);
  const pick = (size: number) => Math.floor(random() * size);
  return Array.from({ length: count }, () => {
    const [lead, adults, nights, country, segment, agent] = [
      pick(400),
      1 + pick(3),
      1 + pick(14),
      pick(40),
      pick(7),
      pick(20),
    ];
    const [deposit, repeated, requests, hasCompany] = [random() < 0.3, random() < 0.1, pick(5), random() < 0.5];
    const rate = Math.round(4_000 + 9_000 * random() * adults) / 100;
    const risk =
      lead / 200 +
      (country % 3 === 0 ? 0.9 : -0.2) * (deposit ? 0.3 : 1) +
      (segment === 2 && nights > 6 ? 1 : 0) -
      requests * 0.35 -
      (repeated ? 1 : 0) +
      (agent % 5 === 1 && rate > 100 ? 0.8 : 0) +
      (random() - 0.5) * 0.8;
    const input: JsonObject = {
      hotel: ['city', 'resort'][pick(2)] ?? '',
      stay: { adults, children: pick(3), nights, weekend: pick(3) },
      booking: {
        lead_days: lead,
        deposit,
        agent: `A${agent}`,
        ...(hasCompany && { company: pick(300) }),
        changes: pick(4),
        requests,
        segment: `segment ${segment}`,
      },
      guest: { country: `C${country}`, repeated },
      rate,
      arrival: new Date(Date.UTC(2025, 0, 1 + pick(700))).toISOString().slice(0, 10),
    };
    return { input, decision: risk > 0.8 ? 'cancelled' : 'kept' };
  });
}

export const rules: Rule[] = [
  {
    name: 'long stay',
    condition: 'ctx.stay.nights > 12 && ctx.booking.deposit',
    then: 'kept',
    reason_code: null,
    priority: 1,
  },
  {
    name: 'far ahead',
    condition: 'ctx.booking.lead_days > 380 && ctx.guest.country.startsWith("C1")',
    then: 'cancelled',
    reason_code: null,
    priority: 2,
  },
];

/** Trains a type on rows with the default options, and returns its full bundle. */
export async function trainBundle(name: string, rows: readonly Row[], hardRules: Rule[] = []): Promise<Uint8Array> {
  const model = openTextModel(join(resolve(import.meta.dirname, '../../..'), 'resources'));
  const options = [...new Set(rows.map((row) => row.decision))].sort();
  const compiled = compileRules(hardRules, { options, reason_codes: [] });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const { bundle } = await train(
    createRequest(
      rows.map(({ input, decision }, i) => createExample(`${i}`, input, decision)),
      createDefinition(options, {
        hard_rules: hardRules,
        escalation_policy: { ...ignoring, unfamiliar: 'escalate' },
      }),
      { decisionType: name, config: trainingConfigSchema.parse({}) },
    ),
    await openTrainPorts(),
  );
  if (unpackBundle(bundle, sha256).manifest.text === null) return bundle;
  const files = {
    tokenizer: readFileSync(model.tokenizerPath),
    encoder: readFileSync(model.encoderPath),
    license: readFileSync(model.licensePath),
  };
  return withTextModel(bundle, files, sha256);
}
