/** Addresses of model connections: https anywhere public, http on this machine, private networks on request. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

export type AddressPolicy = { url: string; privateNetwork: boolean };

/** No service of anybody: reserved, link-local, multicast, metadata of a cloud, or another address in disguise. */
const never = toBlockList([
  '0.0.0.0/8',
  '100.100.100.200/32', // metadata
  '168.63.129.16/32', // metadata
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // relays of 6to4
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96', // IPv4 in an outdated form
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // NAT64
  '100::/64',
  '2001::/32', // Teredo
  '2001:db8::/32',
  '2002::/16', // 6to4
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::/32', // metadata
  'fd20:ce::254/128', // metadata
]);
const loopback = toBlockList(['127.0.0.0/8', '::1/128']);
const privateNetworks = toBlockList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']);

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
const contains = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const toHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
const isLocalName = (host: string) => host === 'localhost' || (isIP(host) !== 0 && contains(loopback, host));

/** Returns why a model connection cannot have this address, or null; names are looked up at the call. */
export function findAddressProblem({ url, privateNetwork }: AddressPolicy): string | null {
  if (!URL.canParse(url)) return 'This is not an address. Example: http://127.0.0.1:11434/v1.';
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return 'The address must not hold a password; use api_key.';
  if (parsed.search !== '' || parsed.hash !== '') return 'The address must not hold a query or a fragment.';
  const host = toHost(parsed);
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLocalName(host))) {
    return 'The address must begin with https://; http:// is accepted for this machine only (127.0.0.1, localhost).';
  }
  return isIP(host) === 0 ? null : findIpProblem(host, isLocalName(host), privateNetwork);
}

function findIpProblem(address: string, local: boolean, privateNetwork: boolean): string | null {
  // `::1` lies in a range of the first list.
  if (contains(never, address) && !contains(loopback, address)) {
    return 'The address is not one of a service (link-local, metadata or multicast).';
  }
  if (local) return contains(loopback, address) ? null : 'The name of this machine leads to another one.';
  if (!privateNetwork && (contains(privateNetworks, address) || contains(loopback, address))) {
    return 'The address is in a private network; allow that with private_network.';
  }
  return null;
}

/** Looks a name up once for one call and checks every address of it; the call goes to the one checked. */
export function checkedLookup({ url, privateNetwork }: AddressPolicy): LookupFunction {
  const local = isLocalName(toHost(new URL(url)));
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const problem = addresses
        .map(({ address }) => findIpProblem(address, local, privateNetwork))
        .find((found) => found !== null);
      const [first] = addresses;
      if (problem !== undefined || first === undefined) return callback(new Error(problem ?? 'no address'), '');
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
