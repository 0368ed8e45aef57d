/** Definitions as text: written, changed by hand, compared, proposed, tried and released by commands alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runCommand } from '../../../src/server/command-line/run-command.ts';
import { deployForAll, loanExamples, loanType, openForTest, temporaryFolder } from '../workbench.ts';

const loan = deployForAll(loanType, loanExamples(40));

/** Runs the command on a folder; returns its code, what it answers and what it says beside. */
async function run(dataDir: string, ...args: string[]) {
  const written: string[] = [];
  const told: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
  try {
    const code = await runCommand('definition', [...args, '--data-dir', dataDir], {});
    return { code, text: written.join(''), told: told.join('') };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

it('goes from the repository to what decides, and back, by commands [DEF-1] [DEF-2]', async () => {
  const dataDir = loan.copy();
  const copied = loan.copy();
  const bench = await openForTest({ dataDir });
  const [{ input }] = loanExamples(1) as [{ input: object }];
  const pinned = { input, decision: 'approve', must: true };
  expect((await bench.call('POST', `${loan.url}/examples`, { examples: [pinned] })).status).toBe(201);
  await bench.close();
  const file = join(temporaryFolder(), 'loan.yaml');
  expect((await run(dataDir, 'export', 'loan', '--out', file)).code).toBe(0);
  const text = readFileSync(file, 'utf8');
  // The same state gives the same text, and nothing of examples is in it.
  expect((await run(dataDir, 'export')).text).toBe(text);
  // A pull request that breaks a rule is refused before anything is proposed.
  const broken = join(temporaryFolder(), 'broken.json');
  const rule = { name: 'odd', condition: 'ctx.amount >> 5', then: 'decline' };
  writeFileSync(broken, JSON.stringify({ name: 'loan', options: ['approve', 'decline'], hard_rules: [rule] }));
  expect((await run(dataDir, 'apply', broken, '--dry-run')).code).toBe(2);
  expect(text).toMatch(/^# .*\n# .*\nname: loan\n/);
  expect(text).not.toMatch(/etag|created_at|\bid:/);
  expect(JSON.parse((await run(dataDir, 'apply', file)).text)).toMatchObject({ draft: false, changes: [] });

  const changed = text
    .replace(
      /hard_rules:[^\n]*\n/,
      'hard_rules:\n  - { name: huge, condition: ctx.amount > 900, then: decline, priority: 1 }\n',
    )
    .replace(/^groups:.*$/m, 'groups: { fields: [purpose] }')
    .replace(/^description:.*$/m, 'description: Who gets a loan');
  writeFileSync(file, changed);
  const tried = await run(dataDir, 'apply', file, '--dry-run');
  expect(JSON.parse(tried.text)).toEqual({
    decision_type: 'loan',
    draft: true,
    changes: [
      expect.stringMatching(/^Rule “huge” is new: /),
      'description: "" becomes "Who gets a loan".',
      'groups: null becomes {"fields":["purpose"],"favoured":null,"min_ratio":0.8,"max_error":null}.',
    ],
  });
  expect((await run(dataDir, 'export')).text).toBe(text);
  expect((await run(dataDir, 'check')).code).toBe(0);
  expect((await run(dataDir, 'apply', file)).code).toBe(0);
  const checked = await run(dataDir, 'check', 'loan');
  expect([checked.code, JSON.parse(checked.text)]).toMatchObject([
    1,
    { draft: true, red: [expect.stringMatching(/^Must: .* decides decline/)] },
  ]);
  const held = await run(dataDir, 'publish', 'loan');
  expect([held.code, held.told]).toEqual([2, expect.stringContaining('Must: ')]);
  const published = await run(dataDir, 'publish', 'loan', '--alias', 'prod', '--reason', 'As agreed');
  expect([published.code, JSON.parse(published.text)]).toMatchObject([0, { release: 2, alias: 'prod' }]);
  const hinted = join(temporaryFolder(), 'hinted.json');
  const hint = { name: 'near', condition: 'ctx.amount < 50', then: 'approve', priority: 9, hint: true };
  writeFileSync(hinted, JSON.stringify({ name: 'loan', options: ['approve', 'decline'], hard_rules: [hint] }));
  expect((await run(copied, 'apply', hinted)).code).toBe(0);
  expect((await run(copied, 'export')).text).toContain('hint: true');
  // What is released is what the file says.
  expect(JSON.parse((await run(dataDir, 'apply', file, '--dry-run')).text).changes).toEqual([]);
  expect(JSON.parse((await run(dataDir, 'publish', '--release', '1', '--reason', 'Back')).text).release).toBe(3);
  expect((await run(dataDir, 'publish', 'loan')).code).toBe(2);
});

it('makes a type that is not there, from YAML or JSON, and refuses another text with its place [DEF-1] [DEF-2]', async () => {
  const { dataDir, close } = await openForTest({});
  await close();
  const folder = temporaryFolder();
  const at = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const json = at('mails.json', JSON.stringify({ name: 'mails', options: ['keep', 'drop'] }));
  expect(JSON.parse((await run(dataDir, 'apply', json, '--dry-run')).text).changes).toEqual([
    'The decision type “mails” is made.',
  ]);
  expect((await run(dataDir, 'export', 'mails')).code).toBe(2);
  expect((await run(dataDir, 'apply', json)).code).toBe(0);
  expect((await run(dataDir, 'export', 'mails')).text).toContain('options:\n  - keep\n  - drop\n');
  for (const [text, place] of [
    ['name: mails\noptions: [keep', 'line 2: '],
    ['name: mails\noptions: [keep, drop]\nhard_rule: []\n', 'Unrecognized key: "hard_rule"'],
    ['- mails\n', 'the file: '],
    [
      'name: mails\noptions: [keep, drop]\nhard_rules: [{ name: a, condition: "ctx.a >", then: keep, priority: 1 }]',
      'hard_rules',
    ],
  ] as const) {
    const refused = await run(dataDir, 'apply', at('bad.yaml', text));
    expect([refused.code, refused.told]).toEqual([2, expect.stringContaining(place)]);
  }
});
