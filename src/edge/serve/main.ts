#!/usr/bin/env node
/** The command `decision-edge` of the package for Node. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { InvalidBundle } from '../api.ts';
import { describeFault } from './bundle-door.ts';
import { logSyncs } from './recorder.ts';
import { readWorkerOptions, type ServeOptions, serve, serveAsWorker } from './serve.ts';

const help = `decision-edge serve BUNDLE… answers decisions over HTTP from exported bundles.

  --host HOST       address to listen at (127.0.0.1)
  --port PORT       0: any free one (8080)
  --workers N       processes (1)
  --text-model DIR  folder of the text model, for slim bundles
  --log FILE        file with a line for each decision, for workbench import-log
  --log-fsync WHEN  sync lines to the disk: always before the answer (the default), each second, or never
  --log-size MIB    MiB of a file; then FILE becomes FILE.1, and so on (100)
  --log-files N     files that are kept, FILE among them (10)
  --version, --help
`;

/** Exit codes: the call or a bundle cannot be used; the port is in use, as the workbench has it. */
const exitCodes = { unusable: 2, portInUse: 98 };
const mebibyte = 1024 * 1024;

class WrongCall extends Error {}

function readNumber(name: string, given: string, lowest: number, highest: number): number {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= lowest && number <= highest) return number;
  throw new WrongCall(`--${name} must be a whole number from ${lowest} to ${highest}`);
}

function readCall(args: string[]): ServeOptions | string {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      host: text('127.0.0.1'),
      port: text('8080'),
      workers: text('1'),
      'text-model': { type: 'string' },
      log: { type: 'string' },
      'log-fsync': text('always'),
      'log-size': text('100'),
      'log-files': text('10'),
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { version } = JSON.parse(readFileSync(new URL(packageFile, import.meta.url), 'utf8'));
  if (values.version) return `decision-edge ${version}\n`;
  if (values.help) return help;
  const [command, ...files] = positionals;
  if (command !== 'serve' || files.length === 0) throw new WrongCall('write decision-edge serve BUNDLE…');
  const sync = logSyncs.find((each) => each === values['log-fsync']);
  if (sync === undefined) throw new WrongCall(`--log-fsync must be one of ${logSyncs.join(', ')}`);
  const maxBytes = readNumber('log-size', values['log-size'], 1, 10_000) * mebibyte;
  const settings = { sync, maxBytes, files: readNumber('log-files', values['log-files'], 2, 1_000) };
  return {
    files,
    version,
    textModel: values['text-model'],
    host: values.host,
    port: readNumber('port', values.port, 0, 65_535),
    workers: readNumber('workers', values.workers, 1, 100),
    log: values.log === undefined ? null : { path: values.log, ...settings },
  };
}

/** Beside the built script as beside the sources. */
const packageFile = import.meta.url.endsWith('.ts') ? '../../../package.json' : './package.json';

async function run(): Promise<void> {
  const worker = readWorkerOptions();
  if (worker !== null) return serveAsWorker(worker);
  const call = readCall(process.argv.slice(2));
  if (typeof call === 'string') process.stdout.write(call);
  else await serve(call);
}

const isOfCall = (error: unknown): error is Error =>
  error instanceof WrongCall ||
  error instanceof InvalidBundle ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

try {
  await run();
} catch (error) {
  const isPort = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  process.stderr.write(`${isPort || isOfCall(error) ? error.message : describeFault(error)}\n`);
  process.exitCode = isPort ? exitCodes.portInUse : exitCodes.unusable;
}
