/** The import rules between the layers, and proof that a breach is found. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTypes } from '../../scripts/testing/checks.ts';
import { run } from '../../scripts/testing/steps.ts';

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
  ['edge-imports-engine-only', 'src/edge/planted-reach.ts', "import '../server/planted-reach.ts';\n"],
  ['edge-uses-node-in-its-place', 'src/edge/planted-file.ts', "import 'node:fs';\n"],
  ['edge-service-imports-door', 'src/edge/serve/planted-reach.ts', "import '../../server/planted-reach.ts';\n"],
  ['door-imports-contract-and-engine-only', 'src/door/planted-reach.ts', "import '../server/planted-reach.ts';\n"],
  ['server-imports-door-and-engine-only', 'src/server/planted-reach.ts', "import '../renderer/planted-page.ts';\n"],
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
  ['renderer-imports-downwards', 'src/renderer/parts/planted-frame.ts', "import '../frame/type-state.ts';\n"],
  ['renderer-imports-downwards', 'src/renderer/api/planted-state.ts', "import '../state/workbench.ts';\n"],
  ['renderer-parts-are-listed', 'src/renderer/planted/page.ts', "import '../theme.ts';\n"],
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
    for (const path of ['src', 'package.json', '.dependency-cruiser.cjs', 'tsconfig.base.json']) {
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

describe('The types of the source', () => {
  it('let an indexed value be undefined everywhere but in the numeric folders, where any other mistake counts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workbench-types-'));
    try {
      const sources = {
        'src/engine/planted.ts': 'export const sum = (x: Float64Array) => x[0] + 1;\n',
        'src/engine/classifiers/planted.ts': 'export const sum = (x: Float64Array) => x[0] + 1;\n',
      };
      for (const [file, source] of Object.entries(sources)) {
        await mkdir(dirname(join(folder, file)), { recursive: true });
        await writeFile(join(folder, file), source);
      }
      const configs = ['tsconfig.base.json', 'tsconfig.engine.json', 'src/engine/classifiers/tsconfig.json'];
      for (const path of configs) await cp(join(root, path), join(folder, path));
      await writeFile(
        join(folder, 'tsconfig.json'),
        '{ "files": [], "references": [{ "path": "./tsconfig.engine.json" }] }',
      );
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
      const listFailures = async () => (await checkTypes(folder)).flatMap(({ failures }) => failures);
      expect(await listFailures()).toEqual([expect.stringMatching(/^src\/engine\/planted\.ts.*TS2532.*$/)]);
      await rm(join(folder, 'src/engine/planted.ts'));
      expect(await listFailures()).toEqual([]);
      await writeFile(join(folder, 'src/engine/classifiers/planted.ts'), 'export const sum: number = "1";\n');
      // Read by the engine's own settings, which allow the index and nothing else.
      expect(await listFailures()).toEqual([expect.stringContaining('TS2322')]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('The promises of the source', () => {
  it('are awaited, or left on purpose, wherever they are made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workbench-promises-'));
    try {
      await cp(join(root, 'biome.jsonc'), join(folder, 'biome.jsonc'));
      const source = 'async function act() {}\n\nexport function plant(): void {\n  ';
      for (const runtime of ['engine', 'server', 'main', 'renderer']) {
        await mkdir(join(folder, 'src', runtime), { recursive: true });
        await writeFile(join(folder, 'src', runtime, 'dropped.ts'), `${source}act();\n}\n`);
        await writeFile(join(folder, 'src', runtime, 'left.ts'), `${source}void act();\n}\n`);
      }
      const lint = join(root, 'node_modules/@biomejs/biome/bin/biome');
      const { output } = await run(process.execPath, [lint, 'lint', '.'], { cwd: folder, quiet: true });
      const found = [...output.matchAll(/(\S+\.ts):\d+:\d+ lint\/nursery\/noFloatingPromises/g)].map(
        ([, file]) => file,
      );
      expect(found.sort()).toEqual(['engine', 'main', 'renderer', 'server'].map((name) => `src/${name}/dropped.ts`));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("npm's settings of the project", () => {
  it('are all known to npm', async () => {
    const { code, output } = await run('npm', ['config', 'list'], { quiet: true });
    expect(code).toBe(0);
    expect(output).not.toMatch(/unknown project config/i);
  });
});
