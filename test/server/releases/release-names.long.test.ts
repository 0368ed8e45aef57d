/** Whatever is changed in whatever order: the digest in the log decides the same input again, from the kept release. */
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { type Answer, deployForAll, loanExamples, loanType, openForTest, train } from '../workbench.ts';

const steps = 30;
const inputs = [
  { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true },
  { applicant: { score: 640 }, amount: 5_000, purpose: 'home', employed: false },
  { applicant: { score: 430 }, amount: 900, purpose: 'study', employed: true },
];
const rules = [
  ...loanType.rules,
  { name: 'cars', condition: 'ctx.purpose == "car"', then: 'approve', priority: 2 },
  { name: 'listed', condition: 'ctx.purpose in lists.rare', then: 'decline', priority: 3 },
  { name: 'score', condition: 'ctx.applicant.score > 650', then: 'approve', reason_code: 'GOOD_SCORE', priority: 1 },
];

const decided =
  'decision confidence stage reason_codes class_probabilities rules_triggered explanation unfamiliar digest'.split(' ');

const folder = deployForAll(loanType, loanExamples(40));

it.each([1, 2])('the log names what decided, after random changes %i [REL-12]', async (seed) => {
  const { call } = await openForTest({ dataDir: folder.copy() });
  const { url } = folder;
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const policyIds = [folder.policyId];
  const releases = async () => (await call('GET', `${url}/releases?page_size=100`)).body.items;
  const acts: readonly (() => Promise<Answer>)[] = [
    () =>
      call('PUT', url, {
        hard_rules: rules.filter(() => random() < 0.6),
        lists: { rare: ['study', pick(['home', 'car'])] },
      }),
    () =>
      call('PUT', url, {
        confidence_thresholds: { auto_decide: pick([0.6, 0.9, 0.99]), escalation: pick([0.2, 0.6]) },
      }),
    () => call('PUT', url, { fallback_option: pick(['approve', 'decline', null]) }),
    () => call('PUT', url, { hard_rules: rules.filter(() => random() < 0.6), draft: true }),
    () => call('PUT', url, { fallback_option: pick(['approve', 'decline', null]), draft: true }),
    () => call('POST', `${url}/releases`, pick([{}, { reason: 'It had to be' }])),
    () => call('DELETE', `${url}/draft`),
    () => call('PUT', url, { description: `Step ${random()}`, pii_fields: pick([[], ['applicant.email']]) }),
    () => call('PUT', url, { options: pick([loanType.options, [...loanType.options, 'ask']]) }),
    async () => {
      const made = await call('POST', `${url}/policies`, { kind: 'rules_only' });
      if (made.status === 201) policyIds.push(made.body.id);
      return made;
    },
    () => call('POST', `${url}/policies/${pick(policyIds)}/deploy`),
    async () => call('POST', `${url}/releases`, { release: pick<{ release: number }>(await releases()).release }),
    async () =>
      call('POST', `${url}/versions/${pick<{ id: string }>((await call('GET', `${url}/versions`)).body).id}/restore`),
    async () => {
      await call('DELETE', url);
      return call('POST', `${url}/restore`);
    },
  ];
  /** On further examples, of which some say another thing than those before: a policy that decides differently. */
  const trainAgain = async () => {
    const further = loanExamples(40).filter(() => random() < 0.5);
    await call('PUT', url, { options: loanType.options });
    await call('POST', `${url}/examples`, { examples: further.map((row) => ({ ...row, decision: 'approve' })) });
    policyIds.push(await train(call, url));
  };
  const seen = new Map<string, object>();
  for (let step = 0; step < steps; step += 1) {
    if (step % 12 === 11) await trainAgain();
    const { status } = await pick(acts)();
    expect([200, 201, 204, 404, 409, 422]).toContain(status);
    const decided = await call('POST', '/api/v1/decide', { decision_type: 'loan', input: pick(inputs) });
    expect([200, 503]).toContain(decided.status);
  }
  const list: { release: number; digest: string; current: boolean }[] = await releases();
  expect(list.filter(({ current }) => current)).toEqual([expect.objectContaining({ release: list.length })]);
  expect(list.length).toBeGreaterThan(3);
  const { items } = (await call('GET', `${url}/logs?page_size=100`)).body;
  expect(items.length).toBeGreaterThan(steps / 2);
  for (const logged of items) {
    expect(logged.digest).toBe(list.find(({ release }) => release === logged.release)?.digest);
    const what = Object.fromEntries(decided.map((field) => [field, logged[field]]));
    const pinned = { decision_type: `loan@${logged.release}`, input: logged.input };
    const { body } = await call('POST', '/api/v1/decide?dry_run=true', pinned);
    expect(JSON.stringify(body)).toContain(JSON.stringify(logged.class_probabilities));
    expect(body).toMatchObject(what);
    // One digest decides one way, whatever number it has.
    const key = `${logged.digest} ${JSON.stringify(logged.input)}`;
    expect(what).toEqual(seen.get(key) ?? what);
    seen.set(key, what);
  }
});
