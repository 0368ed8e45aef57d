/** The workbench in a tab: one HTML file, built from src/tab and the engine, with the page of a policy inside. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../freshness.ts';
import { bundleForPage, composePage, listContents } from './build-edge.ts';
import { collectLicenses } from './licenses.ts';

const sources = join(projectRoot, 'src/tab');

/** Builds the page into a folder, which any static host serves; a double click opens its file as well. */
export async function buildTab(folder: string, offlinePage: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const worker = await bundleForPage(join(sources, 'worker.ts'), { TOOL_VERSION: JSON.stringify(version) });
  const page = await bundleForPage(join(sources, 'page.ts'));
  const modules = [...worker.moduleIds, ...page.moduleIds];
  const shared = ['page.css', 'row-labels.css'].map((name) => join(projectRoot, 'src/edge/page', name));
  const styles = [...shared, join(sources, 'page.css')];
  const html = composePage({
    shell: readFileSync(join(sources, 'page.html'), 'utf8'),
    style: styles.map((file) => readFileSync(file, 'utf8')).join('\n'),
    script: page.script,
    licenses: collectLicenses(modules),
    // A matrix product of the training is WebAssembly, and the worker is a text of the page.
    allowed: { scripts: " 'wasm-unsafe-eval'", others: ['worker-src blob:'] },
    parts: [
      ['/* %WORKER% */', worker.script],
      ['%OFFLINE%', gzipSync(readFileSync(offlinePage), { level: 9 }).toString('base64')],
    ],
  });
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    JSON.stringify(listContents('decision-workbench-tab', modules, version), null, 2),
  );
}
