/** Which addresses a teacher may have: https anywhere public, http only on this machine, private networks on request. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

export type AddressPolicy = { url: string; privateNetwork: boolean };

const never = listOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::/32',
]);
const loopback = listOf(['127.0.0.0/8', '::1/128']);
const privateNetworks = listOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
const holds = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
const isLocalName = (host: string) => host === 'localhost' || (isIP(host) !== 0 && holds(loopback, host));

/** Why an address cannot be a teacher's, as a sentence, or null. Names are looked up only when a call is made. */
export function refuseAddress({ url, privateNetwork }: AddressPolicy): string | null {
  if (!URL.canParse(url)) return 'This is not an address. Example: http://127.0.0.1:11434/v1';
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return 'The address must not hold a password; use api_key.';
  if (parsed.search !== '' || parsed.hash !== '') return 'The address must not hold a query or a fragment.';
  const host = hostOf(parsed);
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLocalName(host))) {
    return 'The address must begin with https://; http:// is accepted for this machine only (127.0.0.1, localhost).';
  }
  return isIP(host) === 0 ? null : refuseIp(host, isLocalName(host), privateNetwork);
}

function refuseIp(address: string, local: boolean, privateNetwork: boolean): string | null {
  if (holds(never, address)) return 'The address is not one of a service (link-local, metadata or multicast).';
  if (local) return holds(loopback, address) ? null : 'The name of this machine leads to another one.';
  if (!privateNetwork && (holds(privateNetworks, address) || holds(loopback, address))) {
    return 'The address is in a private network; allow that with private_network.';
  }
  return null;
}

/**
 * The look-up for one call: the name is resolved once, every address of it is checked, and the connection is made to
 * the address that was checked.
 */
export function checkedLookup({ url, privateNetwork }: AddressPolicy): LookupFunction {
  const local = isLocalName(hostOf(new URL(url)));
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const refused = addresses
        .map(({ address }) => refuseIp(address, local, privateNetwork))
        .find((why) => why !== null);
      const [first] = addresses;
      if (refused !== undefined || first === undefined) return callback(new Error(refused ?? 'no address'), '');
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
