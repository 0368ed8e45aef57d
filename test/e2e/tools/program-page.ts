/** Pages that decide by the package `decision-edge`, in real Chromium: a program's, and one that a policy was saved as. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { EdgeDecision, Input, Verification } from '../../../src/edge/api.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { readCell } from '../../../src/engine/import/sheet.ts';
import { openAddress } from './browser-page.ts';

export type DecidedThere = { made: EdgeDecision[]; verified: Verification; hasLoadedRuntime: boolean };

const program = `
import { loadBundle } from '/browser.js';
const bundle = await (await fetch('/bundle.zip')).arrayBuffer();
const inputs = await (await fetch('/inputs.json')).json();
let hasLoadedRuntime = false;
const runtime = () => {
  hasLoadedRuntime = true;
  return import('/onnxruntime-web/ort.wasm.min.mjs');
};
const predictor = await loadBundle(bundle, { runtime });
globalThis.decided = { made: await predictor.decideEach(inputs), verified: await predictor.verify(), hasLoadedRuntime };
await predictor.close();
`;

const findRuntimeFolder = () => dirname(fileURLToPath(import.meta.resolve('onnxruntime-web/wasm')));

/** Decides inputs by a bundle that the page fetches, with onnxruntime-web at hand; nothing but its own server is asked. */
export async function decideInChromium(
  packageFolder: string,
  bundle: Uint8Array,
  inputs: readonly Input[],
): Promise<DecidedThere> {
  const files: Record<string, [type: string, body: string | Uint8Array]> = {
    '/': ['text/html', `<!doctype html><title>x</title><script type="module">${program}</script>`],
    '/favicon.ico': ['image/x-icon', ''],
    '/inputs.json': ['application/json', JSON.stringify(inputs)],
    '/bundle.zip': ['application/zip', bundle],
  };
  const read = (url: string): [type: string, body: string | Uint8Array] => {
    const [, ofRuntime] = /^\/onnxruntime-web\/([\w.-]+)$/.exec(url) ?? [];
    const file = ofRuntime === undefined ? join(packageFolder, url) : join(findRuntimeFolder(), ofRuntime);
    return [url.endsWith('.wasm') ? 'application/wasm' : 'text/javascript', readFileSync(file)];
  };
  const served = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? read(url);
    response.setHeader('content-type', type).end(body);
  }).listen(0, '127.0.0.1');
  await once(served, 'listening');
  const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}/`;
  const { page, faults, reached, close } = await openAddress(address);
  onTestFinished(async () => {
    await close();
    served.close();
  });
  await page.waitForFunction('globalThis.decided !== undefined');
  const foreign = reached.filter((url) => !url.startsWith(address));
  if (faults.length + foreign.length > 0) throw new Error([...faults, ...foreign].join('\n'));
  return page.evaluate<DecidedThere>('decided');
}

/** Gives a saved page a file and reads the one that comes back. */
export async function decideFile(page: Page, name: string, buffer: Buffer) {
  await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file with its decisions' }).click(),
  ]);
  const bytes = new Uint8Array(readFileSync(await download.path()));
  const sheet = await readFile({ name: download.suggestedFilename(), bytes }, {}, { maxBytes: 1e8 });
  const read = (row: (typeof sheet.rows)[number], column: string) =>
    readCell(row, sheet.columns, sheet.columns.indexOf(column));
  return { name: download.suggestedFilename(), sheet, read };
}
