import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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

/** The renderer's build; also used by electron.vite.config.ts, so the desktop window and the browser show the same files. */
export default defineConfig({
  root: join(import.meta.dirname, 'src/renderer'),
  base: './',
  plugins: [react(), compressed],
  worker: { format: 'es' },
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
    chunkSizeWarningLimit: 5000,
    reportCompressedSize: false,
  },
});
