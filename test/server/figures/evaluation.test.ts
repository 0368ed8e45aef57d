/** Looking behind the figures of a policy: the rows of a cell, and two policies on the same rows. */

import { beforeAll, describe, expect, it } from 'vitest';
import { computeMcNemarP } from '../../../src/engine/measure/compare.ts';
import { quoteAccuracy } from '../../../src/engine/measure/quote-share.ts';
import { createTrainable, loanExamples, loanType, openForAll, pollUntil, quickly, terminal } from '../workbench.ts';

type Row = {
  expected: string;
  predicted: string;
  confidence: number;
  input: object | null;
  example_id: string;
  whole: { decision: string; stage: string; escalate: boolean } | null;
};

describe('the held-out examples of policies', () => {
  const bench = openForAll();
  let path: string;
  const policies: string[] = [];

  beforeAll(async () => {
    // Every seventh label is wrong, so that there are errors to look at.
    const examples = (loanExamples(60) as { decision: string }[]).map((example, i) =>
      i % 7 === 0 ? { ...example, decision: example.decision === 'approve' ? 'decline' : 'approve' } : example,
    );
    path = await createTrainable(bench, loanType, examples);
    for (const settings of [quickly, { ...quickly, augment: true, augment_target_size: 400 }]) {
      const started = await bench.call('POST', `${path}/train`, settings);
      expect(started.status).toBe(202);
      policies.push(started.body.policy_id);
      await pollUntil(() => bench.call('GET', `${path}/policies/${started.body.policy_id}/progress`), terminal);
    }
  });

  const rowsOf = async (policy: string, query = ''): Promise<{ total: number; items: Row[] }> =>
    (await bench.call('GET', `${path}/policies/${policy}/held-out?page_size=100${query}`)).body;

  const reportOf = async (policy: string) => bench.call('GET', `${path}/policies/${policy}/report`);

  it('say whether other rules make the whole decision better or worse, before these are saved [RSH-7] [RSH-15]', async () => {
    const [policy = ''] = policies;
    const rule = { name: 'all', condition: 'true', then: 'approve', priority: 1 };
    const effectOf = (rules: object[]) => bench.call('POST', `${path}/policies/${policy}/rules-effect`, { rules });
    const whole = (await bench.call('GET', `${path}/policies/${policy}/whole-decision`)).body;
    const { hard_rules } = (await bench.call('GET', path)).body.active_version;
    const same = (await effectOf(hard_rules)).body;
    const { accuracy, automatic, error_automatic } = whole;
    const now = { accuracy, automatic, error_automatic, cost_per_1000: null };
    expect(same).toMatchObject({ verdict: 'unchanged', rows: whole.rows, before: now, after: now });
    const worse = (await effectOf([rule])).body;
    expect(worse).toMatchObject({ verdict: 'worse', before: now, after: { automatic: { share: 1 } } });
    const approved = (await rowsOf(policy, '&expected=approve')).total;
    expect(worse.after.accuracy.count).toBe(approved);
    expect(worse.only_after_right - worse.only_before_right).toBe(approved - accuracy.count);
    expect(worse.sentence).toMatch(
      /^Worse by [\d.]+ points: right [\d.]+% → [\d.]+%, decided alone [\d.]+% → 100%, wrong among these/,
    );
    await bench.call('PUT', path, { costs: { currency: '€', look: 1, wrong: 10, pairs: [] } });
    const costly = (await effectOf([rule])).body;
    const wrong = worse.after.accuracy.of - approved;
    expect(costly.after.cost_per_1000).toBeCloseTo((10_000 * wrong) / worse.rows);
    expect(costly.sentence).toMatch(/cost [\d.,]+ → [\d.,]+ € per 1,000/);
    // What a rule adds is what goes with it.
    const two = [
      { ...rule, name: 'large', condition: 'ctx.amount > 5000', then: 'decline' },
      { ...rule, priority: 2 },
    ];
    const both = (await effectOf(two)).body;
    expect(both.rules.map(({ name }: { name: string }) => name)).toEqual(['large', 'all']);
    for (const { name, right, right_without, points, cost_per_1000 } of both.rules) {
      const others = (await effectOf(two.filter((each) => each.name !== name))).body.after;
      expect([right - right_without, cost_per_1000]).toEqual([
        both.after.accuracy.count - others.accuracy.count,
        expect.closeTo(both.after.cost_per_1000 - others.cost_per_1000),
      ]);
      expect(points).toBeCloseTo((100 * (right - right_without)) / both.rows);
    }
    await bench.call('PUT', path, { costs: null });
    const refused = await effectOf([{ ...rule, condition: 'ctx.amount >' }]);
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'rules', 0, 'condition']]);
  });

  it('fill a report of one page, whose figures are those of the whole decision [RPT-1] [RPT-2]', async () => {
    const [policy = ''] = policies;
    const whole = (await bench.call('GET', `${path}/policies/${policy}/whole-decision`)).body;
    const { status, headers, text } = await reportOf(policy);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-disposition']).toBe('attachment; filename="loan-v1-report.html"');
    const { accuracy, automatic, error_automatic, baseline } = whole;
    const { phrase, beside } = quoteAccuracy(accuracy);
    expect(text).toContain(`${phrase} <small class="quiet">${beside}</small>`);
    expect(text).toContain(`Correct if always <bdi>${baseline.option}</bdi></th>`);
    const lines = [...text.matchAll(/<th scope="row"><bdi>(\w+)<\/bdi><\/th>((?:<td class="\w+">\d+<\/td>)+)<\/tr>/g)];
    expect(lines.map(([, option]) => option)).toEqual(whole.confusion_labels);
    const counts = lines.map(([, , cells = '']) => [...cells.matchAll(/>(\d+)</g)].map(([, count]) => Number(count)));
    expect(counts).toEqual(whole.confusion_matrix);
    const [{ created_at }] = (await bench.call('GET', `${path}/examples?page_size=1`)).body.items;
    expect(text).toContain(
      `120 examples now, added on ${created_at.slice(0, 10)}: 120 with a label, 0 reviewed by a person.`,
    );
    for (const { count, of } of [accuracy, baseline.accuracy, automatic, error_automatic])
      expect(text).toContain(`${count} of ${of}</td>`);
    expect(text).toContain('If <bdi>amount</bdi> is over <bdi>50000</bdi>, the answer is <bdi>decline</bdi>.');
    expect(text).toContain('No error limit is promised.');
    expect(text).not.toMatch(/<script|@example\.org|(?:src|href|style)=|What it costs/);
    expect(text).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    );
  });

  it('fill a report that says why costs cannot be weighed on few rows [RPT-3]', async () => {
    const [policy = ''] = policies;
    await bench.call('PUT', path, { costs: { currency: '€', look: 1.5, wrong: 10, pairs: [] } });
    const { rows } = (await bench.call('GET', `${path}/policies/${policy}/costs`)).body;
    const sentence = `${rows} held-out rows are too few to weigh costs. It takes 30.`;
    expect((await reportOf(policy)).text).toContain(`<h2>What it costs</h2><p><bdi>${sentence}</bdi></p></section>`);
    await bench.call('PUT', path, { costs: null });
  });

  it('fill no report where there is no such policy, or its training was cancelled [RPT-2]', async () => {
    expect((await reportOf('00000000-0000-7000-8000-000000000000')).status).toBe(404);
    const other = await createTrainable(bench, { ...loanType, name: 'other' }, loanExamples(40));
    const started = await bench.call('POST', `${other}/train`, {});
    const policy = `${other}/policies/${started.body.policy_id}`;
    await bench.call('POST', `${policy}/cancel`);
    await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    const refused = await bench.call('GET', `${policy}/report`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  });

  it('are not needed for a report of rules alone, in which hostile names are inert [RPT-1] [RPT-2]', async () => {
    const turned = 'pay <img src=x onerror="alert(1)">';
    const made = await bench.call('POST', '/decision-types', {
      name: `</title><script>alert('name')</script>`,
      description: '<b>&amp; more</b>',
      options: [turned, 'deny'],
      fallback_option: 'deny',
      rules: [
        { name: 'code', condition: 'ctx.amount * 2 > 10 || ctx["</p><b>"] == "<i>"', then: turned, priority: 1 },
        { name: 'words', condition: 'ctx["<s>"] in ["<u>", "x"] && !has(ctx.a.b)', then: 'deny', priority: 2 },
      ],
    });
    const rulesOnly = await bench.call('POST', `/decision-types/${made.body.id}/policies`, { kind: 'rules_only' });
    const { status, text } = await bench.call(
      'GET',
      `/decision-types/${made.body.id}/policies/${rulesOnly.body.id}/report`,
    );
    expect(status).toBe(200);
    expect(text).not.toMatch(/<(?:script|img|b|i|s|u)[\s>]|\u202E/);
    expect(text).toContain('pay &lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    expect(text).toContain('If <code><bdi>ctx.amount * 2 &gt; 10 || ctx[&quot;&lt;/p&gt;&lt;b&gt;&quot;]');
    expect(text).toContain(
      'If <bdi>&lt;s&gt;</bdi> is one of <bdi>&quot;&lt;u&gt;&quot;</bdi>, <bdi>&quot;x&quot;</bdi> and <bdi>a.b</bdi> is missing, the answer is <bdi>deny</bdi>.',
    );
    expect(text).toContain('It was not measured, because rules alone learn from no examples.');
    expect(text).toContain('The fallback option <bdi>deny</bdi> answers what no rule decides.');
  });

  it('fill every cell of the confusion matrix with as many rows as it says', async () => {
    const [policy = ''] = policies;
    const { metrics } = (await bench.call('GET', `${path}/policies/${policy}`)).body;
    const labels: string[] = metrics.confusion_labels;
    for (const [r, expected] of labels.entries()) {
      for (const [c, predicted] of labels.entries()) {
        const cell = await rowsOf(
          policy,
          `&expected=${encodeURIComponent(expected)}&predicted=${encodeURIComponent(predicted)}`,
        );
        expect(cell.total).toBe(metrics.confusion_matrix[r][c]);
        for (const row of cell.items) expect(row).toMatchObject({ expected, predicted, input: expect.any(Object) });
      }
    }
    const all = await rowsOf(policy);
    expect(all.total).toBe(metrics.test_size);
    const confidences = all.items.map((row) => row.confidence);
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
  });

  it('fill every cell of what rules, classifier and thresholds decide, also with other thresholds [HDL-2]', async () => {
    const [policy = ''] = policies;
    const base = `${path}/policies/${policy}`;
    await bench.call('PUT', path, { hard_rules: [{ ...loanType.rules[0], condition: 'ctx.employed' }] });
    const present = (await bench.call('GET', `${base}/whole-decision`)).body;
    const strict = '&auto_decide=1&escalation=0.5';
    const tried = (await bench.call('GET', `${base}/whole-decision?${strict.slice(1)}`)).body;
    expect(tried.confidence_thresholds).toEqual({ auto_decide: 1, escalation: 0.5 });
    expect(tried.automatic.count).toBeLessThan(present.automatic.count);
    const { metrics } = (await bench.call('GET', base)).body;
    expect(present.confusion_matrix).not.toEqual(metrics.confusion_matrix);
    // Beside what the training measured, the policy has the current whole decision, as lists and its card have it.
    expect(present).toMatchObject({ ...metrics.whole, escalated: { share: metrics.escalation_estimate } });
    for (const [whole, thresholds] of [
      [present, ''],
      [tried, strict],
    ]) {
      const { confusion_labels: labels, confusion_matrix: matrix, per_class, confidence_bins } = whole;
      const diagonal = labels.map((_: string, place: number) => matrix[place][place]);
      const add = (sum: number, count: number) => sum + count;
      expect(diagonal.reduce(add)).toBe(whole.accuracy.count);
      const binned = confidence_bins.flatMap(({ right, wrong }: { right: number; wrong: number }) => [right, wrong]);
      expect(binned.reduce(add)).toBeLessThanOrEqual(whole.rows - whole.by_rule.count);
      for (const [r, expected] of labels.entries()) {
        expect(per_class[expected].support).toBe(matrix[r].reduce(add));
        expect(per_class[expected].recall).toBeCloseTo(matrix[r][r] / per_class[expected].support);
        for (const [c, decided] of labels.entries()) {
          const cell = await rowsOf(policy, `&expected=${expected}&decided=${decided}${thresholds}`);
          expect(cell.total).toBe(matrix[r][c]);
          for (const row of cell.items) expect(row).toMatchObject({ expected, whole: { decision: decided } });
          const sure = cell.items.map((row) => row.confidence);
          expect(sure).toEqual([...sure].sort((a, b) => b - a));
        }
      }
    }
    const ruled = (await rowsOf(policy)).items.filter(({ whole }) => whole?.stage === 'rules');
    expect(ruled.length).toBe(present.by_rule.count);
    expect((await bench.call('GET', `${base}/whole-decision?auto_decide=0.2`)).status).toBe(422);
    await bench.call('PUT', path, { hard_rules: loanType.rules });
  });

  it('are never among the rows that an augmentation adds to the training side [TRN-13]', async () => {
    const [plain, augmented] = await Promise.all(
      policies.map(async (policy) => (await bench.call('GET', `${path}/policies/${policy}`)).body),
    );
    const { augmentation, train_size, test_size } = augmented.metrics;
    const own = plain.metrics.train_size;
    expect(plain.metrics.augmentation).toMatchObject({ status: 'not_requested', augmented_count: 0 });
    expect(augmentation).toMatchObject({ status: 'completed', target_size: 400, failure_reason: '' });
    expect(test_size).toBe(plain.metrics.test_size);
    expect(train_size).toBe(400);
    expect(augmentation.augmented_count).toBe(400 - own);
    const perClass = Object.values<number>(augmentation.per_class_counts);
    expect(perClass.reduce((sum, count) => sum + count, 0)).toBe(400 - own);
    const summaries = (await bench.call('GET', `${path}/policies`)).body;
    expect(summaries.map((row: { augmentation_status: string }) => row.augmentation_status)).toEqual([
      'completed',
      'not_requested',
    ]);
  });

  it('tell which of two policies is right where the other errs', async () => {
    const [first = '', second = ''] = policies;
    const compared = (
      await bench.call('GET', `${path}/policies/${first}/comparison?with=${second}&judged=classifier&page_size=100`)
    ).body;
    const [one, other] = [await rowsOf(first), await rowsOf(second)];
    const right = (rows: Row[]) =>
      new Set(rows.filter((row) => row.predicted === row.expected).map((row) => row.example_id));
    const [rightFirst, rightSecond] = [right(one.items), right(other.items)];
    expect(compared.rows).toBe(one.total);
    expect(compared.both_right + compared.both_wrong + compared.only_first_right + compared.only_second_right).toBe(
      compared.rows,
    );
    expect(compared.only_first_right).toBe([...rightFirst].filter((id) => !rightSecond.has(id)).length);
    expect(compared.total).toBe(compared.only_first_right + compared.only_second_right);
    for (const row of compared.items) {
      expect((row.first.predicted === row.expected) !== (row.second.predicted === row.expected)).toBe(true);
    }
    const itself = (await bench.call('GET', `${path}/policies/${first}/comparison?with=${first}`)).body;
    expect(itself).toMatchObject({ rows: one.total, only_first_right: 0, only_second_right: 0, items: [], p_value: 1 });
    expect(itself.sentence).toBe('Neither is better: both are right on the same examples.');
  });

  it('tell the same of two whole decisions, with the chance that the difference is none [HDL-3]', async () => {
    const [first = '', second = ''] = policies;
    const { id } = (await bench.call('GET', path)).body;
    await bench.call('PUT', path, { fallback_option: 'decline' });
    const whole = async (query = '') =>
      (await bench.call('GET', `${path}/policies/${first}/comparison?with=${second}&page_size=100${query}`)).body;
    for (const thresholds of ['', '&auto_decide=0.95&escalation=0.95', '&auto_decide=1&escalation=1']) {
      const right = async (policy: string) =>
        new Map(
          (await rowsOf(policy, thresholds)).items.map((row) => [
            row.example_id,
            { ...row, isRight: row.whole?.decision === row.expected },
          ]),
        );
      const [one, other] = [await right(first), await right(second)];
      const only = [...one.values()].filter((row) => row.isRight && !other.get(row.example_id)?.isRight).length;
      const others = [...one.values()].filter((row) => !row.isRight && other.get(row.example_id)?.isRight).length;
      const compared = await whole(thresholds);
      expect(compared).toMatchObject({ rows: one.size, only_first_right: only, only_second_right: others });
      expect(compared.p_value).toBeCloseTo(computeMcNemarP({ onlyFirst: only, onlySecond: others }), 12);
      expect(compared.items.length).toBe(only + others);
      for (const row of compared.items) {
        expect(row.first.decision).toBe(one.get(row.example_id)?.whole?.decision);
        expect(row.second.decision).toBe(other.get(row.example_id)?.whole?.decision);
      }
    }
    // The fallback answers both where nothing is sure enough.
    expect((await whole('&auto_decide=1&escalation=1')).p_value).toBe(1);
    expect((await bench.call('GET', `/decision-types/${id}`)).body.fallback_option).toBe('decline');
  });

  it('stand beside what another policy would decide on logged inputs, which records nothing [RPL-1]', async () => {
    const [first = '', second = ''] = policies;
    const { name } = (await bench.call('GET', path)).body;
    // Near the border, where the two are likely to differ.
    const inputs = Array.from({ length: 50 }, (_, at) => ({
      applicant: { score: 605 + at },
      amount: 1_000 + ((at * 733) % 9_000),
      purpose: 'car',
      employed: at % 2 === 0,
    }));
    const decisions = inputs.map((input) => ({ decision_type: name, input }));
    const decideBy = async (policy: string, query: string) => {
      expect((await bench.call('POST', `${path}/policies/${policy}/deploy`, {})).status).toBe(200);
      const { results } = (await bench.call('POST', `/decide/batch${query}`, { decisions })).body;
      return results as { decision: string; confidence: number; stage: string; escalate: boolean }[];
    };
    const of = ({ decision, confidence, stage, escalate }: Awaited<ReturnType<typeof decideBy>>[number]) => ({
      decision,
      confidence,
      stage,
      escalate,
    });
    const bySecond = await decideBy(second, '?dry_run=true');
    const byFirst = await decideBy(first, '');
    const { items, total } = (await bench.call('GET', `${path}/logs?page_size=100`)).body;
    const replay = async (query: string) => (await bench.call('GET', `${path}/policies/${second}/replay${query}`)).body;
    const end_time = items[0].created_at;
    const pages = await Promise.all(
      [1, 2, 3].map((page) => replay(`?page=${page}&page_size=20&end_time=${encodeURIComponent(end_time)}`)),
    );
    expect(pages.map(({ rows, refused, total: of }) => [rows, refused, of])).toEqual([
      [20, 0, total],
      [20, 0, total],
      [total - 40, 0, total],
    ]);
    const expected = inputs.flatMap((input, at) => {
      const [one, other] = [byFirst[at], bySecond[at]];
      if (one === undefined || other === undefined || one.decision === other.decision) return [];
      return [{ input, deployed: of(one), replayed: of(other) }];
    });
    expect(expected.length).toBeGreaterThan(0);
    const found = pages.flatMap((page) => page.items).map(({ log_id: _id, ...row }) => row);
    expect(found).toEqual(expected.reverse());
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(total);
    expect((await bench.call('GET', `${path}/policies/${first}/replay?page_size=100`)).body.items).toEqual([]);
  });

  it('are kept apart from other types and survive the deletion of an example', async () => {
    const [policy = ''] = policies;
    const [row] = (await rowsOf(policy)).items;
    await bench.call('DELETE', `${path}/examples/${row?.example_id}`);
    const after = (await rowsOf(policy)).items.find(({ example_id }) => example_id === row?.example_id);
    expect(after).toEqual({ ...row, input: null, whole: null });
    const other = await createTrainable(bench, { ...loanType, name: 'another' }, loanExamples(40));
    expect((await bench.call('GET', `${other}/policies/${policy}/held-out`)).status).toBe(404);
    expect((await bench.call('GET', `${path}/policies/${policy}/comparison?with=${crypto.randomUUID()}`)).status).toBe(
      404,
    );
    expect((await bench.call('GET', `${path}/policies/${policy}/comparison`)).status).toBe(422);
  });
});
