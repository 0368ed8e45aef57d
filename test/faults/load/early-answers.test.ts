/** Answers that are known before the body has come: every client reads them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findEdgePython } from '../../edge-python.ts';
import { openForTest } from '../../server/workbench.ts';

const megabyte = 1024 * 1024;
type Refused = { status: number; method: string; path: string; headers: Record<string, string> };

const python = await findEdgePython();
/** Prints the status and error code that Python's own client reads, or the name of what it throws. */
const pythonClient = `
import json, sys, urllib.error, urllib.request
url, method, headers, size, tries = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for _ in range(tries):
    call = urllib.request.Request(url, data=b'x' * size, method=method, headers=headers)
    try:
        print(opener.open(call, timeout=20).status)
    except urllib.error.HTTPError as error:
        print(error.code if 'code' in json.load(error)['error'] else 'no envelope')
    except Exception as error:
        print(repr(error))
`;

type Sent = { size: number; tries: number };

async function readWithPython(url: string, { method, headers }: Refused, { size, tries }: Sent): Promise<string[]> {
  const args = ['-c', pythonClient, url, method, JSON.stringify(headers), String(size), String(tries)];
  const { stdout } = await promisify(execFile)(python ?? '', args);
  return stdout.trim().split('\n');
}

async function readWithFetch(url: string, { method, headers }: Refused, { size, tries }: Sent): Promise<string[]> {
  const answers: string[] = [];
  for (let call = 0; call < tries; call += 1) {
    const answer = await fetch(url, { method, headers, body: Buffer.alloc(size, 'x') }).then(
      async (response) => [response.status, (await response.json()).error.code === undefined ? 'no envelope' : ''],
      (error: Error) => [String(error.cause ?? error), ''],
    );
    answers.push(answer.join(''));
  }
  return answers;
}

describe('a refusal before the body is read', () => {
  const json = { 'content-type': 'application/json' };
  const refused = (token: string, port: number): Refused[] => {
    const owner = { authorization: `Bearer ${token}` };
    return [
      { status: 413, method: 'POST', path: '/api/v1/decide', headers: { ...json, ...owner } },
      { status: 401, method: 'POST', path: '/api/v1/decide', headers: json },
      { status: 403, method: 'POST', path: '/api/v1/decide', headers: { ...json, host: `example.org:${port}` } },
      { status: 404, method: 'POST', path: '/nowhere', headers: { ...json, ...owner } },
      { status: 405, method: 'PUT', path: '/api/v1/decide', headers: { ...json, ...owner } },
      { status: 415, method: 'POST', path: '/api/v1/decide', headers: { ...owner, 'content-type': 'text/plain' } },
    ];
  };

  const bodies = [
    [2, 10],
    [17, 5],
    [64, 2],
  ] as const;
  it.each(bodies.filter(([megabytes]) => megabytes <= Number(process.env.MAX_BODY_MB ?? 2)))(
    'is read by Python and by Node with a body of %s MB, each time',
    async (megabytes, tries) => {
      const sent = { size: megabytes * megabyte, tries };
      const { app, token } = await openForTest();
      await app.listen({ host: '127.0.0.1', port: 0 });
      const address = app.server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      for (const row of refused(token, port)) {
        const url = `http://127.0.0.1:${port}${row.path}`;
        const expected = Array.from({ length: tries }, () => String(row.status));
        if (python !== null) expect([row.status, await readWithPython(url, row, sent)]).toEqual([row.status, expected]);
        // fetch sets its own Host
        if (row.status !== 403) {
          expect([row.status, await readWithFetch(url, row, sent)]).toEqual([row.status, expected]);
        }
      }
    },
  );

  it('does not wait for a body without end', async () => {
    const { app } = await openForTest();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const address = app.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const piece = Buffer.alloc(megabyte, 'x');
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        // bounded, so that a failing test ends too
        if (sent >= 200) return controller.close();
        sent += 1;
        controller.enqueue(piece);
      },
    });
    const call = fetch(`http://127.0.0.1:${port}/api/v1/decide`, {
      method: 'POST',
      headers: json,
      body: endless,
      duplex: 'half',
    } as RequestInit);
    await call.then(
      ({ status }) => expect(status).toBe(401),
      () => undefined,
    );
    expect(sent).toBeLessThan(100);
  });
});
