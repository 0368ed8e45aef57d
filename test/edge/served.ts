/** A served bundle as its clients see it: the command in a process of its own, spoken to over a port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type BundleParts, packBundle } from '../../src/engine/bundle/bundle.ts';
import { bundleParts, sha256 } from '../engine/bundle-fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
export type Served = { status: number; headers: Headers; body: any };

/** The command as the sources have it. */
export const sourceCommand = [process.execPath, join(import.meta.dirname, '../../src/edge/serve/main.ts')];

/** Writes a bundle of loan decisions in one step, as a file is replaced; `change` changes its parts. */
export function writeBundle(path: string, change: (parts: BundleParts) => BundleParts = (parts) => parts): string {
  writeFileSync(`${path}.new`, packBundle(change(bundleParts()), sha256));
  renameSync(`${path}.new`, path);
  return path;
}

/** Changes the manifest of a bundle that is written. */
export const withManifest =
  (change: Partial<BundleParts['manifest']>) =>
  (parts: BundleParts): BundleParts => ({ ...parts, manifest: { ...parts.manifest, ...change } });

export class Service {
  readonly child: ChildProcess;
  readonly log: string[] = [];
  address = '';
  #ended: Promise<unknown[]>;

  private constructor(command: readonly string[]) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    // With its log read to the end.
    this.#ended = once(this.child, 'close');
  }

  /** Starts `decision-edge serve` with these arguments at a free port. */
  static async start(args: readonly string[], command: readonly string[] = sourceCommand): Promise<Service> {
    const service = new Service([...command, 'serve', ...args, '--port', '0']);
    await new Promise<void>((ready, fail) => {
      if (service.child.stderr === null) throw new Error('The service has no log.');
      createInterface(service.child.stderr).on('line', (line) => {
        service.log.push(line);
        const found = /Running on (http:\S+)/.exec(line);
        if (found?.[1] === undefined) return;
        service.address = found[1];
        ready();
      });
      service.child.once('exit', (code) => fail(new Error(`ended with ${code}: ${service.log.join('\n')}`)));
    });
    return service;
  }

  /** As `start`, for one story, after which it ends. */
  static async startForStory(...args: string[]): Promise<Service> {
    const service = await Service.start(args);
    onTestFinished(() => void service.stop());
    return service;
  }

  get port(): number {
    return Number(new URL(this.address).port);
  }

  /** Asks for the end as a container's runtime does; resolves with the exit code, or the signal. */
  async stop(): Promise<number | string> {
    this.child.kill('SIGTERM');
    const [code, signal] = await this.#ended;
    return (code ?? signal) as number | string;
  }

  /** Ends all of its processes at once. */
  async kill(): Promise<void> {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
    await this.#ended;
  }

  /** Asks once; a body that is no text goes as JSON, an answer that is JSON comes parsed. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Served> {
    const answer = await fetch(this.address + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  async decide(input: object, type = 'loan'): Promise<Served['body']> {
    return (await this.ask('POST', '/decide', { decision_type: type, input })).body;
  }

  /** Asks for readiness until its answer is such. */
  async awaitReady(isSo: (ready: Served['body']) => boolean): Promise<Served['body']> {
    for (;;) {
      const { body } = await this.ask('GET', '/ready');
      if (isSo(body)) return body;
    }
  }
}
