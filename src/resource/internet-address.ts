import { isIP } from 'node:net';

// By hand: Node compares addresses with networks, and tells of no address which its network is.

const NETWORK_GROUPS = 4;
const GROUPS = 8;

export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address);
  return family === 0 ? undefined : family === 6 ? 'ipv6' : 'ipv4';
}

/**
 * An address as proxies write it: alone, with a port, in brackets. An IPv4 address inside of an IPv6 one is that address.
 *
 * @returns undefined when it cannot be read
 */
export function readAddress(text: string): string | undefined {
  const [, bracketed, before] = /^(?:\[([^\]]*)\](?::\d+)?|([^[\]]*))$/.exec(text.trim()) ?? [];
  const address = bracketed ?? before?.replace(/^([^:]*):\d+$/, '$1') ?? '';
  const family = isIP(address);
  if (family === 0 || (bracketed !== undefined && family !== 6)) return undefined;
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * Whom an address stands for where callers are counted: an IPv4 address for itself, an IPv6 one for its /64, since whoever
 * has one of those has them all.
 */
export function networkOf(address: string): string {
  const plain = readAddress(address) ?? address;
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // The last two groups may be written as an IPv4 address.
  const written = before.length + after.length + (plain.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, GROUPS - written)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
