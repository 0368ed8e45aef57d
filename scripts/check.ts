/** `npm run check`: everything that can be said without running the program. */
import { runChecks } from './checks.ts';

const results = await runChecks();
process.exitCode = results.some((result) => result.failed > 0) ? 1 : 0;
