/** Another user installs the packed program in a bare folder, with an empty home: no clone, ONNX Runtime or text model. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { goToPlace, openAddress } from '../../e2e/tools/browser-page.ts';
import { forAll } from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
const readRows = (set: string) =>
  readFileSync(join(root, `test/fixtures/${set}/train.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .slice(0, 300)
    .join('\n');
const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
/** The user `nobody`, whom only root can be, and only where he may read this Node: elsewhere the story is of one's own. */
const nobody =
  spawnSync('setpriv', [...asNobody, process.execPath, '--version'], { cwd: tmpdir() }).status === 0 ? 65_534 : null;
const toOther = (command: string, args: readonly string[]): [string, string[]] =>
  nobody === null ? [command, [...args]] : ['setpriv', [...asNobody, command, ...args]];
type Trained = { rows: number; deployed: boolean; accuracy: { of: number }; notes: string[] };

describe('the program as it is packed', () => {
  const bare = forAll(
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'workbench-bare-'));
      chmodSync(folder, 0o755);
      for (const name of ['home', 'app', 'data', 'out']) {
        mkdirSync(join(folder, name));
        if (nobody !== null) chownSync(join(folder, name), nobody, nobody);
      }
      for (const set of ['german_credit', 'sms_spam']) writeFileSync(join(folder, `${set}.jsonl`), readRows(set));
      const call = (cwd: string, [command, args]: [string, string[]]) => {
        const { status, stderr } = spawnSync(command, args, { cwd, env: toEnv(folder), encoding: 'utf8' });
        if (status !== 0) throw new Error(stderr);
      };
      // Packing builds anew; the folders that other stories are served from stay as they are.
      const sources = join(folder, 'sources');
      const left = ['.git', 'node_modules', 'out', 'test', 'test-results'];
      cpSync(root, sources, {
        recursive: true,
        filter: (path) => !left.some((name) => path === join(root, name)) && !path.startsWith(join(root, '.venv')),
      });
      symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'));
      call(sources, ['npm', ['pack', '--pack-destination', folder]]);
      const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
      // The one native part comes from here: the story needs no network.
      const native = ['better-sqlite3', 'node-addon-api'].map((name) => {
        cpSync(join(root, 'node_modules', name), join(folder, name), { recursive: true });
        return join(folder, name);
      });
      const flags = ['--offline', '--install-links', '--omit=optional'];
      rmSync(join(folder, 'home/.npm'), { recursive: true, force: true });
      expect(readdirSync(join(folder, 'home'))).toEqual([]);
      call(join(folder, 'app'), toOther('npm', ['install', ...flags, join(folder, tarball), ...native]));
      return { folder, tarball: join(folder, tarball) };
    },
    ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  );

  /** Nothing of this process: npm would hand its own settings on. */
  const toEnv = (folder: string) => ({ PATH: process.env.PATH, HOME: join(folder, 'home') });

  const run = (...args: string[]) => {
    const { folder } = bare;
    const options = { cwd: join(folder, 'app'), env: toEnv(folder), encoding: 'utf8' as const };
    const { status, stdout, stderr } = spawnSync(...toOther('npx', ['--no', '--', 'workbench', ...args]), options);
    expect(status, stderr).toBe(0);
    return stdout;
  };

  test('is small, needs two packages, and holds neither sources nor text models [RUN-10]', () => {
    expect(statSync(bare.tarball).size).toBeLessThan(25e6);
    expect(bare.tarball).toContain(`-${run('--version').trim()}.tgz`);
    const installed = readdirSync(join(bare.folder, 'app/node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed.sort()).toEqual(['better-sqlite3', 'decision-workbench', 'node-addon-api']);
    const held = readdirSync(join(bare.folder, 'app/node_modules/decision-workbench')).sort();
    expect(held).toEqual(['LICENSE', 'README.md', 'bin', 'out', 'package.json', 'resources']);
    for (const name of ['server', 'decision-edge']) {
      const folder = join(bare.folder, 'app/node_modules/decision-workbench/out', name);
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['licenses.md', 'sbom.cdx.json']));
    }
  });

  test('learns a table, and texts by their words, from a file in one command [RUN-10]', () => {
    for (const set of ['german_credit', 'sms_spam']) {
      const out = join(bare.folder, `out/${set}.zip`);
      const trained: Trained = JSON.parse(
        run('train', join(bare.folder, `${set}.jsonl`), '--label', 'decision', '--out', out),
      );
      expect(trained).toMatchObject({ rows: 300, deployed: true });
      expect(trained.accuracy.of).toBeGreaterThan(30);
      expect(trained.notes.some((note) => note.includes('no text model is installed'))).toBe(set === 'sms_spam');
      expect(statSync(out).size).toBeGreaterThan(1_000);
    }
  });

  test('fetches a text model of the program with its digest, and puts it beside the program [RUN-10]', async () => {
    const { folder } = bare;
    cpSync(join(root, 'resources/models/all-MiniLM-L6-v2'), join(folder, 'package'), { recursive: true });
    spawnSync('tar', ['-czf', join(folder, 'english.tgz'), '-C', folder, 'package']);
    const file = readFileSync(join(folder, 'english.tgz'));
    const server = createServer((_, response) => void response.end(file));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const digest = createHash('sha256').update(file).digest('hex');
    const args = ['text-model', 'fetch', `http://127.0.0.1:${port}/english.tgz`, '--sha256', digest];
    const fetching = spawn(...toOther('npx', ['--no', '--', 'workbench', ...args]), {
      cwd: join(folder, 'app'),
      env: toEnv(folder),
    });
    expect(await once(fetching, 'exit')).toEqual([0, null]);
    server.close();
    const placed = join(folder, 'app/node_modules/decision-workbench/node_modules/decision-workbench-english');
    expect(readdirSync(placed)).toEqual(expect.arrayContaining(['encoder.onnx', 'tokenizer.json', 'LICENSE']));
  });

  test('shows the workbench in a browser by the link of its start, and the sample there is trained and live [RUN-10]', async () => {
    const { folder } = bare;
    const args = ['serve', '--data-dir', join(folder, 'data'), '--port', '0'];
    const program = join(folder, 'app/node_modules/.bin/decision-workbench');
    const child = spawn(...toOther(process.execPath, [program, ...args]), { env: toEnv(folder) });
    try {
      const [line] = await once(createInterface(child.stderr), 'line');
      const [link = ''] = /http:\S+/.exec(String(line)) ?? [];
      const { page, close } = await openAddress(link);
      await page.getByRole('button', { name: 'Open sample project' }).click();
      await goToPlace(page, 'Train');
      await page.getByRole('button', { name: 'Start training' }).click();
      await page.getByText('Trained and live').first().waitFor({ timeout: 300_000 });
      await close();
      const [, health = ''] = /HEALTHCHECK[^[]* (\[.*\])/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
      const check: string[] = JSON.parse(health.replace(':8737', `:${new URL(link).port}`));
      expect(spawnSync(check[0] ?? '', check.slice(1)).status).toBe(0);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});
