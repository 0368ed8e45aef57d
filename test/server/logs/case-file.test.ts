/** The case file says of one decision, in words for a layman, all that is known of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CaseFile } from '../../../src/engine/report/write-case.ts';
import { runCommand } from '../../../src/server/command-line/run-command.ts';
import { deployForAll, loanExamples, loanType, openForTest, temporaryFolder } from '../workbench.ts';

const applicant = {
  applicant: { score: 700, email: 'ada@example.org' },
  amount: 4_000,
  purpose: 'car',
  employed: true,
};

describe('The case file of a decision', () => {
  const folder = deployForAll(
    { ...loanType, description: 'May the loan be given?', pii_fields: ['applicant.email'] },
    loanExamples(40),
  );

  async function open() {
    const { call, dataDir, close } = await openForTest({ dataDir: folder.copy() });
    /** Decides, and gives the record's path with its case. */
    const decide = async (change: object = {}) => {
      const { body } = await call('POST', '/api/v1/decide', {
        decision_type: 'loan',
        input: { ...applicant, ...change },
      });
      const [record] = (await call('GET', `${folder.url}/logs`)).body.items;
      const url = `${folder.url}/logs/${record.id}`;
      const read = async (): Promise<CaseFile> => JSON.parse((await call('GET', `${url}/case`)).text);
      const page = async (language: string) => (await call('GET', `${url}/case?format=html&language=${language}`)).text;
      return { url, answer: body, read, page };
    };
    return { call, dataDir, close, decide };
  }

  it('names the rule that decided, in words, and the release with what was known of its errors [LOG-11]', async () => {
    const { decide } = await open();
    const { answer, read, page } = await decide({ amount: 60_000 });
    const found = await read();
    expect(found).toMatchObject({
      language: 'en',
      request_id: answer.request_id,
      decision: 'decline',
      stage: 'rules',
      rule: { name: 'too much', condition: 'ctx.amount > 50000' },
      classifier: null,
      looked: [],
      release: { number: 1, digest: answer.digest, policy_version: 'v1', by: null },
      masked_fields: ['applicant.email'],
    });
    expect(found.known_errors?.of).toBeGreaterThan(0);
    const html = await page('en');
    expect(html).toContain('If “amount” is over “50000”, the answer is “decline”.');
    expect(await page('de')).toContain('Die Antwort lautet “decline”, wenn gilt: “amount” ist größer als “50000”.');
    expect(await page('fr')).toContain('La réponse est “decline” si : “amount” est supérieur à “50000”.');
    expect(html).toContain(`<code><bdi>${answer.request_id}</bdi></code>`);
    expect(html).toMatch(/Of \d+ cases that it had not seen/);
    expect(html).not.toContain('ada@example.org');
    expect(html).not.toMatch(/<script|https?:/);
  });

  it('tells main causes, what would have changed it and who looked, by the release that decided [LOG-11]', async () => {
    const { call, decide } = await open();
    const { url, answer, read, page } = await decide();
    await call('PUT', folder.url, { hard_rules: [], fallback_option: 'decline' });
    await call('PUT', `${url}/correction`, { decision: answer.decision === 'approve' ? 'decline' : 'approve' });
    const found = await read();
    expect(found).toMatchObject({ stage: 'classifier', rule: null, release: { number: 1 } });
    expect(found.causes.length).toBeGreaterThan(0);
    expect(found.looked).toEqual([{ who: 'Owner', at: expect.any(String), decision: found.corrected_decision }]);
    for (const { decision } of found.would_change ?? []) expect(decision).not.toBe(found.decision);
    const german = await page('de');
    expect(german).toContain('<html lang="de">');
    expect(german).toContain('Ein Mensch hat sie seitdem berichtigt');
    expect(german).toContain('Was zu einer anderen Antwort geführt hätte');
    expect(await page('fr')).toContain('Ce qui a le plus compté pour <bdi>');
    expect(await page('es')).toContain('Lo que más pesó a favor de');
    expect((await call('GET', `${url}/case?language=it`)).status).toBe(422);
  });

  it('says that the fallback answered, that a person should look, and that the case was unlike others [LOG-11]', async () => {
    const { call, decide } = await open();
    await call('PUT', folder.url, { confidence_thresholds: { auto_decide: 1, escalation: 1 } });
    const flagged = await decide();
    expect(await flagged.page('en')).toContain('The case was marked for a person to look at.');
    await call('PUT', folder.url, { fallback_option: 'decline' });
    const fallback = await decide();
    expect((await fallback.read()).classifier).not.toBeNull();
    expect(await fallback.page('en')).toContain(
      'In such a case the answer is always <bdi>decline</bdi>, set beforehand by people.',
    );
    expect(await (await decide({ amount: -9e9 })).page('en')).toContain(
      'unlike those that the program had learned from',
    );
  });

  it('is written by command for a request id [LOG-11]', async () => {
    const { decide, dataDir, close } = await open();
    const { answer } = await decide();
    await decide({ amount: 1 });
    await close();
    const file = join(temporaryFolder(), 'case.html');
    const run = (...args: string[]) => runCommand('case', [...args, '--data-dir', dataDir], {});
    expect(await run(answer.request_id, '--language', 'fr', '--out', file)).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(answer.request_id);
    expect(await run('018f0000-0000-7000-8000-000000000000')).toBe(2);
    expect(await run(answer.request_id, '--format', 'pdf')).toBe(2);
  });
});
