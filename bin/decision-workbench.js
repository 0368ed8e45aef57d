#!/usr/bin/env -S node --min-semi-space-size=8 --max-semi-space-size=8 --no-allocation-site-pretenuring
/**
 * The commands `decision-workbench` and `workbench`; JavaScript, so that a Node that is too old for the program says so,
 * and because Node takes types off no file below node_modules. An installed package has the build, a clone the sources.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const oldestMajor = 24;

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  const beside = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
  process.stderr.write(
    `Decision Workbench needs Node ${oldestMajor} or later; this is ${process.versions.node}. ` +
      `Install a newer one, or put the one that came with npm ci first: PATH=${beside}:$PATH\n`,
  );
  process.exit(2);
}
if (existsSync(new URL('../scripts/workbench.ts', import.meta.url))) await import('../scripts/workbench.ts');
else {
  enableCompileCache();
  const { runCommandLine } = await import('../out/server/serve.js');
  const args = process.argv.slice(2);
  await runCommandLine(args.length === 0 ? ['serve', '--open'] : args, process.env);
}
