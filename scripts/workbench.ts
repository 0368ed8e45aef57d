/** `npm run -s workbench -- train|serve|token|…`: runs the headless workbench, from the build where that is fresh. */
import { enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { serverEntry } from './freshness.ts';

enableCompileCache();
// npm runs its scripts in the folder of the package; paths are meant from where the command was typed.
if (process.env['npm_lifecycle_event'] === 'workbench') process.chdir(process.env['INIT_CWD'] ?? '.');
const { runCommandLine }: typeof import('../src/server/serve.ts') = await import(
  pathToFileURL(serverEntry('serve')).href
);
await runCommandLine(process.argv.slice(2), process.env);
