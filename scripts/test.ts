/** `npm test`: every check and every test, all of them even after a failure. Ends with `N passed, N failed`. */
import { runApiTests } from './api-tests.ts';
import { runBrowserTests } from './browser-tests.ts';
import { runChecks } from './checks.ts';
import { runEdgeTests } from './edge-tests.ts';
import { runVitest } from './vitest-run.ts';

const results = await runChecks();
// First the Python side: it makes the environment in which the rules are compared across the two languages.
results.push(...(await runEdgeTests()));
results.push(await runVitest(['unit', 'renderer']));
results.push(await runApiTests());
results.push(...(await runBrowserTests()));

process.stdout.write('\n');
for (const { name, passed, failed, failures } of results) {
  process.stdout.write(`${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed\n`);
  for (const failure of failures) process.stdout.write(`${failure.replace(/^/gm, '       ')}\n`);
}
const total = (key: 'passed' | 'failed') => results.reduce((sum, result) => sum + result[key], 0);
process.stdout.write(`\n${total('passed')} passed, ${total('failed')} failed\n`);
process.exitCode = total('failed') > 0 ? 1 : 0;
