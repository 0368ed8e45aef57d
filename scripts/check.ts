/** `npm run check`: everything that can be said without running the program. */
import { runChecks } from './testing/checks.ts';
import { conclude } from './testing/steps.ts';

await conclude(await runChecks());
