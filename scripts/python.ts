/** `npm run test:edge -- [pytest arguments]`: the checks and tests of the Python package alone. */
import { runEdgeTests } from './edge-tests.ts';

const results = await runEdgeTests(process.argv.slice(2));
process.exitCode = results.some((result) => result.failed > 0) ? 1 : 0;
