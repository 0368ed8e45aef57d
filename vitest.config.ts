import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Before each file, in its worker. */
const setupFiles = ['test/processor-time.ts'];

/** A hook may wait for the training of a kept folder in another file before its own work, which has ten minutes. */
const hookTimeout = 1_800_000;

export default defineConfig({
  test: {
    // One more than there are cores: most tests wait for processes of their own, or for a page.
    maxWorkers: availableParallelism() + 1,
    // Whole messages: a list that was expected to be empty says what is in it, such as the faults of a page.
    chaiConfig: { truncateThreshold: 1000 },
    globalSetup: ['test/deployed-folders.ts'],
    // In jsdom a menu is hidden when its focus is asked for; the warning would print the whole page.
    onConsoleLog: (log) => !log.includes('use-focus-trap'),
    coverage: { provider: 'v8', include: ['src/**/*.{ts,tsx}'], reporter: ['text-summary', 'json-summary'] },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          environment: 'node',
          pool: 'forks',
          // Nothing in a module of ours is state, so files share what a worker has loaded.
          isolate: false,
          include: ['test/{engine,edge,server,model,layers,electron,faults}/**/*.test.ts'],
          // Limits end what hangs, also on a machine busy with other things: the time a test takes is not what it states.
          testTimeout: 600_000,
          hookTimeout,
          expect: { poll: { timeout: 300_000 } },
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'renderer',
          setupFiles,
          environment: 'jsdom',
          // Loading the page anew for each file took a third of their time; what a story leaves is cleared at its end.
          isolate: false,
          include: ['test/renderer/**/*.test.tsx', 'test/renderer/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout,
          expect: { poll: { timeout: 300_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          setupFiles,
          environment: 'node',
          pool: 'forks',
          // The files of a worker share its Chromium.
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          // Several times what the longest story takes: one that hangs is repeated soon.
          testTimeout: 600_000,
          hookTimeout,
          expect: { poll: { timeout: 300_000 } },
          // A browser on a busy machine misses a moment now and then; what passed only when repeated is named at the end.
          retry: 1,
        },
      },
    ],
  },
});
