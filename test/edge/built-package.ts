/** The package `decision-edge` as engineers install it: built. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildEdge } from '../../scripts/bundling/build-edge.ts';
import { projectRoot } from '../../scripts/freshness.ts';
import { forAll, makeDataDir, removeDataDir } from '../server/workbench.ts';

type NodeEntry = typeof import('../../src/edge/node.ts');
type BrowserEntry = typeof import('../../src/edge/browser.ts');

/** Builds the package for all tests of a file or block; the entry for browsers runs in Node, too. */
export const buildForAll = () =>
  forAll(
    async () => {
      const project = makeDataDir();
      const folder = join(project, 'node_modules/decision-edge');
      mkdirSync(folder, { recursive: true });
      await buildEdge(folder);
      // As if it were installed beside the package.
      symlinkSync(join(projectRoot, 'node_modules/onnxruntime-node'), join(project, 'node_modules/onnxruntime-node'));
      const node: NodeEntry = await import(pathToFileURL(join(folder, 'node.js')).href);
      const browser: BrowserEntry = await import(pathToFileURL(join(folder, 'browser.js')).href);
      return { project, folder, node, browser };
    },
    ({ project }) => removeDataDir(project),
  );
