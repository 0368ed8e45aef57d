/** The workbench at a further address: what is let in there. A second address of this machine stands for the network. */
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCommandLine } from '../../../src/server/serve.ts';
import { startWorkbench } from '../../../src/server/start.ts';
import { temporaryFolder } from '../workbench.ts';

const elsewhere = process.platform === 'darwin' ? '::1' : '127.0.0.2';

async function start(dataDir: string, listen: string | null) {
  const workbench = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel: 'silent', listen });
  onTestFinished(() => workbench.close());
  return workbench;
}

function ask(url: string, headers: Record<string, string> = {}, body?: object) {
  return new Promise<{ status: number; body: Record<string, string> }>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { method, headers: { ...type, ...headers }, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (data) => {
        text += String(data);
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

describe('a further address', () => {
  it('is refused with the way to a key while there is none, and where it is none of this machine [NET-1]', async () => {
    const dataDir = temporaryFolder();
    await expect(start(dataDir, elsewhere)).rejects.toThrow(/by API keys alone.*make a key under Settings/);
    const workbench = await start(dataDir, null);
    expect(workbench.outsideUrl).toBeNull();
    expect((await ask(`${workbench.url}/ready`)).body.network).toBe('this machine alone');
    const disguised = ['0::0', '::ffff:0.0.0.0', '::ffff:127.0.0.1'];
    const many = ['224.0.0.1', '255.255.255.255', 'ff02::1'];
    for (const text of ['0.0.0.0', '::', '127.0.0.1', 'localhost', '', ...disguised, ...many]) {
      expect(() => readCommandLine(['serve', '--listen', text], {}), text).toThrow(/one IP address of this machine/);
    }
  });

  it('lets calls with a valid API key in, and nothing else [NET-2]', async () => {
    const dataDir = temporaryFolder();
    const first = await start(dataDir, null);
    const owner = { authorization: `Bearer ${await first.issueSession()}` };
    const made = await ask(`${first.url}/api/v1/api-keys`, owner, { name: 'from elsewhere' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const key = { authorization: `Bearer ${made.body.key}` };
    await first.close();

    const { url, outsideUrl, issueSession, loginLink } = await start(dataDir, elsewhere);
    expect(outsideUrl).not.toBeNull();
    const outside = String(outsideUrl);
    expect((await ask(`${outside}/api/v1/decision-types`, key)).status).toBe(200);
    expect((await ask(`${outside}/api/v1/decision-types`, { ...key, host: 'workbench.example' })).status).toBe(200);
    const ready = (await ask(`${outside}/ready`, key)).body;
    expect(ready.network).toContain(`also ${elsewhere}, with an API key, over HTTP: unencrypted`);

    const session = { authorization: `Bearer ${await issueSession()}` };
    const [, code] = (await loginLink()).split('#login=');
    const from = async (path: string, headers: Record<string, string>, body?: object) =>
      (await ask(`${outside}${path}`, headers, body)).status;
    expect(await from('/api/v1/decision-types', session)).toBe(403);
    expect(await from('/api/v1/decision-types', { authorization: 'Bearer dw_wrong' })).toBe(401);
    expect(await from('/api/v1/auth/session', {}, { code })).toBe(401);
    for (const path of ['/app/', '/docs', '/health', '/ready', '/mcp', '/api/v1/openapi.json', '/%zz', '/none']) {
      expect([path, await from(path, {})]).toEqual([path, 401]);
    }
    for (const header of [
      { origin: outside },
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'same-origin' },
    ]) {
      expect(await from('/api/v1/decision-types', { ...key, ...header })).toBe(403);
    }
    // This machine's own address is as ever, and the code is still good there.
    expect((await ask(`${url}/api/v1/decision-types`, session)).status).toBe(200);
    expect((await ask(`${url}/health`, { host: 'workbench.example' })).status).toBe(403);
    expect((await ask(`${url}/api/v1/auth/session`, {}, { code })).status).toBe(201);
  });
});
