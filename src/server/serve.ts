/** The entry without a window: a command line, its environment, its exit codes. */
import { spawn } from 'node:child_process';
import { BlockList, isIP } from 'node:net';
import { constants } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createIssuer } from './auth/issuer.ts';
import { findCommandName } from './command-line/command.ts';
import { readReceiver } from './connections/alert-receiver.ts';
import { type DataCommand, runDataCommand } from './data-commands.ts';
import { requireDataFolder } from './data-folder/folder.ts';
import { systemClock } from './process/clock.ts';
import type { Log } from './process/log.ts';
import { findNamedFolder, logLevels, type ServerOptions, toDataDir } from './process/options.ts';
import { findProgramFolder, toolVersion } from './process/program-folder.ts';
import { exitCodes, StartError } from './process/start-error.ts';
import { tellFault } from './process/tell-fault.ts';
import type { StartOptions, Workbench } from './start.ts';
import type { LogHead } from './store/log-chain.ts';

const help = `Decision Workbench

  workbench train [FILE] [--label COLUMN] [--out BUNDLE] [--fail-under SHARE]
  workbench import FILE | evaluate [FILE] | export --out BUNDLE | decide [FILE]
                            the way from a file to a policy and its decisions, with or without a running workbench;
                            each explains its flags by --help
  workbench import-log FILE...
                            decisions that decision-edge serve --log made elsewhere come into the log, each once
  workbench case REQUEST_ID one logged decision as a page for the person who asks why
  workbench text-model add FOLDER | fetch ADDRESS --sha256 DIGEST | list | remove NAME
                            text models of one's own, beside those of the program
  workbench serve [flags]   serve the workbench and the REST API on this machine
  workbench token [flags]   print a session token for the owner of the data folder
  workbench mcp [flags]     offer the agent tools of the running workbench on stdin and stdout; WORKBENCH_API_KEY is
                            the key to use, without it they act as the owner of the data folder
  workbench backup [--to FOLDER] [--with-secrets]
                            write a backup of the data folder, also while the workbench runs; it is a folder with a list
                            of digests, below backups/ of the data folder unless --to names a new one. Without secrets,
                            API keys and the keys of model connections must be made again after a restore
  workbench restore FOLDER --data-dir NEW
                            make a new data folder from a backup that is sound
  workbench verify [FOLDER] [--head HEAD]
                            check a backup, or the data folder: digests, database, bundles of the policies, and the log:
                            that no record was changed, removed, added or put elsewhere since it was written, by its
                            chain and every head that was kept; it prints the newest head to keep
  workbench verify FILE...  check the lines of decision-edge serve --log, or of an export of the log as JSON
  workbench sign FILE... --key KEY | --make-key NAME
                            sign bundles or other files, with a key that you make
  workbench verify FILE... --key PUBLIC
                            check that they are as they were signed
  workbench verify --decisions [--share SHARE]
                            decide the log again by the releases that decided, and list what differs

Flags (environment variable, default):
  --data-dir DIR            data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench)
  --port N                  port, 0 picks a free one (WORKBENCH_PORT, 8737)
  --listen ADDRESS          let other machines call at this address of the machine, with an API key, which must be there
                            first; over plain HTTP, see docs/running.md (WORKBENCH_LISTEN, none)
  --synchronous FULL|NORMAL durability of a commit (WORKBENCH_SYNCHRONOUS, FULL)
  --heartbeat-timeout-ms N  a training silent for so long is dead (WORKBENCH_HEARTBEAT_TIMEOUT_MS, 30000)
  --training-memory-mb N    a training that needs more is stopped (WORKBENCH_TRAINING_MEMORY_MB, 2000)
  --teacher-timeout-ms N    a connected model answers within this (WORKBENCH_TEACHER_TIMEOUT_MS, 60000)
  --max-wrong-credentials N calls with wrong credentials from one address in a minute, then 429
                            (WORKBENCH_MAX_WRONG_CREDENTIALS, 60)
  --accept-retraining       go on with an upgrade that takes policies out of service until they are trained again
  --alert-command FILE      program that is run for each alert, as JSON on its standard input (WORKBENCH_ALERT_COMMAND)
  --alert-webhook URL       address that is sent each alert instead (WORKBENCH_ALERT_WEBHOOK), signed by the secret in
                            WORKBENCH_ALERT_SECRET (whsec_ and 24 to 64 bytes in base64)
  --alert-free-mb N         less free disk is an alert (WORKBENCH_ALERT_FREE_MB, 1024)
  --daily-backups N         backups that are made by themselves, one a day, and kept; 0: none
                            (WORKBENCH_DAILY_BACKUPS, 7)
  --log-level LEVEL         silent, error, warn, info, debug (WORKBENCH_LOG_LEVEL, warn)
  --oidc-issuer URL         external OpenID provider (WORKBENCH_OIDC_ISSUER), with
  --oidc-audience NAME      its audience (WORKBENCH_OIDC_AUDIENCE) and
  --oidc-jwks URL           the address of its keys (WORKBENCH_OIDC_JWKS)
  --open                    open the workbench in the default browser
  --version                 the version of the program
  --help                    this text
`;

type CommandLine =
  | { command: 'help' }
  | { command: 'version' }
  | { command: 'token'; dataDir: string }
  | { command: 'mcp'; dataDir: string; apiKey: string | null }
  | DataCommand
  | { command: 'serve'; options: StartOptions; open: boolean };

/** Reads flags and environment into the command to run. Throws StartError `options`. */
export function readCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): CommandLine {
  let parsed: ReturnType<typeof parseFlags>;
  try {
    parsed = parseFlags(args);
  } catch (cause) {
    throw new StartError('options', cause instanceof Error ? cause.message : 'The flags cannot be read.', { cause });
  }
  const { values, positionals } = parsed;
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const dataDir = toDataDir(values['data-dir'], env);
  const isDataDirGiven = findNamedFolder(values['data-dir'], env) !== undefined;
  const forData = readDataCommand(positionals, values, dataDir, isDataDirGiven);
  if (forData !== null) return forData;
  const [command = 'serve', ...excess] = positionals;
  if (excess.length > 0 || (command !== 'serve' && command !== 'token' && command !== 'mcp')) {
    throw new StartError('options', `Unknown command: ${positionals.join(' ')}. See --help.`);
  }
  if (command === 'token') return { command, dataDir };
  if (command === 'mcp') return { command, dataDir, apiKey: readApiKey(env['WORKBENCH_API_KEY']) };
  /** The text of a flag or, where it is not given, of the environment variable of the same name. */
  const read = (flag: TextFlag): Setting => ({
    name: `--${flag}`,
    text: values[flag] ?? env[`WORKBENCH_${flag.toUpperCase().replaceAll('-', '_')}`],
  });
  return {
    command,
    open: values.open,
    options: {
      dataDir,
      port: readInteger(read('port'), 8_737, 0, 65_535),
      listen: readAddress(read('listen').text),
      rendererDir: path.join(findProgramFolder(import.meta.dirname), 'out', 'renderer'),
      synchronous: readChoice(read('synchronous'), 'FULL', ['FULL', 'NORMAL']),
      heartbeatTimeoutMs: readInteger(read('heartbeat-timeout-ms'), 30_000, 1_000, 3_600_000),
      trainingMemoryMb: readInteger(read('training-memory-mb'), 2_000, 256, 1_000_000),
      teacherTimeoutMs: readInteger(read('teacher-timeout-ms'), 60_000, 1_000, 3_600_000),
      maxWrongCredentialsPerMinute: readInteger(read('max-wrong-credentials'), 60, 1, 1_000_000),
      alerts: readReceiver(read('alert-command').text, read('alert-webhook').text, env['WORKBENCH_ALERT_SECRET']),
      alertFreeMb: readInteger(read('alert-free-mb'), 1_024, 0, 100_000_000),
      dailyBackups: readInteger(read('daily-backups'), 7, 0, 366),
      acceptsRetraining: values['accept-retraining'],
      logLevel: readChoice(read('log-level'), 'warn', logLevels),
      oidc: readOidc(read('oidc-issuer').text, read('oidc-audience').text, read('oidc-jwks').text),
    },
  };
}

/** Reads the commands that care for data folders; null for every other one. */
function readDataCommand(
  [command, operand, ...excess]: readonly string[],
  { to, 'with-secrets': withSecrets, head }: Flags,
  dataDir: string,
  isDataDirGiven: boolean,
): DataCommand | null {
  const folder = operand === undefined ? null : path.resolve(operand);
  if (excess.length > 0) return null;
  if (command === 'backup' && folder === null) {
    return { command, dataDir, target: to === undefined ? null : path.resolve(to), withSecrets };
  }
  if (command === 'verify')
    return { command, backup: folder, dataDir, ...(head === undefined ? {} : { head: readHead(head) }) };
  if (command !== 'restore') return null;
  if (folder === null || !isDataDirGiven) {
    throw new StartError('options', 'Name the backup and, with --data-dir, the new folder that is made of it.');
  }
  return { command, backup: folder, dataDir };
}

function readHead(text: string): LogHead {
  const [, entries, record, digest] = /^([1-9]\d{0,14})(?:\.(\d{1,15}))?:([0-9a-f]{64})$/.exec(text) ?? [];
  if (entries !== undefined && digest !== undefined)
    return { entries: Number(entries), ...(record !== undefined && { record: Number(record) }), digest };
  throw new StartError(
    'options',
    `Option --head takes a head as verify prints it, numbers and 64 hex digits, not "${text}".`,
  );
}

type Flags = ReturnType<typeof parseFlags>['values'];
type TextFlag = { [Flag in keyof Flags]-?: Flags[Flag] extends string | undefined ? Flag : never }[keyof Flags];
type Setting = { name: `--${TextFlag}`; text: string | undefined };

function readInteger({ name, text }: Setting, usual: number, min: number, max: number): number {
  if (text === undefined) return usual;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new StartError('options', `${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** The usual address, and addresses of no single machine: any, multicast, broadcast. */
function listUnusableAddresses(): BlockList {
  const list = new BlockList();
  list.addAddress('127.0.0.1');
  list.addSubnet('0.0.0.0', 8);
  list.addSubnet('224.0.0.0', 3);
  list.addAddress('::', 'ipv6');
  list.addSubnet('ff00::', 8, 'ipv6');
  return list;
}

function readAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const family = isIP(text) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(text) !== 0 && !listUnusableAddresses().check(text, family)) return text;
  throw new StartError(
    'options',
    `Option --listen takes one IP address of this machine beside 127.0.0.1, not "${text}".`,
  );
}

function readChoice<T extends string>({ name, text }: Setting, usual: T, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === (text ?? usual));
  if (found !== undefined) return found;
  throw new StartError('options', `${name} must be one of ${choices.join(', ')}, not "${text}".`);
}

function parseFlags(args: readonly string[]) {
  const string = { type: 'string' } as const;
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'data-dir': string,
      port: string,
      listen: string,
      synchronous: string,
      'heartbeat-timeout-ms': string,
      'training-memory-mb': string,
      'teacher-timeout-ms': string,
      'max-wrong-credentials': string,
      'alert-command': string,
      'alert-webhook': string,
      'alert-free-mb': string,
      'daily-backups': string,
      'log-level': string,
      'oidc-issuer': string,
      'oidc-audience': string,
      'oidc-jwks': string,
      to: string,
      head: string,
      'accept-retraining': { type: 'boolean', default: false },
      'with-secrets': { type: 'boolean', default: false },
      open: { type: 'boolean', default: false },
      version: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

/** A key that is set but empty must not turn into the owner's rights. */
function readApiKey(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new StartError(
      'options',
      'WORKBENCH_API_KEY must be an API key without spaces; remove it to act as the owner.',
    );
  }
  return text;
}

function readOidc(
  issuer: string | undefined,
  audience: string | undefined,
  jwksUrl: string | undefined,
): ServerOptions['oidc'] {
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return null;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) {
    throw new StartError('options', 'An external provider needs issuer, audience and JWKS address together.');
  }
  const url = URL.canParse(jwksUrl) ? new URL(jwksUrl) : null;
  const local = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !local)) {
    throw new StartError(
      'options',
      `The JWKS address must start with https:// (or be on this machine), not "${jwksUrl}".`,
    );
  }
  return { issuer, audience, jwksUrl };
}

/** The program without a window: runs one command line and sets the exit code. */
export async function runCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  process.on('uncaughtException', (error) => {
    tellFault(error);
    process.exit(exitCodes.fault);
  });
  try {
    await runNamedCommand(args, env);
  } catch (error) {
    if (error instanceof StartError) process.stderr.write(`${error.message}\n`);
    else tellFault(error);
    process.exitCode = error instanceof StartError ? error.exitCode : exitCodes.fault;
  }
}

async function runNamedCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const name = findCommandName(args);
  if (name !== undefined) {
    const { runCommand } = await import('./command-line/run-command.ts');
    process.exitCode = await runCommand(name, args.slice(1), env);
    return;
  }
  const line = readCommandLine(args, env);
  if (line.command === 'help') process.stdout.write(help);
  else if (line.command === 'version') process.stdout.write(`${toolVersion(findProgramFolder(import.meta.dirname))}\n`);
  else if (line.command === 'token') await printToken(line.dataDir);
  else if (line.command === 'mcp') await offerTools(line.dataDir, line.apiKey);
  else if (line.command === 'serve') await serve(line.options, line.open);
  else process.stdout.write(`${runDataCommand(line, systemClock.now())}\n`);
}

async function printToken(dataDir: string): Promise<void> {
  requireDataFolder(dataDir);
  const { token } = await createIssuer({ dataDir, oidc: null }, systemClock).issue();
  process.stdout.write(`${token}\n`);
}

async function offerTools(dataDir: string, apiKey: string | null): Promise<void> {
  const { pipeAgentTools } = await import('./mcp/stdio.ts');
  pipeAgentTools(dataDir, apiKey);
}

async function serve(options: StartOptions, open: boolean): Promise<void> {
  const { startWorkbench } = await import('./start.ts');
  const workbench = await startWorkbench(options);
  surviveFaults(workbench.log);
  endOnSignal(workbench);
  const { url, mcpUrl, outsideUrl, dataDir } = workbench;
  process.stdout.write(`${JSON.stringify({ url, mcp_url: mcpUrl, data_dir: dataDir, pid: process.pid })}\n`);
  if (outsideUrl !== null) {
    process.stderr.write(
      `Other machines can call ${outsideUrl} with an API key. It is plain HTTP: whoever reads that network reads keys and data.\n`,
    );
  }
  try {
    const link = await workbench.loginLink();
    process.stderr.write(`Open the workbench (this link signs in once, within ten minutes): ${link}\n`);
    if (open) openBrowser(link);
  } catch (err) {
    // On a full disk no code can be stored; the service goes on, and a token needs none.
    workbench.log.error({ err }, 'no login link could be made: sign in with a token');
  }
}

/** A fault in a timer or an event that nobody waits for is logged; it must not end the service for everybody. */
function surviveFaults(log: Log): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'a fault that nothing waited for'));
}

/** The first signal lets the answers under way end, a second one ends the program at once. */
function endOnSignal(workbench: Workbench): void {
  let isClosing = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isClosing) process.exit(128 + constants.signals[signal]);
    isClosing = true;
    workbench.close().then(
      () => process.exit(0),
      (err: unknown) => {
        workbench.log.error({ err }, 'the program could not be closed in order');
        process.exit(exitCodes.fault);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function openBrowser(link: string): void {
  const [command, args]: [string, string[]] =
    process.platform === 'darwin'
      ? ['open', [link]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', link]]
        : ['xdg-open', [link]];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // The link is on the console too, so a machine without a browser is no fault.
  child.on('error', () => process.stderr.write('No browser could be opened; use the link above.\n'));
  child.unref();
}

if (import.meta.main) await runCommandLine(process.argv.slice(2), process.env);
