/**
 * The flags of Node that the server runs with. Young objects die with their request: a small nursery keeps 30 MB off
 * the resident size, and one that has its size from the start saves a decision a twentieth of its time. Without the
 * third flag V8 may take the rows of an export for long-lived and keep them all, 190 MB.
 *
 * The program cannot set them itself: when its first line runs, the nursery has its size already. So the first line of
 * bin/decision-workbench.js and `npm run workbench` in package.json repeat them; test/layers/server-flags.test.ts
 * compares.
 */
export const serverFlags = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--no-allocation-site-pretenuring'];
