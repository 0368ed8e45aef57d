/** Who does not ask, or asks for half, is not waited for, whether the first process or a worker has the connection. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../server/workbench.ts';
import { Service, writeBundle } from './served.ts';

const head = 'POST /decide HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

async function open(service: Service, sent: string): Promise<Socket> {
  const client = connect(service.port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  await once(client, 'connect');
  client.write(sent);
  return client;
}

async function readToEnd(client: Socket): Promise<string> {
  let read = '';
  client.on('data', (part) => (read += part));
  if (!client.closed) await once(client, 'close');
  return read;
}

describe.each(['1', '2'])('A service of %s processes', (workers) => {
  it('closes half a head after 5 s, answers half a body after 10 s, and goes on answering others [SRV-12]', async () => {
    const service = await Service.startForStory(writeBundle(join(temporaryFolder(), 'loan.zip')), '--workers', workers);
    const halfHead = await open(service, head);
    const halfBody = await open(service, `${head}content-length: 100\r\n\r\n{`);
    for (let held = 0; held < 600; held += 1) {
      await open(service, head);
      if (held % 20 === 0) expect((await service.decide({ amount: 4 })).decision).toBe('decline');
    }
    const begun = performance.now();
    const other = await open(service, head);
    expect(await readToEnd(other)).toContain('400');
    expect(performance.now() - begun).toBeGreaterThan(4_000);
    expect(await readToEnd(halfHead)).toMatch(/^$|400/);
    expect(await readToEnd(halfBody)).toMatch(/^$|400/);
    expect((await service.decide({ amount: 4 })).decision).toBe('decline');
    expect(await service.stop()).toBe(0);
  });
});
