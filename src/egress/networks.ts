import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** `address` or `network/bits`, of either family. */
export type Network = string;

/** This machine. */
export const LOOPBACK: readonly Network[] = ['127.0.0.0/8', '::1/128'];

/** Networks that belong to whoever runs them, RFC 1918 and its like in IPv6. */
export const PRIVATE: readonly Network[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/**
 * Where nothing is that everybody may reach: private and link-local networks, with the metadata services that clouds
 * put there or at addresses of their own, those of carriers, tunnels and translations that lead there, and addresses
 * that are none of a single host. Of IPv6 all that is not for hosts of the Internet (2000::/3), and what is special in
 * that; the registries of special addresses at IANA have the rest.
 */
const NOT_PUBLIC: readonly Network[] = [
  ...LOOPBACK,
  ...PRIVATE,
  '0.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '168.63.129.16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/** @returns undefined for what is neither an address nor a network */
export function parseNetwork(
  network: Network,
): { readonly address: string; readonly bits?: number } | undefined {
  const [address = '', bits, ...rest] = network.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return undefined;
  if (bits === undefined) return { address };
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > widthOf(address)) return undefined;
  return { address, bits: Number(bits) };
}

/** @throws RangeError with the network that is none */
export function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const parsed = parseNetwork(network);
    if (parsed === undefined) throw new RangeError(network);
    const { address, bits = widthOf(address) } = parsed;
    list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

// Apart, because a list takes an address of IPv4 also for the one that it is mapped to.
const NOT_PUBLIC_LISTS = {
  ipv4: listOf(NOT_PUBLIC.filter((network) => !network.includes(':'))),
  ipv6: listOf(NOT_PUBLIC.filter((network) => network.includes(':'))),
};

/** @param address without mapping */
export function isPublic(address: string): boolean {
  return !includes(NOT_PUBLIC_LISTS[familyOf(address)], address);
}

/** The entries that stand for one address alone. */
export function singleAddresses(networks: readonly Network[]): readonly Network[] {
  return networks.filter((network) => {
    const { address = '', bits } = parseNetwork(network) ?? {};
    return bits === undefined || bits === widthOf(address);
  });
}

/** The addresses at which this machine is reached from elsewhere. */
export function ownAddresses(): BlockList {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return listOf(own.map(({ address }) => withoutMapping(address)));
}

export function includes(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

/** An address without its zone; one of IPv4 that is mapped or translated into IPv6 becomes the IPv4 address. */
export function withoutMapping(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) !== 6) return plain;
  // `new URL` writes it in the shortest of many forms.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(written) ?? [];
  if (low === undefined) return written;
  const bits = [Number.parseInt(high ?? '0', 16), Number.parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}

function widthOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
