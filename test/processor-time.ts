/** Vitest's set-up of each file: notes the processor time that the file takes, with that of all it starts. */
import { afterAll } from 'vitest';
import { readProcessorSeconds } from '../scripts/testing/processor-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: seconds of processor, user and system. */
    processorS?: number;
  }
}

const startedS = readProcessorSeconds();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are wanted.
afterAll(({}, suite) => {
  suite.file.meta.processorS = readProcessorSeconds() - startedS;
});
