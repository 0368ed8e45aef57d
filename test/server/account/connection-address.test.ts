/** Where a model connection may lead. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAddressProblem } from '../../../src/server/connections/address.ts';
import { askChat } from '../../../src/server/connections/chat-client.ts';

describe('a model connection', () => {
  it.each([
    ['link-local', '169.254.0.1'],
    ['link-local in its IPv4-mapped form', '[::ffff:169.254.169.254]'],
    ['metadata', '168.63.129.16'],
    ['metadata', '100.100.100.200'],
    ['metadata', '192.0.0.192'],
    ['metadata', '[fd00:ec2::254]'],
    ['metadata', '[fd20:ce::254]'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.7'],
    ['documentation', '[2001:db8::1]'],
    ['relays of 6to4', '192.88.99.1'],
    ['measurements', '198.19.0.1'],
    ['multicast', '239.1.1.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '[::]'],
    ['NAT64', '[64:ff9b::a9fe:a9fe]'],
    ['NAT64 for 127.0.0.1', '[64:ff9b::127.0.0.1]'],
    ['NAT64 of a network', '[64:ff9b:1::a00:1]'],
    ['6to4 for 10.0.0.1', '[2002:a00:1::1]'],
    ['Teredo', '[2001:0:4136:e378::1]'],
    ['IPv4-compatible', '[::10.0.0.1]'],
    ['discarded', '[100::1]'],
    ['site-local', '[fec0::1]'],
    ['link-local', '[fe80::1]'],
    ['multicast', '[ff02::1]'],
  ])('is never an address of %s, even where private networks are allowed: %s', (_kind, host) => {
    for (const privateNetwork of [false, true]) {
      expect(findAddressProblem({ url: `https://${host}/v1`, privateNetwork })).toContain('link-local');
    }
  });

  it.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '100.127.255.254', '[fd12::1]', '[::ffff:10.0.0.1]'])(
    'is an address of a private network only where the connection says so: %s',
    (host) => {
      const url = `https://${host}/v1`;
      expect(findAddressProblem({ url, privateNetwork: false })).toContain('private network');
      expect(findAddressProblem({ url, privateNetwork: true })).toBeNull();
    },
  );

  it('is refused before anything is connected to', async () => {
    // On this machine, a connection to any of these addresses would arrive here.
    let connections = 0;
    const service = createServer(() => {
      connections += 1;
    });
    await once(service.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void service.close());
    const { port } = service.address() as AddressInfo;
    for (const host of ['0.0.0.0', '[::]', 'localhost.']) {
      const asked = askChat(
        { url: `https://${host}:${port}/v1`, privateNetwork: false, model: 'm', apiKey: null },
        { system: '', user: '', schema: {}, schemaName: 'x', temperature: 0, maxTokens: 1 },
        (value) => value,
        { timeoutMs: 2_000, retries: 0, signal: new AbortController().signal },
      );
      await expect(asked, host).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(connections).toBe(0);
  });
});
