/** Where alerts go: one command that is named at the start, or one webhook, called with one alert at a time. */
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Alert, alertSchema } from '../contract/upkeep/upkeep.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import { writeDurably } from '../process/durable-file.ts';
import type { Log } from '../process/log.ts';
import type { NamedReceiver, ServerOptions } from '../process/options.ts';
import { StartError } from '../process/start-error.ts';
import { type AddressPolicy, findAddressProblem } from './address.ts';
import { CallError, postChecked } from './checked-post.ts';

/** How long a command may run, and a webhook take to answer. */
const tryTimeoutMs = 10_000;
const maxShownStderr = 300;
const secretBytes = 24;
const secretPrefix = 'whsec_';

const webhookSchema = z.strictObject({ url: z.string(), privateNetwork: z.boolean(), secret: z.string() });
type Webhook = z.infer<typeof webhookSchema>;
type Receiver = ({ kind: 'command'; file: string } | ({ kind: 'webhook' } & Webhook)) & { isFixed: boolean };

/** The one receiver of alerts; nothing leaves the program without one. */
export class AlertReceiver {
  readonly #file: string;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  #receiver: Receiver | null;

  constructor({ dataDir, alerts }: Pick<ServerOptions, 'dataDir' | 'alerts'>, now: () => number) {
    this.#file = path.join(toFolderPaths(dataDir).secrets, 'alert-webhook.json');
    this.#now = now;
    this.#receiver = alerts === null ? readWebhook(this.#file) : toFixed(alerts);
  }

  /** The receiver without its secret, or null. */
  describe(): { kind: 'command' | 'webhook'; to: string; isPrivate: boolean; isFixed: boolean } | null {
    const receiver = this.#receiver;
    if (receiver === null) return null;
    const { kind, isFixed } = receiver;
    return kind === 'command'
      ? { kind, to: receiver.file, isPrivate: false, isFixed }
      : { kind, to: receiver.url, isPrivate: receiver.privateNetwork, isFixed };
  }

  /** Sends to a webhook from now on, or to nobody; returns the new secret by which it knows this program. */
  setWebhook(address: AddressPolicy | null): string | null {
    if (address === null) {
      rmSync(this.#file, { force: true });
      this.#receiver = null;
      return null;
    }
    const secret = `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
    const webhook: Webhook = { url: address.url, privateNetwork: address.privateNetwork, secret };
    writeDurably(this.#file, Buffer.from(JSON.stringify(webhook)));
    this.#receiver = { kind: 'webhook', ...webhook, isFixed: false };
    return secret;
  }

  /** Sends one alert, in one try. Rejects with a sentence on why it did not arrive. */
  async send(alert: Alert): Promise<void> {
    const receiver = this.#receiver;
    if (receiver === null) throw new CallError('Alerts are sent to nobody.', false);
    const body = JSON.stringify(alert);
    if (receiver.kind === 'command') await runCommand(receiver.file, body, this.#closing.signal);
    else await this.#post(receiver, alert.id, body);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Signs as Standard Webhooks 1.0 has it, so that receivers can check it by a library of theirs. */
  async #post({ url, privateNetwork, secret }: Webhook, id: string, body: string): Promise<void> {
    const timestamp = Math.floor(this.#now() / 1_000);
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const { status } = await postChecked(
      { url, privateNetwork },
      {
        url: new URL(url),
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': `v1,${signature}`,
        },
        body,
      },
      { timeoutMs: tryTimeoutMs, signal: this.#closing.signal },
    );
    if (status < 200 || status > 299) throw new CallError(`It answered ${status}.`, true, status);
  }
}

/** Whether a text is a secret of a webhook: `whsec_`, and 24 to 64 bytes in base64. */
function isWebhookSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const length = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length;
  return length >= secretBytes && length <= 64;
}

/** Reads what the start of the program says of alerts. Throws StartError `options`: nobody misses a lost alert. */
export function readReceiver(
  command: string | undefined,
  url: string | undefined,
  secret: string | undefined,
): NamedReceiver | null {
  if (command !== undefined && url !== undefined) {
    throw new StartError('options', 'Alerts go to a command or to a webhook: give --alert-command or --alert-webhook.');
  }
  if (command !== undefined) {
    const file = path.resolve(command);
    try {
      accessSync(file, constants.X_OK);
    } catch (cause) {
      throw new StartError('options', `Option --alert-command takes a program that may be run, not "${command}".`, {
        cause,
      });
    }
    return { kind: 'command', file };
  }
  if (url === undefined) return null;
  const problem = findAddressProblem({ url, privateNetwork: true });
  if (problem !== null) throw new StartError('options', `Option --alert-webhook cannot be "${url}". ${problem}`);
  if (secret === undefined || !isWebhookSecret(secret)) {
    const message = 'Option --alert-webhook needs WORKBENCH_ALERT_SECRET: whsec_ and 24 to 64 bytes in base64.';
    throw new StartError('options', message);
  }
  return { kind: 'webhook', url, secret };
}

function toFixed(alerts: NamedReceiver): Receiver {
  return alerts.kind === 'command'
    ? { ...alerts, isFixed: true }
    : // Whoever starts the program may name any address.
      { ...alerts, privateNetwork: true, isFixed: true };
}

/** Reads the webhook that was set; throws if the file is not one, as who trusts in alerts must not wait in vain. */
function readWebhook(file: string): Receiver | null {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  return { kind: 'webhook', ...webhookSchema.parse(JSON.parse(text)), isFixed: false };
}

/** Runs a program without a shell and without arguments, the alert on its standard input. */
function runCommand(file: string, body: string, closing: AbortSignal): Promise<void> {
  const { PATH, HOME, LANG, SystemRoot } = process.env;
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(tryTimeoutMs);
    const child = spawn(file, [], {
      env: { PATH, HOME, LANG, SystemRoot },
      stdio: ['pipe', 'ignore', 'pipe'],
      signal: AbortSignal.any([limit, closing]),
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, maxShownStderr);
    });
    child.once('error', (cause) => {
      const why = limit.aborted
        ? `It ran longer than ${tryTimeoutMs / 1_000} s.`
        : `It cannot be run (${toCode(cause)}).`;
      reject(new CallError(why, true, null, { cause }));
    });
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new CallError(`It ended with ${signal ?? `exit code ${code}`}. ${said.trim()}`.trim(), true));
    });
    // A command that does not read has got it all the same.
    child.stdin.once('error', () => undefined);
    child.stdin.end(body);
  });
}

const toCode = (error: Error) => ('code' in error ? String(error.code) : error.message);

const waitingSchema = z.strictObject({ alert: alertSchema, organisationId: z.string().nullable(), tries: z.int() });
export type WaitingAlert = z.infer<typeof waitingSchema>;

/** The queue of the one receiver, oldest first. */
export class WaitingAlerts {
  readonly #file: string;
  readonly #log: Log;
  #waiting: WaitingAlert[];

  /** Reads the queue of an earlier run; a damaged file counts as empty, and the log says so. */
  constructor(dataDir: string, log: Log) {
    this.#file = path.join(toFolderPaths(dataDir).secrets, 'waiting-alerts.json');
    this.#log = log;
    this.#waiting = this.#read();
  }

  #read(): WaitingAlert[] {
    if (!existsSync(this.#file)) return [];
    try {
      return z.array(waitingSchema).parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (err) {
      this.#log.error({ err }, 'the alerts that waited could not be read');
      return [];
    }
  }

  get all(): readonly WaitingAlert[] {
    return this.#waiting;
  }

  set(waiting: readonly WaitingAlert[]): void {
    this.#waiting = [...waiting];
    try {
      writeDurably(this.#file, Buffer.from(JSON.stringify(this.#waiting)));
    } catch (err) {
      // A full disk is an alert itself: what cannot be kept over a restart is sent all the same.
      this.#log.error({ err }, 'the alerts that wait could not be kept');
    }
  }
}
