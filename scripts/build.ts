/**
 * `npm run build`: out/main, out/preload, out/renderer, out/server, out/decision-edge and out/tab, with the licences of
 * their contents; the last three have an SBOM. `--renderer`, `--server`, `--edge` or `--tab` builds only that part, and
 * `--package` what the npm package holds; `--server` takes another folder than out/server.
 */
import { execSync, spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { buildEdge } from './bundling/build-edge.ts';
import { buildTab } from './bundling/build-tab.ts';
import { collectLicenses, listPackages } from './bundling/licenses.ts';
import { projectRoot } from './freshness.ts';

const only = process.argv[2];
const serverFolder = process.argv[3] ?? 'out/server';
process.chdir(projectRoot);
const isPackage = only === '--package';
// npm packs what `main` of package.json names, whatever `files` says: a window that somebody built here.
if (isPackage) rmSync('out/main', { recursive: true, force: true });
if (only === undefined || isPackage || only === '--edge' || only === '--tab') await buildEdge('out/decision-edge');
if (only === undefined || only === '--tab') await buildTab('out/tab', 'out/decision-edge/page.html');
if (only === undefined || isPackage || only === '--server') await buildServer();
if (isPackage || only === '--renderer')
  await build({ configFile: join(projectRoot, 'vite.config.ts'), logLevel: 'warn' });
if (only === undefined) buildDesktop();

/** Bundles the headless server and its child programs, side by side so that each finds the others. */
async function buildServer(): Promise<void> {
  rmSync(serverFolder, { recursive: true, force: true });
  const bundle = await rolldown({
    input: {
      serve: 'src/server/serve.ts',
      'encoder-child': 'src/server/runtime/encoder/encoder-child.ts',
      'labelling-child': 'src/server/runtime/labelling/labelling-child.ts',
      worker: 'src/server/jobs/worker.ts',
      'data-child': 'src/server/data-folder/data-child.ts',
      'preparation-child': 'src/server/preparation/preparation-child.ts',
      'analysis-child': 'src/server/analysis/analysis-child.ts',
    },
    platform: 'node',
    // Native modules look for their binaries beside themselves.
    external: ['better-sqlite3', 'onnxruntime-node'],
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: serverFolder,
    format: 'esm',
    entryFileNames: '[name].js',
    // Flat on purpose: `import.meta.dirname` is this folder in every chunk.
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(serverFolder, 'licenses.md'), collectLicenses(modules));
  writeFileSync(join(serverFolder, 'sbom.cdx.json'), listComponents(modules));
  cpSync('src/server/store/migrations', join(serverFolder, 'migrations'), { recursive: true });
}

/** Lists the components that the lock file names, as CycloneDX; what the build neither holds nor needs is marked so. */
function listComponents(modules: readonly string[]): string {
  const command = 'npm sbom --sbom-format cyclonedx --package-lock-only';
  const bom = JSON.parse(execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  const held = new Set(listPackages(modules).map(({ name, version }) => `${name}@${version}`));
  for (const component of bom.components)
    if (held.has(`${component.name}@${component.version}`))
      Object.assign(component, { scope: 'required', properties: [] });
  return JSON.stringify(bom, null, 2);
}

function buildDesktop(): void {
  const cli = join(projectRoot, 'node_modules/electron-vite/bin/electron-vite.js');
  const result = spawnSync(process.execPath, [cli, 'build'], { stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
