/**
 * `decision-workbench train|serve|token|…`, or `npm run -s workbench -- …`: runs the headless workbench, from the build
 * where that is fresh.
 */
import { enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './end-with-npm.ts';
import { serverEntry } from './freshness.ts';

enableCompileCache();
if (process.env['npm_lifecycle_event'] === 'workbench') {
  // npm runs its scripts in the folder of the package; paths are meant from where the command was typed.
  process.chdir(process.env['INIT_CWD'] ?? '.');
  endWithNpm();
}
const { runCommandLine }: typeof import('../src/server/serve.ts') = await import(
  pathToFileURL(serverEntry('serve')).href
);
await runCommandLine(process.argv.slice(2), process.env);
