/** The documented commands, run as a supervisor runs them: by npm and by the `bin`, with its signals, limits and users. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deployForAll, loanExamples, loanType, temporaryFolder } from '../../server/workbench.ts';
import { holdConnections } from '../tools/held-connections.ts';
import { isAlive } from '../tools/is-alive.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const bin = path.join(root, 'bin/decision-workbench.js');
const ownNode = path.join(root, 'node_modules/.bin');
const { PATH = '', WORKBENCH_DATA_DIR: _folder, ...environment } = process.env;
const env = { ...environment, PATH: `${ownNode}:${PATH}` };
const trained = deployForAll(loanType, loanExamples(40));

function start(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The line of JSON of a server that is ready; the server itself ends with the test, whoever started it. */
async function readReadyLine({ stdout }: ChildProcess): Promise<{ url: string; pid: number }> {
  if (stdout === null) throw new Error('the standard output is not read');
  const [line] = await once(createInterface({ input: stdout }), 'line');
  const ready = JSON.parse(String(line)) as { url: string; pid: number };
  onTestFinished(() => {
    if (isAlive(ready.pid)) process.kill(ready.pid, 'SIGKILL');
  });
  return ready;
}

async function run(command: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = start(command, args, options);
  const told = child.stderr === null ? '' : text(child.stderr);
  const output = child.stdout === null ? '' : text(child.stdout);
  const [code] = await once(child, 'close');
  return { code: code as number | null, output: await output, told: await told };
}

function writeTable(folder: string): string {
  const file = path.join(folder, 'data.csv');
  const rows = Array.from({ length: 120 }, (_, row) => [(row * 37) % 100, row % 2 === 0 ? 'car' : 'house']);
  const lines = rows.map(
    ([amount, purpose]) => `${amount},${purpose},${Number(amount) < 50 === Number(amount) % 7 > 0 ? 'yes' : 'no'}`,
  );
  writeFileSync(file, ['amount,purpose,result', ...lines].join('\n'));
  return file;
}

describe('a server that npm started', () => {
  it.each([
    ['SIGTERM', 1],
    ['SIGKILL', 1],
    // As a terminal sends Ctrl+C: to the whole group.
    ['SIGINT', -1],
  ] as const)('ends with %s, and gives its folder back [RUN-6]', async (signal, target) => {
    const dataDir = temporaryFolder();
    const args = ['run', '-s', 'workbench', '--', 'serve', '--data-dir', dataDir, '--port', '0'];
    const npm = start('npm', args, { cwd: root, detached: true });
    const { pid } = await readReadyLine(npm);
    expect(pid).not.toBe(npm.pid);
    process.kill(target * (npm.pid ?? 0), signal);
    await expect.poll(() => isAlive(pid)).toBe(false);
    const next = start(bin, ['serve', '--data-dir', dataDir, '--port', '0']);
    expect((await readReadyLine(next)).pid).toBe(next.pid);
    next.kill('SIGTERM');
    expect(await once(next, 'exit')).toEqual([0, null]);
  });
});

describe('the command decision-workbench', () => {
  const loosen = (folder: string) => chmodSync(folder, 0o777);
  const canRestrict = spawnSync('unshare', ['-m', 'mount', '-o', 'remount,ro,bind', '/']).status === 0;

  it.skipIf(!canRestrict)(
    `trains on a read-only root as a user without name and home${canRestrict ? '' : ' (left out: nothing may be mounted here)'} [RUN-7]`,
    async () => {
      const folder = temporaryFolder();
      writeTable(folder);
      loosen(folder);
      const within =
        'mount -t tmpfs tmpfs "$1" && cp "$2" "$1" && chmod 777 "$1" && mount -o remount,ro,bind / && cd "$1"';
      const drop = 'setpriv --reuid 65532 --regid 65532 --clear-groups env -u HOME -u NODE_COMPILE_CACHE';
      const runThere = (before: string, rest: string) => {
        const script = `umask 022; ${within} && ${before} ${drop} "$3" ${rest}`;
        const place = path.join(folder, 'there');
        mkdirSync(place, { recursive: true });
        return run('unshare', ['-m', 'sh', '-c', script, 'sh', place, path.join(folder, 'data.csv'), bin]);
      };
      const train = 'train data.csv --label result --out policy.zip';
      const done = await runThere('TMPDIR=$PWD', `${train} && stat -c "%a %u" policy.zip && ls -A`);
      expect(done).toMatchObject({ code: 0 });
      const [answer = '', ...listed] = done.output.trim().split('\n');
      expect(JSON.parse(answer)).toMatchObject({ passed: true, bundle: 'policy.zip' });
      expect(listed).toEqual(['644 65532', 'data.csv', 'node-compile-cache', 'policy.zip']);
      const nowhere = await runThere('TMPDIR=/', 'train data.csv --label result');
      expect(nowhere).toMatchObject({ code: 3, output: '' });
      expect(nowhere.told).toMatch(/^Temporary files cannot be written .*\. Set TMPDIR to a folder .*\n$/);
      const homeless = await runThere('', 'token');
      expect(homeless).toMatchObject({
        code: 2,
        told: expect.stringMatching(/^This user has no home folder\. .*--data-dir/),
      });
    },
  );

  it('says to a Node that is too old which one it needs [RUN-7]', async () => {
    const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
    const { code, told } = await run(process.execPath, ['--import', older, bin, '--help']);
    expect([code, told]).toEqual([
      2,
      expect.stringMatching(/^Decision Workbench needs Node 24 or later; this is 20\.20\.2\. /),
    ]);
    const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe('>=24');
  });

  it('serves with 256 open files beside more connections than these, and ends in order [RUN-7]', async () => {
    const dataDir = temporaryFolder();
    const serve = 'ulimit -n 256 && exec "$0" serve --data-dir "$1" --port 0';
    const child = start('sh', ['-c', serve, bin, dataDir]);
    const { url } = await readReadyLine(child);
    await holdConnections(Number(new URL(url).port), 300, 'GET /health HTTP/1.1\r\nX-Slow: ');
    await expect.poll(async () => (await fetch(`${url}/health`).catch(() => null))?.status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('does not wait for a workbench that was stopped [CMD-13]', async () => {
    const dataDir = trained.copy();
    const server = start(bin, ['serve', '--data-dir', dataDir, '--port', '0']);
    const { url } = await readReadyLine(server);
    server.kill('SIGSTOP');
    const input = path.join(temporaryFolder(), 'rows.jsonl');
    writeFileSync(input, '{"amount":5}\n');
    const ended = await run(bin, ['decide', input, '--data-dir', dataDir]);
    server.kill('SIGCONT');
    expect(ended).toMatchObject({ code: 3, output: '' });
    expect(ended.told).toMatch(new RegExp(`^The workbench at ${url} has the data folder and does not answer\\. .*\n$`));
  });
});

describe('exit codes', () => {
  it('are those of the table in docs/running.md, each with one sentence [RUN-8]', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const data = writeTable(folder);
    mkdirSync(at('folder'));
    const held = trained.copy();
    const server = start(bin, ['serve', '--data-dir', held, '--port', '0']);
    const { url } = await readReadyLine(server);
    const rare = at('rare.csv');
    writeFileSync(rare, `${readFileSync(data, 'utf8')}\n7,car,perhaps\n`);
    const expected: [number, string[], RegExp][] = [
      [
        1,
        ['train', data, '--label', 'result', '--fail-under', '1.0', '--config', '{"auto_generate":false}'],
        /is under 1\.\n$/,
      ],
      [1, ['serve', '--data-dir', data], /data\.csv is not a folder\. Choose another with --data-dir\.\n$/],
      [1, ['token', '--data-dir', at('folder')], /Start the workbench on it first\.\n$/],
      [2, ['verify', data], /data\.csv: this is no folder, and no line of it is one of a chained log\.\n$/],
      [1, ['backup', '--data-dir', held, '--to', data], /There is something at .*data\.csv already\./],
      [1, ['restore', at('folder'), '--data-dir', data], /\n$/],
      [2, ['serve', '--port', 'x'], /--port must be a whole number/],
      [
        2,
        ['import', at('folder'), '--data-dir', at('new')],
        /cannot be read: .* Name a file that is there and readable\.\n$/,
      ],
      [
        2,
        ['import', data, '--label', 'result', '--data-dir', data],
        /is not a folder\. Choose another with --data-dir\.\n$/,
      ],
      [2, ['train', rare, '--label', 'result', '--config', '{"rare_options":"refuse"}'], /Label more examples\.\n/],
      [96, ['mcp', '--data-dir', at('folder')], /^No workbench runs on the data folder/],
      [97, ['serve', '--data-dir', held, '--port', '0'], /is in use by another workbench at http/],
      [
        98,
        ['serve', '--data-dir', at('other'), '--port', new URL(url).port],
        /is in use by another program\. Choose another/,
      ],
    ];
    const table = readFileSync(path.join(root, 'docs/running.md'), 'utf8');
    for (const [code, args, sentence] of expected) {
      const ended = await run(bin, args, { env: { ...env, TMPDIR: folder } });
      expect([args, ended.code, ended.told]).toEqual([args, code, expect.stringMatching(sentence)]);
      expect(ended.told).not.toMatch(/^\{|^ +at /m);
      expect(table).toContain(`\n| ${code} | `);
    }
  });
});

describe('the first call of README', () => {
  it('works as it is written: the classifier decides [RUN-9]', async () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const block = /## First call\n.*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? '';
    expect(block).toContain('import --sample refund-requests');
    const folder = temporaryFolder();
    const port = String(await findFreePort());
    const script = block.replaceAll('npm run', `npm --prefix '${root}' run`).replaceAll('8737', port);
    const { code, output, told } = await run('bash', ['-c', `${script}\nkill $!; wait`], { cwd: folder });
    expect([code, told]).toEqual([0, expect.stringContaining('Correct on ')]);
    const answers = output.trim().split(/(?<=\})\n?(?=\{)/);
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      { decision_type: 'refund-requests', created: true, rows: 663, labelled: 603 },
      expect.objectContaining({ deployed: true }),
      expect.objectContaining({ bundle: 'refunds.zip' }),
      expect.objectContaining({ url: `http://127.0.0.1:${port}` }),
      expect.objectContaining({
        decision: 'deny',
        stage: 'classifier',
        reason_codes: ['CHANGED_MIND'],
        escalate: false,
      }),
    ]);
    expect(statSync(path.join(folder, 'refunds.zip')).size).toBeGreaterThan(0);
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
