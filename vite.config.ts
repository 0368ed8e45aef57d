import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const apiUrl = 'http://127.0.0.1:8737';

/** The renderer's build; also used by electron.vite.config.ts, so the desktop window and the browser show the same files. */
export default defineConfig({
  root: join(import.meta.dirname, 'src/renderer'),
  base: './',
  plugins: [react()],
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
