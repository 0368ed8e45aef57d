/** `npm run test:api -- [schemathesis arguments]`: the API tests alone, e.g. `--max-examples 500 --max-time 600`. */
import { runApiTests } from './api-tests.ts';

const result = await runApiTests(process.argv.slice(2));
process.exitCode = result.failed > 0 ? 1 : 0;
