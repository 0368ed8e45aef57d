/** `npm run -s workbench -- serve|token|mcp …`: runs the headless workbench, from the build where that is fresh. */
import { enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { serverEntry } from './freshness.ts';

enableCompileCache();
const { runCommandLine }: typeof import('../src/server/serve.ts') = await import(
  pathToFileURL(serverEntry('serve')).href
);
await runCommandLine(process.argv.slice(2), process.env);
