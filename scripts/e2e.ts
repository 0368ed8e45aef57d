/** `npm run test:e2e -- --repeat 10`: the browser stories alone, repeated, and how often each of them failed. */
import { parseArgs } from 'node:util';
import { prepareBrowser } from './testing/browser-tests.ts';
import { prepareEdge } from './testing/edge-tests.ts';
import { conclude } from './testing/steps.ts';
import { runVitest } from './testing/vitest-run.ts';

const { values } = parseArgs({ options: { repeat: { type: 'string', default: '1' } } });
const { results, projects } = await prepareBrowser();
// Some stories ask the Python package as well.
await prepareEdge();
for (let round = 1; projects.length > 0 && round <= Number(values.repeat); round += 1) {
  results.push(await runVitest(`browser stories, round ${round}`, { projects }));
}
await conclude(results);
