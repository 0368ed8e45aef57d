#!/usr/bin/env -S node --min-semi-space-size=8 --max-semi-space-size=8 --no-allocation-site-pretenuring
/** The command `decision-workbench`; JavaScript, so that a Node that is too old for the program says so. */
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
await import('../scripts/workbench.ts');
