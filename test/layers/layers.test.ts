/** The import rules between the layers, and proof that a breach is found. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

type Cruise = { modules: unknown[]; violations: { rule: { name: string }; from: string }[] };

/** Runs dependency-cruiser in `folder`; it exits with the number of violations, so its output is read either way. */
async function cruise(folder: string): Promise<Cruise> {
  const output = await promisify(execFile)(process.execPath, [cli, '--output-type', 'json', 'src'], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    (result) => result.stdout,
    (failure: { stdout: string }) => failure.stdout,
  );
  const report = JSON.parse(output) as { modules: unknown[]; summary: { violations: Cruise['violations'] } };
  return { modules: report.modules, violations: report.summary.violations };
}

const planted: [rule: string, file: string, source: string][] = [
  [
    'engine-uses-no-node-builtins',
    'src/engine/planted-clock.ts',
    "import { hrtime } from 'node:process';\nhrtime();\n",
  ],
  ['engine-is-pure', 'src/engine/planted-server.ts', "import '../server/planted-reach.ts';\n"],
  ['server-imports-engine-only', 'src/server/planted-reach.ts', "import '../renderer/planted-page.ts';\n"],
  [
    'renderer-imports-contract-and-engine-only',
    'src/renderer/planted-page.ts',
    "import '../server/store/planted-database.ts';\n",
  ],
  [
    'features-know-no-neighbours',
    'src/renderer/features/try/planted-neighbour.ts',
    "import '../rules/order-rules.ts';\n",
  ],
  ['page-imports-downwards', 'src/renderer/parts/planted-frame.ts', "import '../frame/type-state.ts';\n"],
  ['electron-only-in-main-and-preload', 'src/server/store/planted-database.ts', "import 'electron';\n"],
  ['engine-imports-downwards', 'src/engine/rules/planted-decision.ts', "import '../decide/decider.ts';\n"],
  ['engine-parts-are-listed', 'src/engine/planted/room.ts', "import '../errors.ts';\n"],
  ['server-imports-downwards', 'src/server/jobs/planted-handler.ts', "import '../operations/handlers.ts';\n"],
  ['server-parts-are-listed', 'src/server/store/planted/shelf.ts', "import '../store.ts';\n"],
  [
    'no-cycles',
    'src/server/store/planted-circle.ts',
    "import type { Circle } from './planted-circle.ts';\nexport type Circles = Circle[];\nexport type Circle = string;\n",
  ],
];

describe('The layers of the source', () => {
  let copy: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'workbench-layers-'));
    for (const path of ['src', 'package.json', '.dependency-cruiser.cjs', 'tsconfig.json', 'tsconfig.base.json']) {
      await cp(join(root, path), join(copy, path), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  });

  afterAll(() => rm(copy, { recursive: true, force: true }));

  it('import only what they may, and the check has really read them', async () => {
    const { modules, violations } = await cruise(root);
    expect(violations.map(({ rule, from }) => `${rule.name}: ${from}`)).toEqual([]);
    expect(modules.length).toBeGreaterThan(60);
  });

  it('are guarded: every planted breach is found', async () => {
    for (const [, file, source] of planted) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await writeFile(join(copy, file), source);
    }
    const { violations } = await cruise(copy);
    const found = violations.map(({ rule, from }) => `${rule.name}: ${from}`);
    expect(found).toEqual(expect.arrayContaining(planted.map(([rule, file]) => `${rule}: ${file}`)));
  });
});
