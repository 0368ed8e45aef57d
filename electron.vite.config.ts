import { defineConfig } from 'electron-vite';
import renderer from './vite.config.ts';

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: { input: { index: 'src/main/index.ts' } },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload must be one CommonJS file; `.cjs` because the package is a module.
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: 'index.cjs' },
      },
    },
  },
  renderer,
});
