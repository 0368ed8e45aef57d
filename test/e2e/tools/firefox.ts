/** A tab of Firefox, driven by WebDriver BiDi (W3C): Playwright drives a build of its own, which is rarely there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The Firefox of this machine: FIREFOX_PATH, or that of the system; null if there is none. */
export function findFirefox(): string | null {
  const application = '/Applications/Firefox.app/Contents/MacOS/firefox';
  const candidates = [process.env.FIREFOX_PATH, '/usr/bin/firefox', '/usr/bin/firefox-esr', application];
  return candidates.find((path) => path !== undefined && existsSync(path)) ?? null;
}

const answerSchema = z.object({
  id: z.number(),
  type: z.string(),
  result: z.unknown(),
  message: z.string().optional(),
});
const evaluatedSchema = z.object({ result: z.object({ value: z.string() }) });

/** Opens an address. `run` evaluates an expression that gives a promise of a text. */
export async function openInFirefox(executable: string, address: string) {
  const home = mkdtempSync(join(tmpdir(), 'firefox-'));
  const args = ['--headless', '--no-remote', '--profile', home, '--remote-debugging-port', '0'];
  const firefox = spawn(executable, args, { env: { ...process.env, HOME: home }, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(firefox, 'exit');
  const socket = new WebSocket(`${await readEndpoint(firefox.stderr)}/session`);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const read = answerSchema.safeParse(JSON.parse(String(data)));
    if (!read.success) return;
    const { id, type, result, message } = read.data;
    if (type === 'success') waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(message));
  });
  const call = (method: string, params: object) => {
    const id = waiting.size;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
  await call('session.new', { capabilities: {} });
  const trees = z.object({ contexts: z.tuple([z.object({ context: z.string() })]) });
  const { context } = trees.parse(await call('browsingContext.getTree', {})).contexts[0];
  await call('browsingContext.navigate', { context, url: address, wait: 'complete' });
  return {
    async choose(selector: string, file: string): Promise<void> {
      const locator = { type: 'css', value: selector };
      const found = z.object({ nodes: z.tuple([z.object({ sharedId: z.string() })]) });
      const [element] = found.parse(await call('browsingContext.locateNodes', { context, locator })).nodes;
      await call('input.setFiles', { context, element, files: [file] });
    },
    async run(expression: string): Promise<string> {
      const order = { expression, target: { context }, awaitPromise: true };
      return evaluatedSchema.parse(await call('script.evaluate', order)).result.value;
    },
    async close(): Promise<void> {
      socket.close();
      firefox.kill();
      await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function readEndpoint(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const [, address] = /WebDriver BiDi listening on (\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it listened.');
}
