/** An engineer follows docs/engineers.md from the first command to the last, and sees what it says. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildEdge } from '../../../scripts/bundling/build-edge.ts';
import { makeSampleFolder, openForTest, temporaryFolder } from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/engineers.md'), 'utf8');

type Step = { command: string; expected: string };

/** The commands of the page, each with what it prints: a line begins with `$`, goes on with `>`, is answered else. */
function readSteps(): Step[] {
  return [...page.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const lines = step.trimEnd().split('\n');
        const end = lines.findIndex((line, at) => at > 0 && !/^>( |$)/.test(line));
        const commands = (end === -1 ? lines : lines.slice(0, end)).map((line, at) =>
          at === 0 ? line : line.slice(2),
        );
        return { command: commands.join('\n'), expected: end === -1 ? '' : lines.slice(end).join('\n') };
      }),
  );
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** `…` stands for anything, also for several lines where it stands alone. */
function toPattern(expected: string): RegExp {
  const parts = expected.split(/^(…)$|…/m).map((part) => part?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.map((part) => (part === undefined ? '.*' : part === '…' ? '[^]*' : part)).join('')}$`);
}

test('every command of the page prints what the page says [SRV-9]', async () => {
  await buildEdge(join(root, 'out/decision-edge'));
  const { dataDir, url } = await makeSampleFolder();
  const { app, token } = await openForTest({ dataDir });
  const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'refunds.zip'), (await app.inject({ url: `${url}/export`, headers })).rawPayload);
  const port = String(await findFreePort());
  const steps = readSteps().map((step) => ({ ...step, command: step.command.replaceAll('8080', port) }));
  const script = steps.map(({ command }, at) => `printf '\\n@step %d\\n' ${at}\n${command}\n`).join('');
  const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n${script}`], {
    cwd: folder,
    env: { ...process.env, REPOSITORY: root },
    encoding: 'utf8',
    timeout: 600_000,
  });
  const printed = stdout.split(/^@step \d+\n/m).slice(1);
  expect(printed, stdout).toHaveLength(steps.length);
  for (const [at, { command, expected }] of steps.entries()) {
    expect(printed[at]?.trimEnd() ?? '', `$ ${command}`).toMatch(toPattern(expected.trimEnd()));
  }
}, 900_000);
