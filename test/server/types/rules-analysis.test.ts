import { describe, expect, it } from 'vitest';
import { prepareLogInsert } from '../../../src/server/store/deciding/log-writer.ts';
import { usualDecision } from '../usual-decision.ts';
import { type Call, makeType, openForTest } from '../workbench.ts';

const large = { name: 'large', condition: 'ctx.amount > 100', then: 'no' };

async function typeWithExamples(call: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const id = await makeType(call, { hard_rules: [large], ...fields });
  const examples = [
    { input: { amount: 50, country: 'DE' }, decision: 'yes' },
    { input: { amount: 150, country: 'DE' }, decision: 'no' },
    { input: { amount: 300, country: 'AT' }, decision: 'yes' },
    { input: { amount: 500, country: 'DE' }, decision: 'no' },
  ];
  expect((await call('POST', `/api/v1/decision-types/${id}/examples`, { examples })).status).toBe(201);
  return id;
}

const analyse = (call: Call, id: string, rules: unknown[]) =>
  call('POST', `/api/v1/decision-types/${id}/rules/analyse`, { rules });

describe('before rules are saved', () => {
  it('tells what each rule decides on the examples, where it disagrees, what changes, and what fields hold [RSH-12]', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call);
    const { status, body } = await analyse(call, id, [
      { ...large, condition: 'ctx.amount > 200', priority: 20 },
      { name: 'home', condition: 'ctx.country == "DE" && ctx.amount < 100', then: 'yes', priority: 10 },
    ]);
    expect(status).toBe(200);
    expect(body.problems).toEqual([]);
    expect(body.impact.examples).toMatchObject({ rows: 4, undecided: 1 });
    expect(body.impact.rules.map((rule: { name: string }) => rule.name)).toEqual(['home', 'large']);
    const [home, bigger] = body.impact.rules;
    expect(home).toMatchObject({ rule: 1, examples: { matched: 1, agrees: 1, agreement: 1 } });
    expect(bigger).toMatchObject({ rule: 0, examples: { matched: 2, agrees: 1, disagrees: 1, agreement: 0.5 } });
    expect(bigger.examples.disagreeing).toMatchObject([
      { expected: 'yes', decided: 'no', input: '{"amount":300,"country":"AT"}' },
    ]);
    // 50 is newly decided by "home", 150 no longer by "large".
    expect(body.impact.against_saved.examples).toMatchObject({ rows: 4, changed: 2 });
    expect(body.fields).toEqual([
      {
        path: ['amount'],
        types: ['number'],
        values: expect.arrayContaining([50, 150, 300, 500]),
        counts: [1, 1, 1, 1],
        has_times: false,
        distribution: { low: 50, high: 500, counts: expect.arrayContaining([1, 0]) },
        by_option: expect.anything(),
        information: expect.any(Number),
      },
      {
        path: ['country'],
        types: ['text'],
        values: ['DE', 'AT'],
        counts: [3, 1],
        has_times: false,
        distribution: null,
        by_option: [
          { option: 'no', counts: [2, 0], distribution: null },
          { option: 'yes', counts: [1, 1], distribution: null },
        ],
        // ln 2 − ¾ (ln 3 − ⅔ ln 2), less 1 ⁄ 8.
        information: expect.closeTo(0.0908, 4),
      },
    ]);
    const [{ distribution, by_option: shares }] = body.fields;
    const sums = distribution.counts.map((_: number, step: number) =>
      shares.reduce((sum: number, share: { distribution: number[] }) => sum + (share.distribution[step] ?? 0), 0),
    );
    expect(sums).toEqual(distribution.counts);
  });

  it('tries the rules without a problem beside one that has some, in the places of the list sent [RSH-9]', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call);
    const home = { name: 'home', condition: 'ctx.country == "DE"', then: 'yes' };
    const { body } = await analyse(call, id, [
      { ...large, condition: 'ctx.amount >' },
      home,
      { ...home, condition: 'true' },
      { name: 'typo', condition: 'ctx.contry == "AT"', then: 'no' },
    ]);
    expect(body.problems.map(({ rule }: { rule: number }) => rule)).toEqual([0, 2]);
    expect(body.impact.rules.map(({ rule, name }: { rule: number; name: string }) => [rule, name])).toEqual([
      [1, 'home'],
      [3, 'typo'],
    ]);
    expect(body.impact.rules[0].examples).toMatchObject({ matched: 3, agrees: 1, disagrees: 2 });
    expect(body.impact).toMatchObject({ examples: { rows: 4, undecided: 1 }, against_saved: null });
    expect(body.findings.map(({ kind, rule }: { kind: string; rule: number }) => [kind, rule])).toEqual([
      ['field', 3],
      ['no_example', 3],
    ]);
  });

  it('lists the newest examples that no rule decides, without values of personal fields [RSH-10]', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call, { pii_fields: ['country'] });
    const { body } = await analyse(call, id, [{ ...large, condition: 'ctx.amount > 200' }]);
    const rows = body.impact.examples.undecided_rows;
    expect(rows).toMatchObject([{ expected: 'no' }, { expected: 'yes' }]);
    expect(rows[0].input).toMatch(/^\{"amount":150,"country":"pii:/);
  });

  it('tells which logged decisions a rule would have decided otherwise', async () => {
    const { call, deps } = await openForTest();
    const id = await typeWithExamples(call);
    const insert = prepareLogInsert(deps.db);
    const typeSeq =
      deps.db.prepare<[string], number>('SELECT seq FROM decision_types WHERE id = ?').pluck().get(id) ?? 0;
    for (const amount of [150, 250]) {
      insert({
        ...usualDecision,
        decisionTypeSeq: typeSeq,
        requestId: `request-${amount}`,
        input: { amount, country: 'DE' },
        decision: 'no',
        confidence: 1,
        stage: 'rules',
        classProbabilities: {},
        rulesTriggered: ['large'],
        policyVersion: '1',
        createdAt: deps.clock.now(),
      });
    }
    const { body } = await analyse(call, id, [{ ...large, condition: 'ctx.amount > 200', then: 'yes' }]);
    expect(body.impact.decisions).toEqual({ rows: 2, undecided: 1 });
    expect(body.impact.rules[0].decisions).toEqual({ matched: 1, changed: 1, errors: 0, masked: 0 });
    expect(body.impact.against_saved.decisions).toMatchObject({ rows: 2, changed: 2 });
  });

  it('finds a rule that is never reached and a field that no example has, in the order of the list sent', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call);
    const { body } = await analyse(call, id, [
      { name: 'huge', condition: 'ctx.amount > 1000', then: 'yes', priority: 50 },
      { name: 'typo', condition: 'ctx.contry == "DE"', then: 'yes', priority: 60 },
      { ...large, priority: 10 },
    ]);
    expect(body.findings).toContainEqual(
      expect.objectContaining({
        kind: 'never_reached',
        rule: 0,
        other: 2,
        basis: 'exact',
        shown_by: { rows: 0, of: 4 },
      }),
    );
    const typo = body.findings.find((finding: { kind: string }) => finding.kind === 'field');
    expect(typo).toMatchObject({
      rule: 1,
      basis: 'examples',
      shown_by: { rows: 4, of: 4 },
      suggestion: 'Did you mean ctx.country?',
      range: { start: 0, end: 10 },
    });
  });

  it('says what only the examples show, with their number, and what holds for every input', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call);
    const rules = [
      { name: 'abroad', condition: '!ctx.country.startsWith("D")', then: 'no', priority: 10 },
      { name: 'austria', condition: 'ctx.country.endsWith("T")', then: 'yes', priority: 20 },
      { name: 'swiss', condition: 'ctx.country.endsWith("H")', then: 'yes', priority: 30 },
      { name: 'odd', condition: 'ctx.amount > 5 && ctx.amount < 3', then: 'yes', priority: 40 },
    ];
    const { body } = await analyse(call, id, rules);
    const told = body.findings.map((finding: Record<string, unknown>) => [
      finding.kind,
      finding.rule,
      finding.basis,
      finding.shown_by,
    ]);
    expect(told).toEqual([
      ['never_reached', 1, 'examples', { rows: 1, of: 4 }],
      ['overlap', 1, 'examples', { rows: 1, of: 4 }],
      ['no_example', 2, 'examples', { rows: 4, of: 4 }],
      ['never_true', 3, 'exact', null],
    ]);
    const checked = await call('POST', '/api/v1/rules/check', { rules, options: ['yes', 'no'] });
    expect(checked.body.findings).toMatchObject([{ kind: 'never_true', rule: 3, basis: 'exact', shown_by: null }]);
  });

  it('names the values that a field has where a rule asks for another one, but no personal ones [RSH-8]', async () => {
    const { call } = await openForTest();
    const asked = { ...large, condition: 'ctx.amount > 1 && ctx.country == "Germany"' };
    const suggestionsOf = async (definition: Record<string, unknown>) => {
      const id = await typeWithExamples(call, definition);
      const { body } = await analyse(call, id, [asked]);
      return body.findings.map(({ suggestion }: { suggestion: string }) => suggestion);
    };
    expect(await suggestionsOf({})).toEqual(['ctx.country is never "Germany". It is "DE", "AT".']);
    expect(await suggestionsOf({ name: 'hidden', pii_fields: ['country'] })).toEqual([
      'Compare its fields and values with those of the examples.',
    ]);
  });

  it('shows no value of a personal field beside a row that disagrees', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call, { pii_fields: ['country'] });
    const { body } = await analyse(call, id, [{ ...large, condition: 'ctx.amount == 300' }]);
    const [row] = body.impact.rules[0].examples.disagreeing;
    expect(row.input).toMatch(/^\{"amount":300,"country":"pii:/);
    expect(row.input).not.toContain('AT');
  });

  it('keeps values of personal fields out, and answers with places while a rule is unfinished', async () => {
    const { call } = await openForTest();
    const id = await typeWithExamples(call, { pii_fields: ['country'] });
    const { body } = await analyse(call, id, [{ ...large, condition: 'ctx.amount >' }]);
    expect(body).toMatchObject({ findings: [], impact: { examples: { rows: 4, undecided: 4 }, rules: [] } });
    expect(body.problems[0]).toMatchObject({ rule: 0, field: 'condition' });
    expect(body.fields[1]).toMatchObject({ path: ['country'], types: ['text'], values: [], counts: [] });
  });

  it('reads more examples than fit one chunk, and no type of a stranger', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, { hard_rules: [large] });
    const examples = Array.from({ length: 250 }, (_, i) => ({ input: { amount: i }, decision: 'yes' }));
    const added = await call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    expect(added.status).toBe(201);
    const { body } = await analyse(call, id, [large]);
    expect(body.impact.rules[0].examples).toMatchObject({ matched: 149, disagrees: 149 });
    expect(body.impact.rules[0].examples.disagreeing).toHaveLength(20);
    expect((await analyse(call, crypto.randomUUID(), [])).status).toBe(404);
  });
});
