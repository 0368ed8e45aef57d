/** `npm run test:api -- [schemathesis arguments]`: the API tests alone, e.g. `--max-examples 500 --max-time 600`. */
import { runApiTests } from './testing/api-tests.ts';
import { conclude } from './testing/steps.ts';

await conclude([await runApiTests(process.argv.slice(2))]);
