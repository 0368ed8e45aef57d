/** `npm run test:edge -- [pytest arguments]`: the Python package's tests alone. */
import { runEdgeTests } from './edge-tests.ts';

const result = await runEdgeTests(process.argv.slice(2));
process.exitCode = result.failed > 0 ? 1 : 0;
