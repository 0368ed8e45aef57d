/** After six trainings and a move to another folder the whole log is decided again as it was. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { deployForAll, loanExamples, loanType, openForTest, temporaryFolder, train } from '../workbench.ts';

const trainings = 6;
const perTraining = 167;
const folder = deployForAll(loanType, loanExamples(40));

it('1,000 of 1,000 decisions of six policies are made again to the last digit, in another folder [LOG-8]', async () => {
  const first = await openForTest({ dataDir: folder.copy() });
  const { call } = first;
  const { url } = folder;
  for (let training = 1; training <= trainings; training += 1) {
    if (training > 1) {
      await call('POST', `${url}/examples`, { examples: loanExamples(40 + training).slice(-4) });
      const id = await train(call, url);
      await call('POST', `${url}/policies/${id}/deploy`, { reason: 'the next one' });
    }
    const decisions = Array.from({ length: perTraining }, (_, at) => ({
      decision_type: 'loan',
      input: {
        applicant: { score: 300 + ((at * 37 + training) % 500), email: `a${at}@example.org` },
        amount: 1_000 + ((at * 7_919) % 60_000),
        purpose: at % 3 === 0 ? 'car' : 'holiday',
        employed: at % 2 === 0,
      },
    }));
    for (let at = 0; at < perTraining; at += 50)
      expect((await call('POST', '/api/v1/decide/batch', { decisions: decisions.slice(at, at + 50) })).status).toBe(
        200,
      );
  }
  await first.close();
  const moved = join(temporaryFolder(), 'moved');
  cpSync(first.dataDir, moved, { recursive: true });
  const second = await openForTest({ dataDir: moved });
  let exact = 0;
  const policies = new Set<string>();
  for (let page = 1; page <= Math.ceil((trainings * perTraining) / 100); page += 1) {
    const query = `page=${page}&page_size=100`;
    const { body } = await second.call('GET', `${url}/logs/verification?${query}`);
    expect(body.items).toEqual([]);
    exact += body.exact;
    for (const { policy_version } of (await second.call('GET', `${url}/logs?${query}`)).body.items)
      policies.add(policy_version);
  }
  expect([exact, policies.size]).toEqual([trainings * perTraining, trainings]);
});

it('1,002 of 1,002 decisions of six policies of 0.3.0 are made again to the last digit by this program [LOG-8]', async () => {
  const dataDir = join(temporaryFolder(), 'upgraded');
  const packed = readFileSync(join(import.meta.dirname, '../../fixtures/release-0.3.0/folder.zip'));
  for (const [name, content] of Object.entries(unzipSync(packed))) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), content);
  }
  const { call } = await openForTest({ dataDir });
  const types = (await call('GET', '/api/v1/decision-types')).body.items;
  const { id } = types.find(({ name }: { name: string }) => name === 'loans');
  const path = `/api/v1/decision-types/${id}/logs`;
  let exact = 0;
  for (let page = 1; page <= 11; page += 1) {
    const { body } = await call('GET', `${path}/verification?page=${page}&page_size=100`);
    expect(body.items).toEqual([]);
    exact += body.exact;
  }
  const policies = new Set<string>();
  for (let page = 1; page <= 11; page += 1)
    for (const { policy_version } of (await call('GET', `${path}?page=${page}&page_size=100`)).body.items)
      policies.add(policy_version);
  expect([exact, policies.size]).toEqual([1_002, 6]);
  expect(existsSync(join(dataDir, 'backups/schema-37.db'))).toBe(true);
});
