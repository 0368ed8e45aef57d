/** `npm run test:e2e`: the browser tests alone. */
import { runBrowserTests } from './browser-tests.ts';

const results = await runBrowserTests();
process.exitCode = results.some((result) => result.failed > 0) ? 1 : 0;
