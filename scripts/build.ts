/**
 * `npm run build`: out/main, out/preload, out/renderer and out/server.
 * `--renderer` or `--server` builds only that part.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { projectRoot } from './freshness.ts';

const only = process.argv[2];
process.chdir(projectRoot);
if (only !== '--renderer') await buildServer();
if (only === '--renderer') await build({ configFile: join(projectRoot, 'vite.config.ts'), logLevel: 'warn' });
if (only === undefined) buildDesktop();

/** Bundles the headless server and its child programs, side by side so that each finds the others. */
async function buildServer(): Promise<void> {
  rmSync('out/server', { recursive: true, force: true });
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
  await bundle.write({
    dir: 'out/server',
    format: 'esm',
    entryFileNames: '[name].js',
    // Flat on purpose: `import.meta.dirname` is out/server in every chunk.
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
}

function buildDesktop(): void {
  const cli = join(projectRoot, 'node_modules/electron-vite/bin/electron-vite.js');
  const result = spawnSync(process.execPath, [cli, 'build'], { stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
