import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { listOperations } from './src/server/contract/operations.ts';

/** The workbench, and the page of its interface. */
const pages = ['index', 'docs'].map((name) => join(import.meta.dirname, `src/renderer/${name}.html`));
const apiUrl = 'http://127.0.0.1:8737';

/** Puts a compressed copy beside every script and style sheet; the server sends it to whoever takes gzip. */
const compressed: Plugin = {
  name: 'compressed-copies',
  apply: 'build',
  writeBundle({ dir }) {
    if (dir === undefined) return;
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:js|css|html)$/.test(name)) continue;
      const path = join(dir, name);
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    }
  },
};

const readSources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');

/**
 * Gives the page the operations that it names, without their schemas: it calls by method and path, its types are known
 * when it is compiled, and what validates on the server would be a fifth of its script.
 */
const slimOperations: Plugin = {
  name: 'slim-operations',
  enforce: 'pre',
  load(id) {
    if (!id.split('?')[0]?.endsWith('/src/server/contract/operations.ts')) return null;
    const sources = readSources(join(import.meta.dirname, 'src/renderer'));
    const named = listOperations().filter(({ name }) => sources.includes(`'${name}'`));
    // `guardsType` tells the page's client which of its own writes follow one another.
    const rows = named.map(
      ({ name, row: { method, path, guardsType } }) => [name, { method, path, guardsType }] as const,
    );
    return `export const operations = ${JSON.stringify(Object.fromEntries(rows))};`;
  },
};

/**
 * Marks every schema of engine and contract as made without side effects: those that the page does not use are left
 * out, and the library that makes them with the last one.
 */
const droppableSchemas: Plugin = {
  name: 'droppable-schemas',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/src\/(?:engine|server\/contract)\/.*\.ts$/.test(id) || !code.includes("from 'zod'")) return null;
    const schema =
      /^((?:export )?const (?:\w+(?:Schema|Shape|Query) =|\w+ =(?=\s+(?:z|orNull)\b)))\s+((?:.|\n)*?);$(?=\n\S|\n\n|\n?$)/gm;
    return { code: code.replace(schema, '$1 /* @__PURE__ */ (() => ($2))();'), map: null };
  },
};

/** The renderer's build; also used by electron.vite.config.ts, so the desktop window and the browser show the same files. */
export default defineConfig({
  root: join(import.meta.dirname, 'src/renderer'),
  base: './',
  plugins: [react(), slimOperations, droppableSchemas, compressed],
  worker: { format: 'es' },
  // The engine reads tables by the build for Node; a page has no Buffer, which the other build brings along.
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  server: {
    host: '127.0.0.1',
    // The server hears only its own origin; in development Vite stands in front of it.
    proxy: { '/api': { target: apiUrl, changeOrigin: true, headers: { origin: apiUrl } } },
  },
  build: {
    outDir: join(import.meta.dirname, 'out/renderer'),
    emptyOutDir: true,
    minify: true,
    target: 'es2023',
    // The first that know `light-dark()`, which holds each colour of both themes.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 5000,
    reportCompressedSize: false,
    // Places are loaded ahead from the same machine; lists of what each part loads with it would be 4 kB of the script.
    modulePreload: false,
    rolldownOptions: {
      input: pages,
      output: {
        // What several parts of the page share is one file: in forty small ones it was 10 kB dearer. Left out is what
        // comes later than the first script.
        codeSplitting: {
          groups: [
            {
              name: 'parts',
              test: /\/src\/renderer\/parts\/(?!grid\/|charts\/drawing|explained\/explained)|\/@mantine\/|\/react-number-format\//,
              minShareCount: 2,
              priority: 1,
            },
            { name: 'grid', test: /\/src\/renderer\/parts\/grid\//, priority: 1 },
            { name: 'first', test: /\/src\/renderer\/main\.tsx$/, priority: 2 },
            {
              name: 'rules',
              test: /\/src\/(?:renderer\/features\/rules\/rules\.tsx|engine\/rules\/analysis\/table\.ts)$/,
            },
          ],
        },
      },
    },
    license: { fileName: 'licenses.md' },
  },
});
